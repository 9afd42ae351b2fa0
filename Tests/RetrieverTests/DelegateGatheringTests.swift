import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

/// Delegates that prefer the body in one call.
@Suite(.timeLimit(.minutes(5))) struct DelegateGatheringTests {
  /// Keeps the size of each call.
  private final class SizesDelegate: NSObject, URLSessionDataDelegate {
    let ended = Gate()
    let body = Mutex(Data())
    let sizes = Mutex<[Int]>([])

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      body.withLock { $0.append(data) }
      sizes.withLock { $0.append(data.count) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      ended.open()
    }
  }

  private func start(
    _ server: ScriptedServer, prefersIncrementalDelivery: Bool
  ) -> (URLSessionDataTask, SizesDelegate) {
    let delegate = SizesDelegate()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let task = session.dataTask(with: server.url())
    #expect(task.prefersIncrementalDelivery)
    task.prefersIncrementalDelivery = prefersIncrementalDelivery
    task.resume()
    session.finishTasksAndInvalidate()
    return (task, delegate)
  }

  /// Loads a body of two parts. The second is sent when the first has arrived.
  private func load(prefersIncrementalDelivery: Bool) async throws -> SizesDelegate {
    let release = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none"), .waitFor(release), .send("two"),
    ])
    let (task, delegate) = start(server, prefersIncrementalDelivery: prefersIncrementalDelivery)
    #expect(await eventually(within: .seconds(60)) { task.countOfBytesReceived == 3 })
    if prefersIncrementalDelivery {
      #expect(await eventually(within: .seconds(60)) { delegate.sizes.withLock { $0 } == [3] })
    }
    release.open()
    await delegate.ended.wait()
    #expect(delegate.body.withLock { $0 } == Data("onetwo".utf8))
    return delegate
  }

  @Test func `a body arrives in parts`() async throws {
    #expect(try await load(prefersIncrementalDelivery: true).sizes.withLock { $0 } == [3, 3])
  }

  @Test func `a short body arrives in one call if the task prefers it`() async throws {
    #expect(try await load(prefersIncrementalDelivery: false).sizes.withLock { $0 } == [6])
  }

  @Test func `a long body arrives in a few calls, and memory is limited`() async throws {
    let body = Data((0..<3_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let server = try ScriptedServer.http { _ in Reply(body: body) }
    let (_, delegate) = start(server, prefersIncrementalDelivery: false)
    await delegate.ended.wait()
    #expect(delegate.body.withLock { $0 } == body)
    let sizes = delegate.sizes.withLock { $0 }
    #expect(sizes.count == 4 && sizes.allSatisfy { $0 < 2 << 20 })
    #expect(sizes.dropLast().allSatisfy { $0 >= 1 << 20 })
  }

  /// Keeps the names of its calls.
  private final class OrderDelegate: NSObject, URLSessionDataDelegate {
    let ended = Gate()
    let calls = Mutex<[String]>([])

    private func note(_ call: String) { calls.withLock { $0.append(call) } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      note("data")
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposed: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      note("willCache")
      completionHandler(proposed)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      note("completed")
      ended.open()
    }
  }

  @Test func `the complete body arrives before the question whether to cache it`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("Cache-Control", "max-age=60")], text: "body")
    }
    let delegate = OrderDelegate()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let task = session.dataTask(with: server.url())
    task.prefersIncrementalDelivery = false
    task.resume()
    await delegate.ended.wait()
    #expect(delegate.calls.withLock { $0 } == ["data", "willCache", "completed"])
    session.finishTasksAndInvalidate()
  }

  @Test func `bytes that arrived before an error are delivered`() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none"), .close,
    ])
    let (task, delegate) = start(server, prefersIncrementalDelivery: false)
    await delegate.ended.wait()
    #expect(delegate.sizes.withLock { $0 } == [3])
    #expect((task.error as? URLError)?.code == .networkConnectionLost)
  }
}
