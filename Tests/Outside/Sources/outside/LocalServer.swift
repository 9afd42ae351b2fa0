import Foundation
import Retriever

/// A running `server.py`, which ends with this object.
final class LocalServer {
  let base: URL
  private let process: Process
  /// The pipe closes when this process ends, in any way, and the server then ends too.
  private let input: Pipe

  private init(base: URL, process: Process, input: Pipe) {
    self.base = base
    self.process = process
    self.input = input
  }

  static func start(sourceFile: String = #filePath) async throws -> LocalServer {
    let package = URL(fileURLWithPath: sourceFile)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", package.appendingPathComponent("server.py").path, "--until-end-of-input"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    for try await line in output.fileHandleForReading.bytes.lines {
      guard let url = URL(string: line) else { break }
      return LocalServer(base: url, process: process, input: input)
    }
    process.terminate()
    throw Unexpected(description: "the server did not print its address")
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.terminate()
  }
}
