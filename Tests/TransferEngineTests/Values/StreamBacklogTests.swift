import TestSupport
import Testing

@testable import TransferEngine

struct StreamBacklogTests {
  private static func arrive(_ backlog: inout StreamBacklog, _ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { backlog.arrived($0) }
  }

  @Test func `bytes that fit pass through, followed by the end`() {
    var backlog = StreamBacklog(room: 100)
    let passed = Self.arrive(&backlog, Array(repeating: 1, count: 100))
    #expect(passed == 100)
    #expect(backlog.isEmpty)
    let waits = backlog.closed(0)
    #expect(!waits)
  }

  @Test func `bytes that do not fit wait until libcurl has delivered its own`() {
    var backlog = StreamBacklog(room: 60)
    let passed = Self.arrive(&backlog, Array(0..<80))
    #expect(passed == 60)
    let waits = backlog.closed(8)
    #expect(waits)
    var given: [UInt8] = []
    var ends: [UInt32] = []
    func give() -> Bool { backlog.give(bytes: { given += $0 }, end: { ends.append($0) }) }
    #expect(!give())
    backlog.handedOver(40)
    #expect(give())
    #expect(given == Array(60..<80))
    #expect(ends == [8])
    #expect(backlog.isEmpty)
    #expect(!give())
  }

  @Test func `the rest of a complete body can be delivered without libcurl`() {
    var backlog = StreamBacklog(room: 4)
    for _ in 0..<10 { _ = Self.arrive(&backlog, [1, 2, 3]) }
    backlog.handedOver(4)
    _ = backlog.give(bytes: { _ in }, end: { _ in })
    let waits = backlog.closed(0)
    #expect(waits)
    let early = backlog.takeRest()
    #expect(early == nil, "libcurl still has earlier bytes")
    backlog.handedOver(4)
    let rest = backlog.takeRest()
    #expect(rest?.flatMap { $0 } == (8..<30).map { [1, 2, 3][$0 % 3] })
    #expect(backlog.isEmpty)
  }

  @Test func `the rest of an incomplete body is not delivered`() {
    var backlog = StreamBacklog(room: 1)
    _ = Self.arrive(&backlog, [1, 2, 3])
    backlog.handedOver(1)
    let open = backlog.takeRest()
    #expect(open == nil)
    _ = backlog.closed(2)
    let cut = backlog.takeRest()
    #expect(cut == nil)
  }

  @Test func `a libcurl without a limit gets everything`() {
    var backlog = StreamBacklog(room: nil)
    let passed = Self.arrive(&backlog, Array(repeating: 1, count: 5_000_000))
    #expect(passed == 5_000_000)
    #expect(backlog.isEmpty)
  }

  /// Simulates a libcurl with a buffer that it delivers completely at random moments. It never gets more than fits. It
  /// gets every byte once and in order, and then the end.
  @Test(arguments: 0..<50) func `every byte arrives in order, and then the end`(seed: UInt64) {
    var random = SeededRandom(seed)
    let room = Int.random(in: 1...300, using: &random)
    var backlog = StreamBacklog(room: room)
    var buffer = 0
    var next: UInt8 = 0
    var received: [UInt8] = []
    var expected: [UInt8] = []
    var end: UInt32?
    var isClosed = false

    func take(_ bytes: some Sequence<UInt8>) {
      #expect(end == nil)
      let bytes = Array(bytes)
      received += bytes
      buffer += bytes.count
      #expect(buffer <= room)
    }
    for _ in 0..<20_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4 where !isClosed:
        let bytes = (0..<Int.random(in: 1...200, using: &random)).map { _ -> UInt8 in
          next &+= 1
          return next
        }
        expected += bytes
        take(bytes.prefix(Self.arrive(&backlog, bytes)))
      case 4..<7:
        backlog.handedOver(buffer)
        buffer = 0
      case 7..<9:
        _ = backlog.give(bytes: { take($0) }, end: { end = $0 })
      case 9 where !isClosed && Int.random(in: 0..<500, using: &random) == 0:
        isClosed = true
        if !backlog.closed(3) { end = 3 }
      default: break
      }
    }
    if !isClosed, !backlog.closed(3) { end = 3 }
    while end == nil {
      backlog.handedOver(buffer)
      buffer = 0
      guard backlog.give(bytes: { take($0) }, end: { end = $0 }) else { break }
    }
    #expect(end == 3)
    #expect(received == expected)
    #expect(backlog.isEmpty)
  }
}
