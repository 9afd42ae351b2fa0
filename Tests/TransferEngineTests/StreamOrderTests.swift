import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// The order in which the readers of a stream are called, on any thread.
@Suite(.timeLimit(.minutes(5))) struct StreamOrderTests {
  @Test func `a reader that finds bytes is called after those before it`() async {
    let connection = StreamConnection()
    connection.openBody()
    let log = Mutex<[String]>([])
    let (isCalled, mayGoOn) = (Gate(), Gate())
    let read = { @Sendable (number: Int, gates: Bool) in
      _ = connection.read(minimum: 1, maximum: 1, timeout: nil) { received in
        let bytes = (try? received.get().bytes) ?? []
        log.withLock { $0.append("\(number) \(String(decoding: bytes, as: UTF8.self))") }
        guard gates else { return }
        isCalled.open()
        mayGoOn.waitBlocking()
      }
    }
    read(0, true)
    read(1, false)
    async let delivery: Void = runOnThread {
      _ = Array("abc".utf8).withUnsafeBytes { connection.receivedBody($0) }
    }
    await isCalled.wait()
    // The second reader has its byte by now, and was not called yet.
    read(2, false)
    mayGoOn.open()
    await delivery
    #expect(log.withLock { $0 } == ["0 a", "1 b", "2 c"])
    connection.end(.streamCutOff)
  }
}
