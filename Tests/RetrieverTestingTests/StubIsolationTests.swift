import Foundation
import Retriever
import RetrieverTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StubIsolationTests {
  @Test func `hundreds of sets of stubs do not disturb each other`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { () async throws in
          let stubs = HTTPStubs()
          stubs.when("/dogs", answer: .text("\(number)"))
          let session = stubs.session()
          for _ in 0..<5 { #expect(try await session.text("/dogs") == "\(number)") }
          #expect(stubs.requests.count == 5)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `other sessions go to the network`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "network") }
    let stubs = HTTPStubs()
    stubs.when(.any, answer: .text("stub"))
    #expect(try await stubs.session().data(from: server.url()).0 == Data("stub".utf8))
    let other = URLSession(configuration: .ephemeral)
    #expect(try await other.data(from: server.url()).0 == Data("network".utf8))
    server.stop()
  }

  @Test func `a request without a stub does not reach the network`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "network") }
    let error = await urlError { _ = try await HTTPStubs().session().data(from: server.url()) }
    #expect(error?.code == .resourceUnavailable)
    #expect(server.connectionCount == 0)
    server.stop()
  }

  @Test func `the stubs of a copied configuration are the same, and new ones replace them`() async throws {
    let (first, second) = (HTTPStubs(), HTTPStubs())
    first.when(.any, answer: .text("first"))
    second.when(.any, answer: .text("second"))
    let configuration = first.configuration()
    let session = URLSession(configuration: configuration)
    let copied = URLSession(configuration: session.configuration)
    second.install(in: configuration)
    #expect(try await session.text("/") == "first")
    #expect(try await copied.text("/") == "first")
    #expect(try await URLSession(configuration: configuration).text("/") == "second")
    #expect(
      configuration.protocolClasses?.count
        == URLSessionConfiguration.ephemeral.protocolClasses.map { $0.count + 1 })
  }

  /// A reference that does not keep its object.
  // Unchecked because the reference is written once, before others read it.
  private final class Weak: @unchecked Sendable {
    weak var object: HTTPStubs?
    init(_ object: HTTPStubs) { self.object = object }
  }

  private func sessionWithStubs() -> (URLSession, Weak) {
    let stubs = HTTPStubs()
    stubs.when(.any, answer: .text("woof"))
    return (stubs.session(), Weak(stubs))
  }

  @Test func `the stubs live as long as a session that uses them, and no longer`() async throws {
    let stubs: Weak
    do {
      let session: URLSession
      (session, stubs) = sessionWithStubs()
      #expect(try await session.text("/") == "woof")
      session.finishTasksAndInvalidate()
    }
    #expect(await eventually { stubs.object == nil })
  }

  @Test func `data URLs need no stub`() async throws {
    let url = try #require(URL(string: "data:,woof"))
    #expect(try await HTTPStubs().session().data(from: url).0 == Data("woof".utf8))
  }

  // MARK: Passthrough

  @Test func `a stub lets requests through to the network`() async throws {
    let server = try ScriptedServer.http { request in
      switch request.path {
      case "/old": Reply(302, headers: [("Location", "/stubbed")])
      case "/private":
        request["Authorization"] == nil
          ? Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"dogs\"")]) : Reply(text: "private")
      default: Reply(text: "\(request.method) \(request.text) \(request["X-Dog"] ?? "")")
      }
    }
    let stubs = HTTPStubs()
    stubs.when("http://127.0.0.1:*/**", answer: .passthrough)
    stubs.when("/stubbed", answer: .text("stubbed"))
    let configuration = stubs.configuration()
    configuration.httpAdditionalHeaders = ["X-Dog": "Rex"]
    let session = URLSession(configuration: configuration)
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "PUT"
    request.httpBody = Data("woof".utf8)
    #expect(try await session.data(for: request).0 == Data("PUT woof Rex".utf8))
    #expect(try await session.upload(for: request, from: Data("up".utf8)).0 == Data("PUT up Rex".utf8))
    #expect(try await session.data(from: server.url("/old")).0 == Data("stubbed".utf8))
    final class SignIn: NSObject, URLSessionTaskDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
      ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.useCredential, URLCredential(user: "ada", password: "biscuit", persistence: .none))
      }
    }
    let (data, _) = try await session.data(from: server.url("/private"), delegate: SignIn())
    #expect(data == Data("private".utf8))
    #expect(stubs.requests.map(\.path) == ["/echo", "/echo", "/old", "/stubbed", "/private"])
    server.stop()
  }

  @Test func `a body that was not kept completely is not sent`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "network") }
    let stubs = HTTPStubs(limits: .init(bodyBytes: 3))
    stubs.when(.any, answer: .passthrough)
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    request.httpBody = Data("woof".utf8)
    let error = await urlError { [request] in _ = try await stubs.session().data(for: request) }
    #expect(error?.code == .dataLengthExceedsMaximum)
    #expect(server.connectionCount == 0)
    server.stop()
  }
}
