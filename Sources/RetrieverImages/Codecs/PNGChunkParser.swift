/// Follows the chunks of a PNG that arrives in pieces, and reads those that libpng does not: the orientation, and the colors
/// in a cICP chunk.
struct PNGChunkParser {
  private enum Part { case signature, head, data, end }

  /// The maximum size of a chunk that is read. Larger ones are skipped.
  private static let maximumBytes = 4 << 20
  /// The maximum number of chunks that are read.
  private static let maximumChunks = 1_000_000

  private(set) var orientation = PNGOrientation()
  /// The orientation that the chunks before the pixels state.
  private(set) var orientationBeforePixels = PNGOrientation()
  /// The meaning of the samples, which takes precedence over all other chunks that describe colors.
  private(set) var colors: CodedColors?
  private var hasColors = false
  private var isAfterPixels = false
  private var chunkCount = 0
  private var part = Part.signature
  private var held: [UInt8] = []
  private var name = ""
  /// The number of bytes that remain of the chunk and its checksum.
  private var left = 0
  private var isWanted = false

  /// Reads the next bytes.
  mutating func parse(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty, part != .end {
      switch part {
      case .signature: if hold(8, of: &rest) { start(.head) }
      case .head: if hold(8, of: &rest) { startChunk() }
      case .data:
        let piece = rest.prefix(left)
        rest = rest.dropFirst(piece.count)
        left -= piece.count
        if isWanted { held.append(contentsOf: piece) }
        if left == 0 { endChunk() }
      case .end: return
      }
    }
  }

  private mutating func startChunk() {
    let length = held.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    name = String(decoding: held[4...], as: UTF8.self)
    left = length + 4
    isWanted = (PNGOrientation.reads(name) || name == "cICP") && length <= Self.maximumBytes
    chunkCount += 1
    if name == "IDAT" { isAfterPixels = true }
    start(name == "IEND" || chunkCount == Self.maximumChunks ? .end : .data)
  }

  private mutating func endChunk() {
    if name == "cICP" {
      readColors()
    } else if isWanted {
      orientation.take(name, held.dropLast(4))
      if !isAfterPixels { orientationBeforePixels = orientation }
    }
    start(.head)
  }

  private mutating func readColors() {
    // Four numbers and the checksum. Only the first such chunk counts.
    guard !isAfterPixels, held.count == 8, !hasColors else { return }
    hasColors = true
    // Samples are RGB, so there is no matrix; those of a limited range are not supported.
    guard held[2] == 0, held[3] == 1 else { return }
    colors = CodedColors(primaries: Int(held[0]), transfer: Int(held[1]), matrix: 0, isFullRange: true)
  }

  private mutating func start(_ part: Part) {
    self.part = part
    held = []
  }

  /// Returns true if `count` bytes have been collected.
  private mutating func hold(_ count: Int, of bytes: inout Slice<UnsafeRawBufferPointer>) -> Bool {
    let piece = bytes.prefix(count - held.count)
    held.append(contentsOf: piece)
    bytes = bytes.dropFirst(piece.count)
    return held.count == count
  }
}
