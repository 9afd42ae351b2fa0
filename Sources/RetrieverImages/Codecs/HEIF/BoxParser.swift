/// Follows the boxes at the top level of a HEIF file that arrives in pieces, and collects the `meta` box, which
/// describes the images.
struct BoxParser {
  private enum Part {
    case head
    /// The content of the `meta` box, of which this many bytes are missing.
    case meta(missing: UInt64)
    /// The content of another box.
    case skipped(UInt64)
    /// No more boxes are of interest.
    case done
  }

  /// True if the file contains a sequence of images, or a film.
  private(set) var hasMovie = false
  private var part = Part.head
  private var head: [UInt8] = []
  /// The content of the `meta` box so far.
  private var collected: [UInt8] = []
  private let maximumMetaSize: UInt64

  /// - Parameter maximumMetaSize: The maximum size of the `meta` box in bytes.
  init(maximumMetaSize: Int) { self.maximumMetaSize = UInt64(clamping: maximumMetaSize) }

  /// Reads the next bytes of the file. Returns the content of the `meta` box when it is complete.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> [UInt8]? {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch part {
      case .done: return nil
      case .skipped(let left):
        let count = Int(min(left, UInt64(rest.count)))
        rest = rest.dropFirst(count)
        part = left == UInt64(count) ? .head : .skipped(left - UInt64(count))
      case .meta(let missing):
        let count = Int(min(missing, UInt64(rest.count)))
        // The size of the last box in a file need not be stated.
        try checkMetaSize(UInt64(collected.count + count), isExact: false)
        collected.append(contentsOf: rest.prefix(count))
        rest = rest.dropFirst(count)
        part = .meta(missing: missing - UInt64(count))
        if missing == UInt64(count) { return complete() }
      case .head:
        head.append(rest.removeFirst())
        try readHead()
        if case .meta(missing: 0) = part { return complete() }
      }
    }
    return nil
  }

  /// Ends the file. Returns the `meta` box if it is the last box, and its size is not known.
  mutating func finish() -> [UInt8]? {
    guard case .meta(let missing) = part, missing == .max - UInt64(collected.count) else { return nil }
    return complete()
  }

  private mutating func complete() -> [UInt8] {
    part = .done
    defer { collected = [] }
    return collected
  }

  /// Starts a box if its head is complete.
  private mutating func readHead() throws(ImageError) {
    guard head.count >= 8 else { return }
    var size = number(0..<4)
    guard size != 1 || head.count == 16 else { return }
    if size == 1 { size = number(8..<16) }
    let type = FourCharacterCode(UInt32(truncatingIfNeeded: number(4..<8)))
    guard size == 0 || size >= UInt64(head.count) else {
      throw ImageError(.corrupt, "The image is damaged: the size of its \(type) box is invalid.")
    }
    let content = size == 0 ? .max : size - UInt64(head.count)
    head = []
    guard type == "meta" else {
      if type == "moov" { hasMovie = true }
      part = content == 0 ? .head : .skipped(content)
      return
    }
    if size != 0 { try checkMetaSize(content, isExact: true) }
    part = .meta(missing: content)
  }

  private func checkMetaSize(_ size: UInt64, isExact: Bool) throws(ImageError) {
    guard size > maximumMetaSize else { return }
    let count = isExact ? "\(size)" : "at least \(size)"
    throw ImageError(
      .tooLarge, "The description of the image has \(count) bytes; the maximum is \(maximumMetaSize) bytes.")
  }

  private func number(_ range: Range<Int>) -> UInt64 { head[range].reduce(0) { $0 << 8 | UInt64($1) } }
}
