/// Bytes that are added at the end and taken from the start.
struct ByteQueue: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ other: UnsafeRawBufferPointer) { bytes.append(contentsOf: other) }

  /// Takes at most `maximum` bytes.
  mutating func take(_ maximum: Int) -> [UInt8] {
    let taken = min(max(0, maximum), count)
    if taken == count, start == 0 {
      defer { bytes = [] }
      return bytes
    }
    let result = Array(bytes[start..<start + taken])
    start += taken
    if start == bytes.count {
      bytes = []
      start = 0
    } else if start > 1 << 16, start > bytes.count / 2 {
      // Moving the rest each time would take quadratic time.
      bytes.removeFirst(start)
      start = 0
    }
    return result
  }
}
