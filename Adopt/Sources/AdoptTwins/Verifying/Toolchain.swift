import Dispatch
import Foundation

/// Runs the toolchain's programs. Each call blocks until the program has ended.
package struct Toolchain: Sendable {
  /// How many seconds a program may take before it is ended.
  package var limit: Double = 900

  package struct Outcome: Sendable {
    package let status: Int32
    /// Both of its outputs, mixed.
    package let output: String
    /// Whether it was ended because it took too long.
    package let isCutShort: Bool

    package var succeeded: Bool { status == 0 && !isCutShort }
  }

  package init() {}

  /// Runs a program that is found as the shell finds it.
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
    // Into a file, as a pipe that nobody empties would hold the program up.
    process.standardOutput = output
    process.standardError = output
    do {
      try process.run()
    } catch {
      throw VerifierError("Could not run \(program): \(error.localizedDescription)")
    }
    let watch = Watch(process)
    let item = DispatchWorkItem { watch.end() }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: item)
    process.waitUntilExit()
    item.cancel()
    let data = FileManager.default.contents(atPath: log) ?? Data()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: data, as: UTF8.self),
      isCutShort: watch.hasEnded)
  }

  /// The process is only told to terminate, which is a signal; the flag is guarded by the lock.
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
