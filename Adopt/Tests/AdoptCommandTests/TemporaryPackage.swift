import Foundation

@testable import AdoptCommand

/// A temporary folder for a test, in which the program `adopt` can be run.
final class TemporaryPackage: Sendable {
  struct Result: Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// The program `adopt`, in the folder of the test program.
  static let program: URL = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("adopt")
  }()

  /// The path of the folder, with all links resolved.
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "adopt-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

  func write(_ data: Data, to name: String) throws {
    let url = URL(fileURLWithPath: file(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func adopt(_ arguments: String..., input: String? = nil, environment: [String: String] = [:]) async throws
    -> Result
  {
    try await run([Self.program.path] + arguments, input: input, environment: environment)
  }

  @discardableResult func git(_ arguments: String...) async throws -> Result {
    let identity = [
      "-c", "user.name=Tests", "-c", "user.email=tests@example.invalid", "-c", "commit.gpgsign=false",
    ]
    let result = try await run(["/usr/bin/env", "git"] + identity + arguments)
    guard result.status == 0 else { throw TemporaryPackageError(message: result.errors) }
    return result
  }

  /// Runs a program in the folder. Its output goes to files, because a full pipe would block the program.
  func run(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:], signal: Int32? = nil
  ) async throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "adopt-streams-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let streams = ["input", "output", "errors"].map { folder.appendingPathComponent($0) }
    try Data((input ?? "").utf8).write(to: streams[0])
    for stream in streams[1...] { try Data().write(to: stream) }
    process.standardInput = try FileHandle(forReadingFrom: streams[0])
    process.standardOutput = try FileHandle(forWritingTo: streams[1])
    process.standardError = try FileHandle(forWritingTo: streams[2])
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
    return Result(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: String(decoding: try Data(contentsOf: streams[1]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: streams[2]), as: UTF8.self))
  }
}

struct TemporaryPackageError: Error {
  var message: String
}
