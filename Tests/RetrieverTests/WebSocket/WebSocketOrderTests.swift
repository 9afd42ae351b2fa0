#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The order in which receivers are called, on any thread.
@Suite(.timeLimit(.minutes(5))) struct WebSocketOrderTests {
  private let log = Log<String>()
  private let connection: WebSocketConnection

  init() throws { connection = try WebSocketConnection.opened() }

  private func receive(_ number: Int, then work: @escaping @Sendable () -> Void = {}) {
    connection.receive { [log] received in
      switch received {
      case .success(let message): log.add("\(number) \(String(decoding: message.bytes, as: UTF8.self))")
      case .failure: log.add("\(number) ended")
      }
      work()
    }
  }

  /// Lets messages arrive, and does something while the first receiver is called.
  private func deliver(_ texts: [String], duringFirst work: () -> Void) async {
    let (isCalled, mayGoOn) = (Gate(), Gate())
    receive(0) {
      isCalled.open()
      mayGoOn.waitBlocking()
    }
    receive(1)
    let bytes = texts.flatMap { TestFrame.text($0).bytes }
    async let delivery: Void = runOnThread { [connection] in
      _ = bytes.withUnsafeBytes { connection.received($0) }
    }
    await isCalled.wait()
    // The second receiver has its message by now, and was not called yet.
    work()
    #expect(log.all == ["0 a"])
    mayGoOn.open()
    await delivery
  }

  @Test func `a receiver that finds a message is called after those before it`() async {
    await deliver(["a", "b", "c"]) { receive(2) }
    #expect(log.all == ["0 a", "1 b", "2 c"])
  }

  @Test func `the end is reported after all receivers were called`() async {
    await deliver(["a", "b"]) {
      receive(2)
      connection.finish(URLError(.networkConnectionLost), url: nil) { [log] _ in log.add("end") }
    }
    #expect(log.all == ["0 a", "1 b", "2 ended", "end"])
  }
}
#endif
