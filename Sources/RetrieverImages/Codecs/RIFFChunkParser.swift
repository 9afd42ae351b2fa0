/// Follows the chunks of a WebP file that arrives in pieces.
///
/// An ANMF chunk is one frame of an animation. The parser reports the chunks inside it one by one; of the ANMF chunk
/// itself, it reports only the first 16 bytes.
struct RIFFChunkParser {
  /// A part of the file.
  enum Event {
    /// The header of a chunk: its name and 8 bytes, as stored.
    case chunk(name: String, head: [UInt8], isInFrame: Bool)
    case payload(UnsafeRawBufferPointer)
    case end
    /// The end of a frame, after its last chunk.
    case endOfFrame
  }

  private enum Part { case signature, head, payload }

  static let frameHeadSize = 16
  private static let chunkHeadSize = 8

  private var part = Part.signature
  private var held: [UInt8] = []
  /// The number of bytes that remain of the file, according to its RIFF header.
  private var left = Int.max
  private var payload = 0
  /// The number of bytes to skip before the next chunk.
  private var padding = 0
  /// The number of bytes that remain of the current frame after the current chunk; nil outside of frames.
  private var frameLeft: Int?

  /// Consumes bytes from the front, and returns the event that they make; nil if there are too few bytes.
  mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Event? {
    while true {
      // The end of a chunk is reported with its last byte, not with the first byte of the next chunk.
      if let end = takeEnd() { return end }
      guard !bytes.isEmpty else { return nil }
      switch part {
      case .signature:
        guard hold(12, of: &bytes) else { return nil }
        // The size field counts the bytes after it; 4 of these ("WEBP") have been read already.
        left = max(number(at: 4) - 4, 0)
        held = []
        part = .head
      case .head:
        if padding > 0 {
          padding -= drop(padding, of: &bytes)
          continue
        }
        guard left > 0 else {
          drop(bytes.count, of: &bytes)
          return nil
        }
        guard hold(Self.chunkHeadSize, of: &bytes) else { return nil }
        return startChunk()
      case .payload:
        let count = min(payload, bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        drop(count, of: &bytes)
        payload -= count
        return .payload(piece)
      }
    }
  }

  /// Returns the end of the current chunk or frame if all its bytes have been read.
  private mutating func takeEnd() -> Event? {
    switch part {
    case .payload where payload == 0:
      part = .head
      return .end
    case .head:
      guard held.isEmpty, let rest = frameLeft, rest < Self.chunkHeadSize else { return nil }
      frameLeft = nil
      padding += rest
      left = max(left - rest, 0)
      return .endOfFrame
    default: return nil
    }
  }

  private mutating func startChunk() -> Event {
    let head = held
    let name = String(decoding: head.prefix(4), as: UTF8.self)
    let size = number(at: 4)
    held = []
    part = .payload
    let isInFrame = frameLeft != nil
    if name == "ANMF", !isInFrame {
      payload = min(size, Self.frameHeadSize)
      padding = 0
      frameLeft = size - payload + (size & 1)
    } else {
      payload = size
      padding = size & 1
      // A chunk that extends beyond the end of its frame is read nevertheless.
      frameLeft = frameLeft.map { max($0 - Self.chunkHeadSize - size - padding, 0) }
    }
    left = max(left - Self.chunkHeadSize - payload - padding, 0)
    return .chunk(name: name, head: head, isInFrame: isInFrame)
  }

  /// Returns true if `count` bytes have been collected.
  private mutating func hold(_ count: Int, of bytes: inout UnsafeRawBufferPointer) -> Bool {
    let missing = min(count - held.count, bytes.count)
    held.append(contentsOf: bytes.prefix(missing))
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing))
    return held.count == count
  }

  /// Skips bytes, as many as there are, and returns their number.
  @discardableResult
  private func drop(_ count: Int, of bytes: inout UnsafeRawBufferPointer) -> Int {
    let dropped = min(count, bytes.count)
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(dropped))
    return dropped
  }

  private func number(at index: Int) -> Int {
    Int(held[index]) | Int(held[index + 1]) << 8 | Int(held[index + 2]) << 16 | Int(held[index + 3]) << 24
  }
}
