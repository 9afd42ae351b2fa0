#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The header fields that follow a redirect to another origin: those on a list of harmless ones, and no others.
@Suite(.timeLimit(.minutes(5))) struct RedirectFieldsTests {
  private static let secrets = [
    "X-CSRFToken", "csrftoken", "authtoken", "sessiontoken", "accesskey", "secretkey", "privatekey",
    "apitoken", "X-Ticket", "Authorisation", "x-userpass", "X-Trace-Id", "Idempotency-Key", "X-Anything",
    "From", "Origin", "Sec-WebSocket-Protocol",
  ]

  private static let harmless = [
    "Accept": "*/*", "Accept-Language": "de", "Accept-Charset": "utf-8", "Accept-Encoding": "gzip",
    "Cache-Control": "no-cache", "Pragma": "no-cache", "User-Agent": "Dog/1", "Range": "bytes=0-",
    "If-Range": "\"a\"", "If-None-Match": "\"a\"", "If-Match": "\"a\"",
    "If-Modified-Since": "Fri, 20 Nov 2026 20:00:00 GMT",
    "If-Unmodified-Since": "Fri, 20 Nov 2026 20:00:00 GMT", "DNT": "1", "Referer": "https://dogs.example/",
  ]

  private func next(
    after headers: [String: String], to location: String, status: Int = 307, body: Data? = nil
  ) throws -> [String: String] {
    let url = try #require(URL(string: "https://dogs.example/a"))
    var request = URLRequest(url: url)
    request.httpMethod = body == nil ? "GET" : "POST"
    request.httpBody = body
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let response = HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/1.1",
      headerBlock: Array("Location: \(location)\r\n".utf8))
    guard case .follow(let request) = RedirectRule.nextRequest(after: request, response: response) else {
      Issue.record("The redirect was not followed")
      return [:]
    }
    return request.allHTTPHeaderFields ?? [:]
  }

  @Test(arguments: secrets) func `a field that is not known to be harmless stays with its origin`(
    name: String
  ) throws {
    let headers = [name: "x", "Accept": "image/*"]
    #expect(try next(after: headers, to: "https://cats.example/") == ["Accept": "image/*"])
    #expect(try next(after: headers, to: "https://dogs.example/b") == headers)
  }

  @Test func `fields that are known to be harmless follow to another origin`() throws {
    #expect(try next(after: Self.harmless, to: "https://cats.example/") == Self.harmless)
  }

  @Test func `the description of a body follows with the body and never without it`() throws {
    let headers = [
      "Content-Type": "text/plain", "Content-Language": "de", "Content-Encoding": "gzip",
      "Content-Length": "3",
    ]
    let body = Data("dog".utf8)
    #expect(try next(after: headers, to: "https://cats.example/", body: body) == headers)
    #expect(try next(after: headers, to: "https://cats.example/", status: 302, body: body) == [:])
  }

  @Test func `the threat model lists exactly the fields that follow`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent("docs/threat-model.md"), encoding: .utf8)
    let row = try #require(
      page.split(separator: "\n").first { $0.hasPrefix("| Redirects that carry secrets away |") })
    let listed = Set(row.matches(of: /`([^`]+)`/).map { $0.output.1.lowercased() })
      .subtracting(["httpadditionalheaders"])
    #expect(listed == RedirectFields.harmless.union(RedirectFields.describingBody).union(["referer"]))
  }

  @Test func `fields of the configuration follow the same rule`() async throws {
    let names = Self.secrets + Array(Self.harmless.keys) + ["Content-Type"]
    let other = try ScriptedServer.http { _ in Reply(text: "there") }
    let server = try ScriptedServer.http { _ in .redirect(to: other.address()) }
    let session = URLSession.forTest {
      $0.httpAdditionalHeaders = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
    }
    _ = try await session.data(from: server.url())
    let (asked, arrived) = (server.requests.first, other.requests.first)
    for name in names { #expect(asked?[name] != nil, "\(name)") }
    for name in Self.secrets + ["Content-Type"] { #expect(arrived?[name] == nil, "\(name)") }
    for name in Self.harmless.keys { #expect(arrived?[name] != nil, "\(name)") }
  }

  // MARK: Loads that continue after a redirect

  /// A server that redirects to another one, and a session whose key only the first one may get.
  private func redirecting(
    _ answer: @escaping @Sendable (ScriptedRequest, ScriptedConnection) throws -> Void
  ) throws -> (server: ScriptedServer, other: ScriptedServer, session: URLSession) {
    let other = try ScriptedServer { connection in
      while let request = try connection.nextRequest() { try answer(request, connection) }
    }
    let server = try ScriptedServer.http { _ in .redirect(to: other.address()) }
    let session = URLSession.forTest {
      $0.httpAdditionalHeaders = ["X-Api-Key": "hush", "Accept-Language": "de"]
    }
    return (server, other, session)
  }

  @Test func `a response that is renewed in the background is asked for without the session's secrets`()
    async throws
  {
    let (server, other, session) = try redirecting { _, connection in
      try connection.send(
        Reply(headers: [("Cache-Control", "max-age=0, stale-while-revalidate=600")], text: "there"))
    }
    for _ in 1...2 { _ = try await session.data(from: server.url()) }
    #expect(await eventually { other.requests.count == 2 })
    #expect(server.requests.allSatisfy { $0["X-Api-Key"] == "hush" })
    #expect(other.requests.map { $0["X-Api-Key"] } == [nil, nil])
    #expect(other.requests.map { $0["Accept-Language"] } == ["de", "de"])
  }

  @Test
  func `a resumed download does not send the session's secrets to the server that it was redirected to`()
    async throws
  {
    let body = Data.pattern(count: 100_000)
    let (server, other, session) = try redirecting { request, connection in
      let head = "ETag: \"a\"\r\nAccept-Ranges: bytes\r\n"
      guard request["Range"] == nil else {
        try connection.send(
          "HTTP/1.1 206 Partial Content\r\n\(head)Content-Range: bytes 50000-99999/100000\r\n"
            + "Content-Length: 50000\r\n\r\n")
        return try connection.send(body[50_000...])
      }
      try connection.send("HTTP/1.1 200 OK\r\n\(head)Content-Length: 100000\r\n\r\n")
      try connection.send(body[..<50_000])
      connection.close()
    }
    var data: Data?
    do {
      _ = try await session.download(from: server.url())
      Issue.record("The download succeeded")
    } catch { data = (error as? URLError)?.downloadTaskResumeData }
    let (file, _) = try await session.download(resumeFrom: try #require(data))
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try difference(Data(contentsOf: file), body) == nil)
    #expect(other.requests.map { $0["X-Api-Key"] } == [nil, nil])
    #expect(other.requests.map { $0["Accept-Language"] } == ["de", "de"])
  }

  @Test func `a WebSocket's subprotocol is not offered to the server that the handshake is redirected to`()
    async throws
  {
    let (server, other, session) = try redirecting { _, connection in try connection.send(Reply(403)) }
    let url = try #require(URL(string: server.address().replacingOccurrences(of: "http:", with: "ws:")))
    let task = session.webSocketTask(with: url, protocols: ["bearer.hush"])
    task.resume()
    #expect(await errorCode { _ = try await task.receive() } != nil)
    #expect(server.requests.map { $0["Sec-WebSocket-Protocol"] } == ["bearer.hush"])
    #expect(other.requests.map { $0["Sec-WebSocket-Protocol"] } == [nil])
  }
}
#endif
