import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// The order in which receivers are called, on any thread.
@Suite(.timeLimit(.minutes(5))) struct WebSocketOrderTests {
  /// What receivers received, in the order of their calls.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    func add(_ number: Int, _ received: WebSocketConnection.Received) {
      let text =
        switch received {
        case .success(let message): "\(number) \(String(decoding: message.bytes, as: UTF8.self))"
        case .failure: "\(number) ended"
        }
      lines.withLock { $0.append(text) }
    }

    func addEnd() { lines.withLock { $0.append("end") } }
  }

  @Test func `a receiver that finds a message is called after those before it`() async throws {
    let connection = try WebSocketConnection.opened()
    let log = Log()
    let (isCalled, mayGoOn) = (Gate(), Gate())
    connection.receive { received in
      log.add(0, received)
      isCalled.open()
      mayGoOn.waitBlocking()
    }
    connection.receive { log.add(1, $0) }
    let bytes = ["a", "b", "c"].flatMap { TestFrame.text($0).bytes }
    async let delivery: Void = runOnThread { _ = bytes.withUnsafeBytes { connection.received($0) } }
    await isCalled.wait()
    // The second receiver has its message by now, and was not called yet.
    connection.receive { log.add(2, $0) }
    mayGoOn.open()
    await delivery
    #expect(log.all == ["0 a", "1 b", "2 c"])
  }

  @Test func `the end is reported after all receivers were called`() async throws {
    let connection = try WebSocketConnection.opened()
    let log = Log()
    let (isCalled, mayGoOn) = (Gate(), Gate())
    connection.receive { received in
      log.add(0, received)
      isCalled.open()
      mayGoOn.waitBlocking()
    }
    connection.receive { log.add(1, $0) }
    connection.receive { log.add(2, $0) }
    let bytes = ["a", "b"].flatMap { TestFrame.text($0).bytes }
    async let delivery: Void = runOnThread { _ = bytes.withUnsafeBytes { connection.received($0) } }
    await isCalled.wait()
    connection.finish(URLError(.networkConnectionLost), url: nil) { _ in log.addEnd() }
    #expect(log.all == ["0 a"])
    mayGoOn.open()
    await delivery
    #expect(log.all == ["0 a", "1 b", "2 ended", "end"])
  }
}
