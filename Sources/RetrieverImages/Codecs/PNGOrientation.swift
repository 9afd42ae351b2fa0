/// The orientation of a PNG, which can be stated in three ways: in an `eXIf` chunk, in EXIF data as ImageMagick stored it
/// before that chunk existed, and in an XMP packet. They take precedence in this order.
struct PNGOrientation {
  private var exif: ImageOrientation?
  private var profile: ImageOrientation?
  private var xmp: ImageOrientation?

  var value: ImageOrientation? { exif ?? profile ?? xmp }

  /// Returns whether chunks with this name can state an orientation.
  static func reads(_ name: String) -> Bool { ["eXIf", "tEXt", "zTXt", "iTXt"].contains(name) }

  /// Reads a complete chunk.
  mutating func take(_ name: String, _ data: some Collection<UInt8>) {
    if name == "eXIf" {
      exif = exif ?? EXIFOrientation.read(data)
      return
    }
    guard let text = PNGText(name: name, data: data) else { return }
    if text.keyword == "XML:com.adobe.xmp" {
      guard xmp == nil, let packet = text.bytes() else { return }
      xmp = XMPPacket(packet).orientation
    } else if let kind = ImageMagickProfile.kind(text.keyword), ["exif", "app1"].contains(kind) {
      guard profile == nil, let bytes = text.bytes().flatMap({ ImageMagickProfile.decode($0) }) else {
        return
      }
      profile = EXIFOrientation.read(bytes)
    }
  }
}

/// Follows the chunks of a PNG that arrives in pieces, and finds its orientation.
struct PNGOrientationParser {
  private enum Part { case signature, head, data, end }

  /// The maximum size of a chunk that is read. Larger ones are skipped.
  private static let maximumBytes = 4 << 20

  private(set) var orientation = PNGOrientation()
  private let stopsAtPixels: Bool
  private var part = Part.signature
  private var held: [UInt8] = []
  private var name = ""
  /// The number of bytes that remain of the chunk and its checksum.
  private var left = 0
  private var isWanted = false

  /// - Parameter stopsAtPixels: Whether to ignore the chunks after the beginning of the pixels.
  init(stopsAtPixels: Bool) { self.stopsAtPixels = stopsAtPixels }

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
    isWanted = PNGOrientation.reads(name) && length <= Self.maximumBytes
    start(name == "IEND" || name == "IDAT" && stopsAtPixels ? .end : .data)
  }

  private mutating func endChunk() {
    if isWanted { orientation.take(name, held.dropLast(4)) }
    start(.head)
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
