#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct DelegateRedirectTests {
  private static func server() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      switch request.path {
      case "/from": .redirect(to: "/to")
      case "/loop": .redirect(to: "/loop")
      default: Reply(text: request.path)
      }
    }
  }

  private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

  private final class SilentDelegate: NSObject, URLSessionTaskDelegate {
    private let handler = Mutex<(@Sendable (URLRequest?) -> Void)?>(nil)

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      handler.withLock { $0 = completionHandler }
    }
  }

  @Test func `the time for a resource ends although a delegate does not answer`() async throws {
    let server = try Self.server()
    let session = URLSession.forTest { $0.timeoutIntervalForResource = 1 }
    let code = await errorCode {
      _ = try await session.data(from: server.url("/from"), delegate: SilentDelegate())
    }
    #expect(code == .timedOut)
  }

  @Test(arguments: [302, 401])
  func `a response whose body stalls is still followed by the next request`(status: Int) async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.path == "/to" || request["Authorization"] != nil {
          try connection.send(Reply(text: "followed"))
        } else {
          try connection.send(
            "HTTP/1.1 \(status) Stalls\r\nLocation: /to\r\nWWW-Authenticate: Basic realm=\"r\"\r\n"
              + "Content-Length: 10\r\n\r\nabc")
          try connection.readUntilClosed()
        }
      }
    }
    let delegate = HandlerDelegate(
      .init(challenge: { _ in
        (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
      }))
    var request = URLRequest(url: server.url("/from"))
    // The rest of the body is not waited for long.
    request.timeoutInterval = 300
    #expect(text(try await URLSession.forTest().data(for: request, delegate: delegate).0) == "followed")
    if status == 302 {
      #expect(text(try await URLSession.forTest().data(for: request).0) == "followed")
    }
    // The time for all requests together ends the task.
    let session = URLSession.forTest { $0.timeoutIntervalForResource = 0.5 }
    #expect(await errorCode { _ = try await session.data(for: request, delegate: delegate) } == .timedOut)
  }

  @Test func withoutADelegateARedirectIsFollowed() async throws {
    let server = try Self.server()
    let (data, response) = try await URLSession.forTest().data(from: server.url("/from"))
    #expect(text(data) == "/to")
    #expect(response.url == server.url("/to"))
  }

  @Test func `returning nil delivers the redirect's own response`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(302, headers: [("Location", "/to")], text: "moved")
    }
    for delegate in [
      HandlerDelegate(.init(redirect: { _, _ in nil })) as any URLSessionTaskDelegate,
      AsyncDelegate(.init(redirect: { _, _ in nil })),
    ] {
      let (data, response) = try await URLSession.forTest().data(
        from: server.url("/from"), delegate: delegate)
      #expect((response as? HTTPURLResponse)?.statusCode == 302)
      #expect(text(data) == "moved")
    }
    #expect(server.requests.map(\.path) == ["/from", "/from"])
  }

  @Test func `nil for a task with a delegate asks for a response disposition`() async throws {
    let server = try Self.server()
    let delegate = HandlerDelegate(.init(redirect: { _, _ in nil }))
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url("/from")).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.order.starts(with: ["created", "redirect", "response"]))
    #expect(delegate.log.current.error == nil)
    #expect(delegate.log.current.metrics.map(\.redirectCount) == [0])
  }

  @Test func anotherRequestIsSentInstead() async throws {
    let server = try Self.server()
    let delegate = HandlerDelegate(
      .init(redirect: { _, proposed in
        var request = proposed
        request.url = request.url.map { URL(string: "/elsewhere", relativeTo: $0)?.absoluteURL ?? $0 }
        request.setValue("v", forHTTPHeaderField: "X-Mark")
        return request
      }))
    let (data, _) = try await URLSession.forTest().data(from: server.url("/from"), delegate: delegate)
    #expect(text(data) == "/elsewhere")
    #expect(server.requests.last?["X-Mark"] == "v")
  }

  @Test func currentAndOriginalRequestDiffer() async throws {
    let server = try Self.server()
    let done = Gate()
    let task = URLSession.forTest().dataTask(with: server.url("/from")) { _, _, _ in done.open() }
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(task.originalRequest?.url == server.url("/from"))
    #expect(task.currentRequest?.url == server.url("/to"))
  }

  @Test func `an endless chain of redirects fails`() async throws {
    let server = try Self.server()
    #expect(
      await errorCode { _ = try await URLSession.forTest().data(from: server.url("/loop")) }
        == .httpTooManyRedirects)
    #expect(server.requests.count == 21)
  }

  @Test func `a redirected POST becomes a GET`() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/from" ? .redirect(to: "/to") : Reply(text: "\(request.method) \(request.text)")
    }
    let (data, _) = try await URLSession.forTest().upload(
      for: URLRequest(url: server.url("/from")), from: Data("body".utf8))
    #expect(text(data) == "GET ")
  }

  @Test(arguments: [307, 308]) func aRepeatedBodyIsSentAgain(status: Int) async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/from"
        ? .redirect(to: "/to", status: status) : Reply(text: "\(request.method) \(request.text)")
    }
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("file".utf8), to: "body")
    let session = URLSession.forTest()
    let request = URLRequest(url: server.url("/from"))
    #expect(text(try await session.upload(for: request, from: Data("data".utf8)).0) == "POST data")
    #expect(text(try await session.upload(for: request, fromFile: file).0) == "POST file")
  }

  @Test func `secret fields are not sent to another origin`() async throws {
    let other = try ScriptedServer.http { Reply(text: $0["Authorization"] ?? "none") }
    let server = try ScriptedServer.http { request in
      request.path == "/out" ? .redirect(to: other.address()) : .redirect(to: "/out")
    }
    var request = URLRequest(url: server.url("/in"))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    let (data, _) = try await URLSession.forTest().data(for: request)
    #expect(text(data) == "none")
    #expect(server.requests.map { $0["Authorization"] } == ["Bearer secret", "Bearer secret"])
  }

  @Test func `secret fields of the configuration stay with the request's origin`() async throws {
    let names = ["Authorization", "X-Api-Key", "Cookie", "Accept-Language"]
    let other = try ScriptedServer.http { request in
      Reply(text: names.filter { request[$0] != nil }.joined(separator: " "))
    }
    let server = try ScriptedServer.http { request in
      request.path == "/out" ? .redirect(to: other.address()) : .redirect(to: "/out")
    }
    let session = URLSession.forTest {
      $0.httpAdditionalHeaders = [
        "Authorization": "Bearer secret", "X-Api-Key": "secret", "Cookie": "a=secret",
        "Accept-Language": "sv",
      ]
    }
    #expect(text(try await session.data(from: server.url("/in")).0) == "Accept-Language")
    #expect(server.requests.map { $0["X-Api-Key"] } == ["secret", "secret"])
    // Requested directly, the other origin is one that the program has chosen.
    #expect(text(try await session.data(from: other.url()).0) == names.joined(separator: " "))
  }

  @Test func aRedirectToAnAddressThatIsNotAllowedIsNotFollowed() async throws {
    let inside = try ScriptedServer.http(on: .ipv6) { _ in Reply(text: "secret") }
    let server = try ScriptedServer.http { _ in .redirect(to: inside.address()) }
    var policy = AddressPolicy.publicOnly
    try policy.allow("127.0.0.0/8")
    let session = URLSession.forTest { $0.addressPolicy = policy }
    #expect(await errorCode { _ = try await session.data(from: server.url()) } == .dataNotAllowed)
    #expect(inside.connectionCount == 0)
    #expect(server.requests.count == 1)
  }

  @Test func aRedirectAwayFromHTTPIsRefused() async throws {
    for target in ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"] {
      let server = try ScriptedServer.http { _ in .redirect(to: target) }
      #expect(
        await errorCode { _ = try await URLSession.forTest().data(from: server.url()) } == .unsupportedURL)
    }
  }

  @Test func `the long body of a redirect is not read completely`() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.path == "/to" {
          try connection.send(Reply(text: "there"))
        } else {
          try connection.send("HTTP/1.1 302 Found\r\nLocation: /to\r\n\r\n")
          while true { try connection.send(Data(count: 65_536)) }
        }
      }
    }
    let (data, _) = try await URLSession.forTest().data(from: server.url("/from"))
    #expect(text(data) == "there")
  }

  @Test func `a truncated redirect body does not matter`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        guard request.path != "/to" else {
          try connection.send(Reply(text: "there"))
          continue
        }
        try connection.send("HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 100\r\n\r\nabc")
        return connection.reset()
      }
    }
    let delegate = HandlerDelegate(
      .init(redirect: { _, request in
        gate.open()
        return request
      }))
    let session = URLSession.forTest()
    #expect(text(try await session.data(from: server.url("/from"), delegate: delegate).0) == "there")
    #expect(text(try await session.data(from: server.url("/from")).0) == "there")
    #expect(gate.isOpen)
  }
}
#endif
