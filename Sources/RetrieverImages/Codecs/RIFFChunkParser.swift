/// Follows the chunks of a WebP file that arrives in pieces.
///
/// An ANMF chunk is one frame of an animation. The parser reports the chunks inside it like those outside; of the ANMF
/// chunk itself, it reports only the first 16 bytes.
struct RIFFChunkParser {
  /// A part of the file.
  enum Event {
    /// The header of a chunk: its name and 8 bytes, as stored.
    case chunk(name: String, head: [UInt8])
    case payload(UnsafeRawBufferPointer)
    case end
  }

  private enum Part { case signature, head, payload }

  static let frameHeadSize = 16

  private var part = Part.signature
  private var held: [UInt8] = []
  /// The number of bytes that remain of the file, according to its RIFF header.
  private var left = Int.max
  private var payload = 0
  private var padding = 0

  /// Consumes bytes from the front, and returns the event that they make; nil if there are too few bytes.
  mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Event? {
    while !bytes.isEmpty {
      switch part {
      case .signature:
        guard hold(12, of: &bytes) else { return nil }
        // The size field counts the bytes after it; 4 of these ("WEBP") have been read already.
        left = max(number(at: 4) - 4, 0)
        held = []
        part = .head
      case .head:
        if padding > 0 {
          padding -= 1
          drop(1, of: &bytes)
          continue
        }
        guard left > 0 else {
          drop(bytes.count, of: &bytes)
          return nil
        }
        guard hold(8, of: &bytes) else { return nil }
        return startChunk()
      case .payload:
        if payload == 0 {
          part = .head
          return .end
        }
        let count = min(payload, bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        drop(count, of: &bytes)
        payload -= count
        return .payload(piece)
      }
    }
    // Report the end of a chunk with its last byte, not with the first byte of the next chunk.
    guard part == .payload, payload == 0 else { return nil }
    part = .head
    return .end
  }

  private mutating func startChunk() -> Event {
    let head = held
    let name = String(decoding: head.prefix(4), as: UTF8.self)
    let size = number(at: 4)
    held = []
    let isFrame = name == "ANMF"
    payload = isFrame ? min(size, Self.frameHeadSize) : size
    padding = isFrame ? 0 : size & 1
    left = max(left - 8 - payload - padding, 0)
    part = .payload
    return .chunk(name: name, head: head)
  }

  /// Returns true if `count` bytes have been collected.
  private mutating func hold(_ count: Int, of bytes: inout UnsafeRawBufferPointer) -> Bool {
    let missing = min(count - held.count, bytes.count)
    held.append(contentsOf: bytes.prefix(missing))
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing))
    return held.count == count
  }

  private func drop(_ count: Int, of bytes: inout UnsafeRawBufferPointer) {
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
  }

  private func number(at index: Int) -> Int {
    Int(held[index]) | Int(held[index + 1]) << 8 | Int(held[index + 2]) << 16 | Int(held[index + 3]) << 24
  }
}
