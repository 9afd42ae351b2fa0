#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// A delegate that forwards calls to another object keeps its own methods.
@Suite(.timeLimit(.minutes(5))) struct DelegateForwardingTests {
  @Test func `a delegate keeps the methods that the object it forwards to does not have`() async throws {
    let server = try ScriptedServer.http { request in
      switch request.path {
      case "/from": .redirect(to: "/to")
      default: Reply(text: "body")
      }
    }
    for _ in 0..<3 {
      let delegate = ForwardingDelegate()
      let session = URLSession.forTest(delegate: delegate)
      session.dataTask(with: server.url("/from")).resume()
      #expect(await delegate.log.completed.wait(within: .seconds(90)))
      #expect(delegate.log.order == ["created", "redirect", "response", "data", "metrics", "completed"])
      session.invalidateAndCancel()
    }
  }

  @Test func `the session's delegate is not asked for what the task's delegate forwards`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    for _ in 0..<2 {
      let (own, ofSession) = (ForwardingDelegate(), HandlerDelegate())
      let session = URLSession.forTest(delegate: ofSession)
      _ = try await session.data(from: server.url(), delegate: own)
      #expect(own.log.order == ["created", "metrics"])
      #expect(ofSession.log.events.isEmpty)
    }
  }

  @Test func `a method that calls another missing one of its own delegate is not lost`() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/from" ? .redirect(to: "/to") : Reply(text: "body")
    }
    for round in 1...2 {
      let delegate = SelfCallingDelegate()
      let session = URLSession.forTest()
      let (data, _) = try await session.data(from: server.url("/from"), delegate: delegate)
      #expect(data == Data("body".utf8))
      #expect(delegate.log.events == ["redirect"], "round \(round)")
    }
  }

  @Test func `a completion-handler method that awaits its missing async form is not lost`() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/from" ? .redirect(to: "/to") : Reply(text: "body")
    }
    for round in 1...2 {
      let delegate = AsyncFormDelegate()
      let session = URLSession.forTest()
      let (data, _) = try await session.data(from: server.url("/from"), delegate: delegate)
      #expect(data == Data("body".utf8))
      #expect(delegate.log.events == ["redirect"], "round \(round)")
    }
  }

  /// Implements all methods. Each one forwards the call to an object that implements none.
  private final class ForwardingDelegate: NSObject, URLSessionDataDelegate {
    let log = DelegateLog()
    private let target: any URLSessionDataDelegate = SilentDelegate()

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
      log.note("created")
      target.urlSession(session, didCreateTask: task)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      log.note("redirect")
      target.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: completionHandler)
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      log.note("response")
      return await target.urlSession(session, dataTask: dataTask, didReceive: response)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      log.note("data")
      target.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      log.note("metrics")
      target.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      log.note("completed")
      target.urlSession(session, task: task, didCompleteWithError: error)
      log.completed.open()
    }
  }

  private final class SelfCallingDelegate: NSObject, URLSessionTaskDelegate {
    let log = DelegateLog()

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      log.note("redirect")
      urlSession(session, didCreateTask: task)
      return request
    }
  }

  private final class AsyncFormDelegate: NSObject, URLSessionTaskDelegate {
    let log = DelegateLog()

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      log.note("redirect")
      Task {
        completionHandler(
          await urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request))
      }
    }
  }
}
#endif
