import Dispatch
import Foundation

/// Runs programs of the toolchain. Each call blocks until the program has ended.
package struct Toolchain: Sendable {
  /// The maximum time in seconds before a program is terminated.
  package var maximumSeconds: Double = 900

  package struct Outcome: Sendable {
    package let status: Int32
    /// The combined standard output and standard error.
    package let output: String
    /// Whether the program was terminated because it took too long.
    package let timedOut: Bool

    package var succeeded: Bool { status == 0 && !timedOut }
  }

  package init() {}

  /// Runs a program, which is found through `PATH`.
  package func run(
    _ program: String, _ arguments: [String], in directory: String? = nil
  ) throws(VerifierError) -> Outcome {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let log = folder.path + "/output"
    guard FileManager.default.createFile(atPath: log, contents: nil),
      let output = FileHandle(forWritingAtPath: log)
    else { throw VerifierError("Could not write to \(log).") }
    defer { try? output.close() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.standardInput = FileHandle.nullDevice
    // The output goes to a file, because a full pipe would block the program.
    process.standardOutput = output
    process.standardError = output
    do {
      try process.run()
    } catch {
      throw VerifierError("Could not run \(program): \(error.localizedDescription)")
    }
    let watch = Watch(process)
    let item = DispatchWorkItem { watch.end() }
    DispatchQueue.global().asyncAfter(deadline: .now() + maximumSeconds, execute: item)
    process.waitUntilExit()
    item.cancel()
    let data = FileManager.default.contents(atPath: log) ?? Data()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: data, as: UTF8.self),
      timedOut: watch.hasEnded)
  }

  /// `@unchecked Sendable` is safe: the process is only sent a signal, and the lock guards the flag.
  private final class Watch: @unchecked Sendable {
    private let process: Process
    private let lock = NSLock()
    private var ended = false

    init(_ process: Process) { self.process = process }

    var hasEnded: Bool { lock.withLock { ended } }

    func end() {
      lock.withLock { ended = true }
      process.terminate()
    }
  }
}

/// The reason why twins could not be verified.
package struct VerifierError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A temporary folder for one verification.
struct TemporaryFolder {
  let path: String

  init() throws(VerifierError) {
    path = NSTemporaryDirectory() + "adopt-" + UUID().uuidString
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw VerifierError("Could not create the folder \(path): \(error.localizedDescription)")
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
