#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The order in which delegates are called: for each method, the task's delegate first, then the session's.
@Suite(.timeLimit(.minutes(5))) struct DelegateFallbackTests {
  private static func server() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      switch (request.path, request["Authorization"]) {
      case ("/", _): .redirect(to: "/private")
      case (_, nil): Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")], text: "no")
      default: Reply(text: "in")
      }
    }
  }

  private static let answers = DelegateLog.Answers(challenge: { _ in
    (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
  })

  @Test func `the task's delegate is called and the session's is not`() async throws {
    let server = try Self.server()
    let (own, ofSession) = (HandlerDelegate(Self.answers), HandlerDelegate(Self.answers))
    let session = URLSession.forTest(delegate: ofSession)
    let (data, _) = try await session.data(from: server.url(), delegate: own)
    #expect(data == Data("in".utf8))
    #expect(own.log.order == ["created", "redirect", "challenge", "metrics"])
    #expect(ofSession.log.events.isEmpty)
  }

  @Test func `the session's delegate is called if the task has none`() async throws {
    let server = try Self.server()
    let ofSession = HandlerDelegate(Self.answers)
    let session = URLSession.forTest(delegate: ofSession)
    let (data, _) = try await session.data(from: server.url())
    #expect(data == Data("in".utf8))
    #expect(ofSession.log.order == ["created", "redirect", "challenge", "metrics"])
  }

  @Test func `methods that the task's delegate lacks go to the session's delegate`() async throws {
    let server = try Self.server()
    let own = RedirectOnlyDelegate()
    let ofSession = HandlerDelegate(Self.answers)
    let session = URLSession.forTest(delegate: ofSession)
    // In the second round, the missing methods are already known.
    for round in 1...2 {
      #expect(try await session.data(from: server.url(), delegate: own).0 == Data("in".utf8))
      #expect(own.log.events.count == round)
      #expect(ofSession.log.order.suffix(3) == ["created", "challenge", "metrics"])
      #expect(ofSession.log.events.count { $0 == "created" } == round)
    }
  }

  @Test func aDelegateWithoutMethodsChangesNothing() async throws {
    let server = try Self.server()
    let session = URLSession.forTest(delegate: SilentDelegate())
    let (_, response) = try await session.data(from: server.url(), delegate: SilentDelegate())
    #expect((response as? HTTPURLResponse)?.statusCode == 401)
    session.dataTask(with: server.url()).resume()
    session.downloadTask(with: server.url()).resume()
    #expect(await eventually { await session.allTasks.isEmpty })
  }

  @Test func `async delegate methods are called too`() async throws {
    let server = try Self.server()
    let own = AsyncDelegate(Self.answers)
    #expect(try await URLSession.forTest().data(from: server.url(), delegate: own).0 == Data("in".utf8))
    #expect(own.log.events == ["redirect", "challenge"])

    let ofSession = AsyncDelegate(Self.answers)
    let session = URLSession.forTest(delegate: ofSession)
    session.dataTask(with: server.url()).resume()
    #expect(await ofSession.log.completed.wait(within: .seconds(90)))
    #expect(ofSession.log.events == ["redirect", "challenge", "response", "completed"])
  }

  @Test func `an object that is both delegates is called once`() async throws {
    let server = try Self.server()
    let delegate = HandlerDelegate(Self.answers)
    let session = URLSession.forTest(delegate: delegate)
    _ = try await session.data(from: server.url(), delegate: delegate)
    #expect(delegate.log.events == ["created", "redirect", "challenge", "metrics"])
  }

  @Test func `a task's delegate property never returns the session's delegate`() throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let session = URLSession.forTest(delegate: HandlerDelegate())
    let task = session.dataTask(with: url)
    #expect(task.delegate == nil)
    let own = SilentDelegate()
    task.delegate = own
    #expect(task.delegate === own)
    task.cancel()
  }

  @Test func `a task retains its delegate until it completes`() async throws {
    let gate = Gate()
    let server = try ScriptedServer([.readRequest, .waitFor(gate), .send(Reply(text: "x"))])
    let weakReference: WeakReference<HandlerDelegate>
    let session = URLSession.forTest()
    let task = session.dataTask(with: server.url())
    do {
      let delegate = HandlerDelegate()
      task.delegate = delegate
      weakReference = WeakReference(delegate)
    }
    task.resume()
    #expect(weakReference.object != nil)
    gate.open()
    #expect(await eventually { weakReference.object == nil })
    #expect(task.delegate == nil)
    task.delegate = SilentDelegate()
    #expect(task.delegate == nil)
  }

  @Test func `a task's delegate receives the response and the body`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let own = HandlerDelegate()
    let session = URLSession.forTest()
    let task = session.dataTask(with: server.url())
    task.delegate = own
    task.resume()
    #expect(await own.log.completed.wait(within: .seconds(90)))
    #expect(own.log.order == ["response", "data", "metrics", "completed"])
  }

  @Test func `bytes reports challenges to the delegate but no response and data`() async throws {
    let server = try Self.server()
    let own = HandlerDelegate(Self.answers)
    let (bytes, _) = try await URLSession.forTest().bytes(from: server.url(), delegate: own)
    var text: [UInt8] = []
    for try await byte in bytes { text.append(byte) }
    #expect(text == Array("in".utf8))
    #expect(await eventually { own.log.events.contains("metrics") })
    #expect(own.log.order == ["created", "redirect", "challenge", "metrics"])
  }

  private final class RedirectOnlyDelegate: NSObject, URLSessionTaskDelegate {
    let log = DelegateLog()

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      log.note("redirect")
      return request
    }
  }
}
#endif
