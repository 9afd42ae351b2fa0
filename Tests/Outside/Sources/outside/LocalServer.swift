import Foundation
import Retriever

/// `server.py`, running as long as this object does.
final class LocalServer {
  let base: URL
  private let process: Process
  /// Closed with this process, however it ends; the server ends with it.
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
    throw Unexpected(description: "it did not say where it listens")
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.terminate()
  }
}
