import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct TransferBackPressureTests {
  private static let bodySize = 96 << 20
  /// The maximum amount that the buffers of the two sockets may hold.
  private static let maximumInFlight = 24 << 20

  /// The number of bytes that a server has sent so far.
  private final class SentCount: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add(_ more: Int) { count.wrappingAdd(more, ordering: .relaxed) }
  }

  @Test func `a paused transfer stops reading and resumes without losing a byte`() async throws {
    let sent = SentCount()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.bodySize)\r\n\r\n")
      let piece = [UInt8](repeating: 7, count: 64 << 10)
      for _ in 0..<Self.bodySize / piece.count {
        try connection.send(piece)
        sent.add(piece.count)
      }
    }
    let client = try TransferClient()
    let isPaused = Atomic<Bool>(true)
    let observer = RecordingObserver(
      keepsBody: false, onBytes: { _ in isPaused.load(ordering: .relaxed) ? .pause : .proceed })
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.start()
    #expect(await observer.bytesArrived.wait(within: .seconds(90)))

    #expect(
      await eventually { sent.value == Self.bodySize || ConnectionTable.hasStalledSender(port: server.port) })
    #expect(sent.value < Self.maximumInFlight)
    let received = observer.record.byteCount
    #expect(received < 1 << 20)

    isPaused.store(false, ordering: .relaxed)
    transfer.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil)
    #expect(observer.record.byteCount == Self.bodySize)
  }

  @Test func pausingAfterEachPieceDeliversEveryPiece() async throws {
    let body = [UInt8](Data.pattern(count: 3_000_000))
    let server = try ScriptedServer.http { _ in Reply(body: Data(body)) }
    let client = try TransferClient()
    let box = TransferBox()
    // Resumes inside the callback that pauses. The resume must not be lost, although it comes before the pause.
    let observer = RecordingObserver(onBytes: { _ in
      box.transfer?.resumeReceiving()
      return .pause
    })
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    box.set(transfer)
    transfer.start()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(difference(observer.record.body, body) == nil)
    box.set(nil)
  }

  @Test func pausingAtTheHeadKeepsTheBody() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "kept") }
    let client = try TransferClient()
    let observer = RecordingObserver(onHead: { _ in .pause })
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.start()
    #expect(await observer.headArrived.wait(within: .seconds(90)))
    #expect(observer.record.body.isEmpty)
    transfer.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(String(decoding: observer.record.body, as: UTF8.self) == "kept")
  }

  @Test func aPausedTransferDoesNotHoldUpAnother() async throws {
    let server = try ScriptedServer.http { request in
      Reply(body: Data(count: request.target == "/big" ? 8 << 20 : 10))
    }
    let client = try TransferClient()
    let observer = RecordingObserver(keepsBody: false, onBytes: { _ in .pause })
    let transfer = client.makeTransfer(TransferRequest(url: server.address("/big")), observer: observer)
    transfer.start()
    #expect(await observer.bytesArrived.wait(within: .seconds(90)))
    for _ in 0..<10 {
      #expect(try await client.run(TransferRequest(url: server.address("/small"))).body.count == 10)
    }
    transfer.cancel()
    #expect(await observer.ended.wait(within: .seconds(90)))
  }

  @Test func `a waiting body source is read again when it has data`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.text) }
    let client = try TransferClient()
    let source = ScriptedBody(Array("first ".utf8), length: nil, waitsWhenEmpty: true)
    let observer = RecordingObserver()
    var request = TransferRequest(url: server.address())
    request.method = "POST"
    request.body = .source(source)
    request.collectsTimings = true
    client.makeTransfer(request, observer: observer).start()
    #expect(await source.asked.wait(within: .seconds(90)))
    source.supply(Array("second".utf8))
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(String(decoding: observer.record.body, as: UTF8.self) == "first second")
    #expect(observer.record.sent.last == 12)
    #expect(observer.record.sent == observer.record.sent.sorted())
    #expect(source.startCount == 1)
    // The request ends with its body.
    let timings = try #require(observer.record.ends.last?.timings)
    let (start, end) = (try #require(timings.requestStart), try #require(timings.requestEnd))
    #expect(start < end && end <= timings.total)
  }

  /// Holds its transfer while libcurl reads for the second time.
  private final class HoldingBody: TransferBodySource {
    let box = TransferBox()
    let held = Gate()
    let reads = Atomic<Int>(0)
    private let source: ScriptedBody

    init(_ bytes: [UInt8]) { source = ScriptedBody(bytes, length: Int64(bytes.count)) }

    var length: Int64? { source.length }

    func start(moreAvailable: @escaping @Sendable () -> Void) { source.start(moreAvailable: moreAvailable) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
      if reads.wrappingAdd(1, ordering: .relaxed).newValue == 2 {
        box.transfer?.hold()
        held.open()
      }
      return source.read(into: buffer)
    }

    func rewind() -> Bool { source.rewind() }
  }

  /// Waits until another transfer has timed out. One with a shorter time-out would have timed out before.
  private func waitForTimeOut(_ limit: Duration, _ client: TransferClient) async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    var request = TransferRequest(url: server.address())
    request.idleTimeout = limit
    #expect(try await client.run(request).failure?.code == .timedOut)
  }

  @Test func `a transfer that is held sends no more of its body and does not time out`() async throws {
    let server = try ScriptedServer.http { Reply(body: $0.body) }
    let client = try TransferClient()
    let body = [UInt8](Data.pattern(count: 3_000_000))
    let (source, observer) = (HoldingBody(body), RecordingObserver())
    var request = TransferRequest(url: server.address())
    request.method = "POST"
    request.body = .source(source)
    request.idleTimeout = .seconds(1)
    let transfer = client.makeTransfer(request, observer: observer)
    source.box.set(transfer)
    transfer.start()
    #expect(await source.held.wait(within: .seconds(90)))
    try await waitForTimeOut(.seconds(3), client)
    #expect(source.reads.load(ordering: .relaxed) == 2)
    #expect(!observer.ended.isOpen)
    transfer.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil)
    #expect(difference(observer.record.body, body) == nil)
    source.box.set(nil)
  }

  @Test func `a transfer that was paused for longer than its time-out can time out afterwards`() async throws
  {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx"), .hold,
    ])
    let client = try TransferClient()
    let observer = RecordingObserver(onHead: { _ in .pause })
    var request = TransferRequest(url: server.address())
    request.idleTimeout = .seconds(1)
    let transfer = client.makeTransfer(request, observer: observer)
    transfer.start()
    #expect(await observer.headArrived.wait(within: .seconds(90)))
    try await waitForTimeOut(.seconds(3), client)
    #expect(!observer.ended.isOpen)
    transfer.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .timedOut)
  }
}
