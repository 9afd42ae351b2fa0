/// The bytes of one HTTP/2 response's body that are inside libcurl, and those that libcurl has no room for.
///
/// It has no side effects. libcurl before 8.0 has one buffer for each stream. When it is full, libcurl stops reading
/// from the connection. If an upload on that connection ends at that moment, the bytes that did not fit are lost or
/// replaced by others. Therefore libcurl never gets more than fits. The backlog keeps the rest, followed by the end of
/// the stream.
struct StreamBacklog {
  private let room: Int
  /// The number of bytes that libcurl has received and not yet delivered.
  private var inside = 0
  /// Kept as separate pieces: one growing array would take twice the memory.
  private var kept: [[UInt8]] = []
  /// The number of pieces given to libcurl, and the number of bytes given of the next piece.
  private var givenPieces = 0
  private var givenBytes = 0
  private var keptEnd: UInt32?

  /// Small pieces are merged up to this size, because a server may send single bytes.
  private static let pieceSize = 16 << 10

  /// - Parameter room: The number of body bytes that fit into libcurl's buffer; nil if libcurl needs no limit.
  init(room: Int?) { self.room = room ?? .max }

  /// Whether nothing waits for room.
  var isEmpty: Bool { givenPieces == kept.count && keptEnd == nil }

  /// Records that bytes have arrived. Returns how many of them libcurl gets; the backlog keeps the rest.
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

  /// Records that the stream was closed. Returns true if the end has to wait for kept bytes.
  mutating func closed(_ code: UInt32) -> Bool {
    guard !isEmpty else { return false }
    keptEnd = code
    return true
  }

  /// Records that libcurl has delivered bytes.
  mutating func handedOver(_ count: Int) { inside = max(0, inside - count) }

  /// Gives libcurl as much as it has room for, and the end after the last byte. Returns false if it cannot take
  /// anything now.
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

  /// Returns the data that libcurl will never get: the last bytes of a body that is known to be complete. Nil if it is
  /// not known to be complete, or if libcurl still has earlier bytes.
  mutating func takeRest() -> [[UInt8]]? {
    guard keptEnd == 0, inside == 0 else { return nil }
    defer { self = StreamBacklog(room: room) }
    var rest = Array(kept[givenPieces...])
    if givenBytes > 0, !rest.isEmpty { rest[0].removeFirst(givenBytes) }
    return rest
  }
}
