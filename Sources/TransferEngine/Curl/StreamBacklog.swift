/// The bytes of one HTTP/2 response's body on their way through libcurl, and those that it has no room for. Pure.
///
/// libcurl before 8.0 has one buffer for each stream. When it is full, libcurl reads nothing more of the whole connection;
/// and if an upload on that connection ends just then, the bytes that did not fit are lost or replaced by others. So
/// libcurl never gets more than fits. The rest is kept here, and the stream's end behind it.
struct StreamBacklog {
  private let room: Int
  /// How many bytes libcurl was given and has not handed over.
  private var inside = 0
  /// In the pieces they came in: one growing array would take twice the memory.
  private var kept: [[UInt8]] = []
  /// How many of the pieces, and of the bytes of the one behind them, libcurl has been given.
  private var givenPieces = 0
  private var givenBytes = 0
  private var keptEnd: UInt32?

  /// Small pieces are put together up to this size: a server may send a byte at a time.
  private static let pieceSize = 16 << 10

  /// - Parameter room: How many bytes of a body fit into libcurl's buffer; nil when it needs no help.
  init(room: Int?) { self.room = room ?? .max }

  /// Nothing waits for room.
  var isEmpty: Bool { givenPieces == kept.count && keptEnd == nil }

  /// Bytes have come. Answers how many of them libcurl gets; the rest is kept.
  mutating func arrived(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = isEmpty ? min(bytes.count, max(0, room - inside)) : 0
    inside += count
    if count < bytes.count { keep(UnsafeRawBufferPointer(rebasing: bytes[count...])) }
    return count
  }

  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    if let last = kept.last, last.count + bytes.count <= Self.pieceSize, givenPieces < kept.count {
      kept[kept.count - 1] += bytes
    } else {
      kept.append(Array(bytes))
    }
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

  /// What libcurl is never going to get: the last bytes of a body whose end is known to be right, and the end itself. Nil
  /// when it is not, or when libcurl still has bytes before them.
  mutating func takeRest() -> [[UInt8]]? {
    guard keptEnd == 0, inside == 0 else { return nil }
    defer { self = StreamBacklog(room: room) }
    var rest = Array(kept[givenPieces...])
    if givenBytes > 0, !rest.isEmpty { rest[0].removeFirst(givenBytes) }
    return rest
  }
}
