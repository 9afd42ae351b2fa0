#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// Records the calls of a session's delegate for stream tasks.
final class StreamDelegateLog: NSObject, URLSessionStreamDelegate, URLSessionDataDelegate {
  let log = Log<String>()
  let completed = Gate()
  let invalid = Gate()
  let captured = Gate()
  let error = Mutex<(any Error)?>(nil)
  let streams = Mutex<CapturedPair?>(nil)
  let newTask = Mutex<URLSessionStreamTask?>(nil)
  private let disposition: URLSession.ResponseDisposition

  /// `@unchecked Sendable`: the test is the only user.
  struct CapturedPair: @unchecked Sendable {
    let input: InputStream
    let output: OutputStream
  }

  init(_ disposition: URLSession.ResponseDisposition = .allow) { self.disposition = disposition }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    log.add("invalid")
    invalid.open()
  }

  func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {
    log.add("read closed")
  }
  func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
    log.add("write closed")
  }

  func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
    outputStream: OutputStream
  ) {
    log.add("streams")
    streams.withLock { $0 = CapturedPair(input: inputStream, output: outputStream) }
    captured.open()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition { disposition }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask
  ) {
    log.add("became")
    newTask.withLock { $0 = streamTask }
    captured.open()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    log.add("completed")
    self.error.withLock { $0 = error }
    completed.open()
  }
}

enum StreamServers {
  /// Sends back what it gets, and ends its side when the client has ended its own.
  static func echo(on endpoint: ServerEndpoint = .ipv4) throws -> ScriptedServer {
    try ScriptedServer(on: endpoint) { connection in
      while true {
        let bytes = try connection.read()
        if bytes.isEmpty { return }
        try connection.send(bytes)
      }
    }
  }

  /// Sends bytes, and keeps the connection until the gate opens.
  static func sending(_ bytes: Data, until gate: Gate? = nil) throws -> ScriptedServer {
    try ScriptedServer { connection in
      try connection.send(bytes)
      if let gate { try connection.wait(for: gate) }
    }
  }
}

extension URLSession {
  /// A running stream task to a server of the test.
  func stream(to server: ScriptedServer) -> URLSessionStreamTask {
    let task = streamTask(withHostName: "127.0.0.1", port: Int(server.port))
    task.resume()
    return task
  }
}

extension URLSessionStreamTask {
  /// Reads until the server ends its side.
  func readToEnd(piece: Int = 65_536) async throws -> Data {
    var all = Data()
    while true {
      let (data, atEnd) = try await readData(ofMinLength: 1, maxLength: piece, timeout: 30)
      all += data ?? Data()
      if atEnd { return all }
    }
  }
}
#endif
