#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct SessionInvalidationTests {
  @Test func `a session without tasks notifies its delegate and releases it`() async throws {
    let weakReference: WeakReference<HandlerDelegate>
    let log: DelegateLog
    let session: URLSession
    do {
      let delegate = HandlerDelegate()
      (weakReference, log) = (WeakReference(delegate), delegate.log)
      session = .forTest(delegate: delegate)
    }
    #expect(session.delegate === weakReference.object)
    #expect(weakReference.object != nil)
    session.finishTasksAndInvalidate()
    #expect(await log.becameInvalid.wait(within: .seconds(90)))
    #expect(await eventually { weakReference.object == nil })
    #expect(session.delegate == nil)
    session.finishTasksAndInvalidate()
    session.invalidateAndCancel()
    #expect(log.events == ["invalid"])
  }

  @Test func `finishing waits for existing tasks`() async throws {
    let gate = Gate()
    let server = try ScriptedServer([.readRequest, .waitFor(gate), .send(Reply(text: "end"))])
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    session.finishTasksAndInvalidate()
    #expect(await errorCode { _ = try await session.data(from: server.url()) } == .cancelled)
    gate.open()
    #expect(await delegate.log.becameInvalid.wait(within: .seconds(90)))
    #expect(delegate.log.current.body == Data("end".utf8))
    #expect(delegate.log.current.error == nil)
    #expect(delegate.log.events.suffix(2) == ["completed", "invalid"])
  }

  @Test func `cancelling ends existing tasks`() async throws {
    let reached = Gate()
    let server = try ScriptedServer([.readRequest, .open(reached), .hold])
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    let idle = session.dataTask(with: server.url())
    #expect(await reached.wait(within: .seconds(90)))
    session.invalidateAndCancel()
    #expect(await delegate.log.becameInvalid.wait(within: .seconds(90)))
    #expect((delegate.log.current.error as? URLError)?.code == .cancelled)
    #expect(delegate.log.events.count { $0 == "completed" } == 2)
    #expect(delegate.log.events.last == "invalid")
    #expect(idle.state == .completed)
  }

  @Test func `a session that waits for its tasks can still be cancelled`() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    session.finishTasksAndInvalidate()
    session.invalidateAndCancel()
    #expect(await delegate.log.becameInvalid.wait(within: .seconds(90)))
    #expect(delegate.log.events.count { $0 == "invalid" } == 1)
  }

  @Test func anInvalidSessionRefusesEveryKindOfTask() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let session = URLSession.forTest()
    session.invalidateAndCancel()
    #expect(await errorCode { _ = try await session.data(from: server.url()) } == .cancelled)
    #expect(await errorCode { _ = try await session.download(from: server.url()) } == .cancelled)
    #expect(await errorCode { _ = try await session.bytes(from: server.url()) } == .cancelled)
    #expect(
      await errorCode {
        _ = try await session.upload(for: URLRequest(url: server.url()), from: Data())
      } == .cancelled)
    let called = Gate()
    session.downloadTask(with: server.url()) { _, _, error in
      if (error as? URLError)?.code == .cancelled { called.open() }
    }.resume()
    #expect(await called.wait(within: .seconds(90)))
    #expect(server.connectionCount == 0)
  }

  @Test func theSharedSessionCannotBeInvalidated() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "still") }
    URLSession.shared.finishTasksAndInvalidate()
    URLSession.shared.invalidateAndCancel()
    #expect(try await URLSession.shared.data(from: server.url()).0 == Data("still".utf8))
  }

  @Test func `releasing a session closes its connections`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    do {
      let session = URLSession.forTest()
      _ = try await session.data(from: server.url())
      #expect(server.openConnectionCount == 1)
    }
    #expect(await eventually { server.openConnectionCount == 0 })
  }

  @Test func flushAndResetCallBack() async throws {
    let session = URLSession.forTest()
    let (flushed, reset) = (Gate(), Gate())
    session.flush { flushed.open() }
    session.reset { reset.open() }
    #expect(await flushed.wait(within: .seconds(90)))
    #expect(await reset.wait(within: .seconds(90)))
  }

  @Test func changingAConfigurationAfterwardsHasNoEffect() async throws {
    let server = try ScriptedServer.http { Reply(text: $0["X-A"] ?? "none") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-A": "before"]
    let session = URLSession(configuration: configuration)
    configuration.httpAdditionalHeaders = ["X-A": "after"]
    #expect(try await session.data(from: server.url()).0 == Data("before".utf8))
    session.configuration.httpAdditionalHeaders = nil
    #expect(try await session.data(from: server.url()).0 == Data("before".utf8))
  }
}
#endif
