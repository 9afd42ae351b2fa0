#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// Loads that begin at a date.
@Suite(.timeLimit(.minutes(5))) struct TaskDelayTests {
  /// A time of day that the test moves.
  private final class ManualTime: Sendable {
    let clock = ManualClock()
    private let shift = Mutex<TimeInterval>(0)
    static let start = Date(timeIntervalSince1970: 1_000_000)

    var wallClock: WallClock {
      WallClock(
        now: { [self] in
          let seconds = clock.now.offset / .seconds(1)
          return Self.start.addingTimeInterval(seconds + shift.withLock { $0 })
        },
        sleep: { [clock] in try await clock.sleep(until: clock.now.advanced(by: $0)) })
    }

    /// Changes the system's time, while the same time passes.
    func change(by seconds: TimeInterval) { shift.withLock { $0 += seconds } }
  }

  private final class Delegate: NSObject, URLSessionDataDelegate {
    typealias Answer = (URLSession.DelayedRequestDisposition, URLRequest?)

    let log = Log<String>()
    let completed = Gate()
    let error = Mutex<(any Error)?>(nil)
    private let answer: @Sendable (URLRequest) -> Answer

    init(_ answer: @escaping @Sendable (URLRequest) -> Answer = { _ in (.continueLoading, nil) }) {
      self.answer = answer
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
      log.add("begin \(request.url?.path ?? "")")
      let (disposition, other) = answer(request)
      completionHandler(disposition, other)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      log.add("completed")
      self.error.withLock { $0 = error }
      completed.open()
    }
  }

  private let time = ManualTime()

  private func session(_ delegate: (any URLSessionDelegate)?) -> URLSession {
    URLSession.forTest(delegate: delegate) { $0.wallClock = time.wallClock }
  }

  private func delayed(_ session: URLSession, _ url: URL, by seconds: TimeInterval = 100)
    -> URLSessionDataTask
  {
    let task = session.dataTask(with: url)
    task.earliestBeginDate = ManualTime.start.addingTimeInterval(seconds)
    return task
  }

  /// Lets the load begin: the timer sleeps for at most a minute at a time.
  private func passTime(_ seconds: Int) async {
    for _ in 0..<seconds / 10 {
      _ = await time.clock.waitForSleepers(1)
      time.clock.advance(by: .seconds(10))
    }
  }

  @Test func `a load begins at its date, after the delegate was asked`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = Delegate()
    let task = delayed(session(delegate), server.url("/later"))
    task.resume()
    #expect(task.state == .running)
    await passTime(90)
    #expect(delegate.log.all.isEmpty && server.connectionCount == 0)
    await passTime(10)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["begin /later", "completed"])
    #expect(server.requests.map(\.target) == ["/later"])
  }

  @Test func `the delegate replaces the request`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let other = URLRequest(url: server.url("/other"))
    let delegate = Delegate { _ in (.useNewRequest, other) }
    let task = delayed(session(delegate), server.url("/old"))
    task.resume()
    await passTime(100)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(server.requests.map(\.target) == ["/other"])
    #expect(task.originalRequest?.url?.path == "/old" && task.currentRequest?.url?.path == "/other")
  }

  @Test func `the delegate cancels the load`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = Delegate { _ in (.cancel, nil) }
    delayed(session(delegate), server.url()).resume()
    await passTime(100)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .cancelled)
    #expect(server.connectionCount == 0)
  }

  @Test func `a load without a delegate begins at its date`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let done = Gate()
    let task = session(nil).dataTask(with: server.url()) { data, _, _ in
      #expect(data == Data("hello".utf8))
      done.open()
    }
    task.earliestBeginDate = ManualTime.start.addingTimeInterval(10)
    task.resume()
    await passTime(10)
    #expect(await done.wait(within: .seconds(90)))
  }

  @Test func `a date in the past has no effect`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = Delegate()
    delayed(session(delegate), server.url(), by: -1).resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["completed"])
  }

  @Test func `a load that waits is cancelled immediately`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = Delegate()
    let task = delayed(session(delegate), server.url())
    task.resume()
    _ = await time.clock.waitForSleepers(1)
    task.cancel()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .cancelled)
    #expect(await eventually { time.clock.sleeperCount == 0 })
  }

  @Test func `a suspended load begins when it is resumed after its date`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = Delegate()
    let task = delayed(session(delegate), server.url())
    task.resume()
    task.suspend()
    await passTime(100)
    #expect(await eventually { delegate.log.all == ["begin /"] })
    #expect(server.requests.isEmpty)
    task.resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["begin /", "completed"])
  }

  @Test func `a change of the system's time is noticed within a minute`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = Delegate()
    delayed(session(delegate), server.url(), by: 86_400).resume()
    _ = await time.clock.waitForSleepers(1)
    time.change(by: 86_400)
    time.clock.advance(by: .seconds(BeginTimer.maximumSleep))
    #expect(await delegate.completed.wait(within: .seconds(90)))
  }

  @Test func `an async load waits too`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    final class Setter: NSObject, URLSessionTaskDelegate {
      func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        task.earliestBeginDate = ManualTime.start.addingTimeInterval(30)
      }
    }
    async let load = session(nil).data(from: server.url(), delegate: Setter())
    await passTime(30)
    #expect(try await load.0 == Data("hello".utf8))
  }
}
#endif
