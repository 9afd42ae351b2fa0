/// What has come over one HTTP/2 stream and is not through libcurl yet. Pure.
///
/// libcurl before 8.0 has one buffer for each stream. What does not fit into it, it leaves where it stands and reads no
/// other stream of the connection meanwhile; and when a request beside it ends its upload just then, it forgets those
/// bytes, or hands over others. So it never gets more than fits: the rest is kept here, and with it the stream's end.
struct StreamBacklog {
  private let room: Int
  /// The bytes that libcurl was given and has not handed over.
  private var inside = 0
  /// In the pieces it came in: one growing array would take twice the room.
  private var kept: [[UInt8]] = []
  /// How many of the pieces, and of the bytes of the one behind them, libcurl has been given.
  private var givenPieces = 0
  private var givenBytes = 0
  private var keptEnd: UInt32?

  /// - Parameter room: The size of libcurl's buffer; nil when it needs no help.
  init(room: Int?) { self.room = room ?? .max }

  /// Nothing waits for room.
  var isEmpty: Bool { givenPieces == kept.count && keptEnd == nil }

  /// libcurl has a part of the response's head.
  mutating func tookHead(_ count: Int) { inside += count }

  /// Bytes have come. Answers how many of them libcurl gets; the rest is kept.
  mutating func arrived(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = isEmpty ? min(bytes.count, max(0, room - inside)) : 0
    inside += count
    if count < bytes.count { kept.append(Array(bytes.dropFirst(count))) }
    return count
  }

  /// The stream was closed. True when its end waits for its bytes.
  mutating func closed(_ code: UInt32) -> Bool {
    guard !isEmpty else { return false }
    keptEnd = code
    return true
  }

  /// libcurl has handed bytes over.
  mutating func handedOver(_ count: Int) { inside = max(0, inside - count) }

  /// Gives libcurl what there is room for, and the end behind the last byte; false when it can take nothing now.
  mutating func give(bytes: (UnsafeRawBufferPointer) -> Void, end: (UInt32) -> Void) -> Bool {
    var hasGiven = false
    while givenPieces < kept.count, inside < room {
      let count = min(kept[givenPieces].count - givenBytes, room - inside)
      kept[givenPieces].withUnsafeBytes {
        bytes(UnsafeRawBufferPointer(rebasing: $0[givenBytes..<(givenBytes + count)]))
      }
      hasGiven = true
      inside += count
      givenBytes += count
      guard givenBytes == kept[givenPieces].count else { continue }
      kept[givenPieces] = []
      givenPieces += 1
      givenBytes = 0
    }
    guard givenPieces == kept.count else { return hasGiven }
    kept = []
    givenPieces = 0
    if let code = keptEnd {
      keptEnd = nil
      hasGiven = true
      end(code)
    }
    return hasGiven
  }
}
