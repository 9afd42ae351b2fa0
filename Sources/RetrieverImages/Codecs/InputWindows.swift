/// Input that a reader gets in pieces that always end at the same positions, for any pieces that arrive.
///
/// libjpeg-turbo has a faster decoder for pixels, which it uses only while many bytes are available, and which treats
/// damaged data differently. Each piece doubles the input so far, within limits, so that the first rows of an image are
/// decoded early.
struct InputWindows {
  /// The bytes that the reader has not consumed.
  private(set) var held: [UInt8] = []
  private var position = 0
  private var end = Self.minimumSize

  private static let minimumSize = 512
  private static let maximumSize = 64 << 10

  /// Moves bytes from the front of the input to the current window. Returns the number of bytes that it still needs.
  mutating func add(_ input: inout Slice<UnsafeRawBufferPointer>) -> Int {
    let count = min(input.count, end - position)
    held.append(contentsOf: input.prefix(count))
    input = input.dropFirst(count)
    position += count
    guard position == end else { return end - position }
    end += min(max(position, Self.minimumSize), Self.maximumSize)
    return 0
  }

  /// Removes bytes that the reader has consumed.
  mutating func drop(_ count: Int) { held.removeFirst(min(count, held.count)) }
}
