/// Follows the chunks of a WebP file that comes in pieces.
///
/// The chunks inside an ANMF chunk, which is one frame of an animation, look like those outside: of the ANMF chunk
/// itself there are only its first 16 bytes.
struct RIFFWalker {
  /// A part of the file.
  enum Event {
    /// The head of a chunk: its name and 8 bytes, as stored.
    case chunk(name: String, head: [UInt8])
    case payload(UnsafeRawBufferPointer)
    case end
  }

  private enum Part { case mark, head, payload }

  static let frameHeadSize = 16

  private var part = Part.mark
  private var held: [UInt8] = []
  /// What is left of the file as its mark states it.
  private var left = Int.max
  private var payload = 0
  private var padding = 0

  /// Takes bytes off the front, and says what they are; nil when there are too few to say anything.
  mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Event? {
    while !bytes.isEmpty {
      switch part {
      case .mark:
        guard hold(12, of: &bytes) else { return nil }
        // The size counts from after itself.
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
    // The end of a chunk is told with its last byte, not with the next one's first.
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

  /// True when `count` bytes are held.
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
