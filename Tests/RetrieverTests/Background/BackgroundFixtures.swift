#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport

@testable import Retriever

extension BackgroundTaskRecord {
  /// A record with few details.
  static func forTest(
    _ identifier: Int = 1, _ kind: Kind = .download, method: String = "GET", body: Data? = nil,
    fields: [String: String] = [:]
  ) -> BackgroundTaskRecord? {
    guard let url = URL(string: "http://example.com/file\(identifier)") else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    guard let stored = StoredRequest(request) else { return nil }
    let attributes = Attributes(
      priority: 0.5, taskDescription: "task", earliestBeginDate: nil, clientExpectsToSend: -1,
      clientExpectsToReceive: -1)
    return BackgroundTaskRecord(
      identifier: identifier, kind: kind, request: stored, attributes: attributes)
  }
}

extension StoredResponse {
  static func forTest(_ status: Int = 200) -> StoredResponse? {
    guard let url = URL(string: "http://example.com/") else { return nil }
    return HTTPURLResponse(
      url: url, statusCode: status, httpVersion: nil, headerFields: ["Content-Type": "text/plain"]
    ).flatMap { StoredResponse($0) }
  }
}

/// Creates a background session in a test's directory.
func backgroundSession(
  _ directory: TemporaryDirectory, _ identifier: String = "test", _ delegate: (any URLSessionDelegate)? = nil,
  _ change: (URLSessionConfiguration) -> Void = { _ in }
) -> URLSession {
  let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
  configuration.backgroundDirectory = directory.url
  configuration.httpCookieStorage = nil
  configuration.urlCredentialStorage = nil
  change(configuration)
  return URLSession(configuration: configuration, delegate: delegate)
}

/// Records the events of a background session.
final class BackgroundDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
  let words = Log<String>()
  let bodies = Log<Data>()
  let errors = Log<URLError>()
  let finished = Gate()
  let completed = Gate()
  let invalid = Gate()

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    bodies.add((try? Data(contentsOf: location)) ?? Data("missing".utf8))
    words.add("file \(downloadTask.taskIdentifier)")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error = error as? URLError { errors.add(error) }
    words.add("completed \(task.taskIdentifier) \((error as? URLError)?.code.rawValue ?? 0)")
    completed.open()
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    words.add("events")
    finished.open()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    words.add("invalid")
    invalid.open()
  }
}

/// Serves one file, with ranges. The first connections get a part of the body, and then nothing until they close.
final class PortionServer: Sendable {
  let body: Data
  let server: ScriptedServer
  private let script: Script

  /// What the connections get, and what they requested.
  private final class Script: Sendable {
    private let state: Mutex<(allowances: [Int?], ranges: [String?], heldCount: Int)>

    init(_ allowances: [Int?]) { state = Mutex((allowances, [], 0)) }

    func next(range: String?) -> Int? {
      state.withLock { state in
        state.ranges.append(range)
        return state.allowances.isEmpty ? nil : state.allowances.removeFirst()
      }
    }

    func hold() { state.withLock { $0.heldCount += 1 } }

    var ranges: [String?] { state.withLock { $0.ranges } }
    var heldCount: Int { state.withLock { $0.heldCount } }
  }

  /// - Parameters:
  ///   - allowances: How many bytes of the body each request gets, in order; nil for all. Later ones get all.
  ///   - tag: The entity tag; nil if the file cannot be resumed.
  ///   - hasLength: Whether the response states its length.
  init(_ body: Data, allowances: [Int?], tag: String? = "\"one\"", hasLength: Bool = true) throws {
    let script = Script(allowances)
    self.body = body
    self.script = script
    server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        let allowance = script.next(range: request["Range"])
        var fields = tag.map { "ETag: \($0)\r\nAccept-Ranges: bytes\r\n" } ?? ""
        var start = 0
        if let range = request["Range"], let tag, request["If-Range"] == tag {
          start = Int(range.dropFirst(6).prefix { $0 != "-" }) ?? 0
          fields += "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)\r\n"
        }
        let rest = body[start...]
        fields += hasLength ? "Content-Length: \(rest.count)\r\n" : "Transfer-Encoding: chunked\r\n"
        try connection.send("HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\n\(fields)\r\n")
        let sent = Data(rest.prefix(allowance ?? rest.count))
        if hasLength {
          try connection.send(sent)
        } else if !sent.isEmpty {
          try connection.send("\(String(sent.count, radix: 16))\r\n")
          try connection.send(sent)
          try connection.send("\r\n")
        }
        if allowance == nil {
          if !hasLength { try connection.send("0\r\n\r\n") }
        } else {
          script.hold()
          return try connection.readUntilClosed()
        }
      }
    }
  }

  var url: URL { server.url("/file") }
  /// The value of each request's `Range`.
  var ranges: [String?] { script.ranges }
  /// The number of connections that got their part and are held.
  var heldCount: Int { script.heldCount }
}
#endif
