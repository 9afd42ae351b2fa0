import Foundation
import Glibc
import TestSupport
import Testing

/// Runs `retriever` as a separate process.
struct Program: Sendable {
  struct Result: Sendable {
    var status: Int32
    var output: Data
    var errors: String
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  static let path = ChildProcess.path(ofProgram: "retriever")

  let directory: TemporaryDirectory
  var environment: [String: String] = [:]

  init(_ environment: [String: String] = [:]) throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.path("home"), withIntermediateDirectories: false)
    try FileManager.default.createDirectory(
      atPath: directory.path("work"), withIntermediateDirectories: false)
    self.environment = environment
    self.environment["HOME"] = directory.path("home")
    self.environment["LC_ALL"] = "C.UTF-8"
    for name in ["http_proxy", "https_proxy", "all_proxy"] { self.environment[name] = "" }
  }

  /// The working directory.
  func file(_ name: String) -> URL { directory.file("work").appendingPathComponent(name) }

  func contents(_ name: String) -> Data? { try? Data(contentsOf: file(name)) }

  /// The paths of the requests in an archive, in alphabetical order.
  func archivedPaths(_ name: String) throws -> [String] {
    let archive = try JSONSerialization.jsonObject(with: try #require(contents(name))) as? [String: Any]
    let log = try #require(archive?["log"] as? [String: Any])
    #expect(log["version"] as? String == "1.2")
    let entries = try #require(log["entries"] as? [[String: Any]])
    let urls = entries.compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
    return urls.compactMap { URL(string: $0)?.path }.sorted()
  }

  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path("work"))) ?? []).sorted()
  }

  /// Starts the program in the working directory. Its output and errors are written to files.
  func start(_ arguments: [String], input: String = "/dev/null", output: String? = nil) throws -> Running {
    let redirection = "cd \"$1\" && shift && exec \"$@\" <'\(input)' >'\(output ?? directory.path("output"))'"
    let child = try ChildProcess(
      ["/bin/sh", "-c", redirection, "sh", directory.path("work"), Self.path] + arguments,
      environment: environment, output: directory.path("errors"))
    return Running(child: child, program: self)
  }

  func run(_ arguments: String..., input: String = "/dev/null", output: String? = nil) async throws -> Result
  {
    for name in ["output", "errors"] { try? FileManager.default.removeItem(at: directory.file(name)) }
    return try await start(arguments, input: input, output: output).end()
  }

  struct Running: Sendable {
    let child: ChildProcess
    let program: Program

    func interrupt() { child.send(signal: SIGINT) }

    func end() async throws -> Result {
      let ending = await runOnThread { [child] in child.waitForEnd(within: .seconds(40)) }
      let status: Int32 =
        switch ending {
        case .exited(let code): code
        case .signalled(let signal): -signal
        case nil: throw TestSupportError("retriever did not end")
        }
      let errors = (try? String(contentsOf: program.directory.file("errors"), encoding: .utf8)) ?? ""
      checkShape(ofErrors: errors)
      return Result(
        status: status, output: (try? Data(contentsOf: program.directory.file("output"))) ?? Data(),
        errors: errors)
    }

    /// Every warning, and every error of the command itself, consists of complete sentences. Errors about a URL or a
    /// file begin with its name, and libcurl wrote some of them.
    private func checkShape(ofErrors errors: String) {
      let shape = /(retriever|Warning): (--|[A-Z“]).*[.?]/
      for line in errors.split(separator: "\n")
      where line.wholeMatch(of: /(retriever: (?!\S+: )|[Ww]arning: ).*/) != nil {
        #expect(line.wholeMatch(of: shape) != nil, "This is not a complete sentence: \(line)")
      }
    }
  }
}
