/// The orientation of a PNG, which can be stated in three ways: in an `eXIf` chunk, in EXIF data as ImageMagick stored it
/// before that chunk existed, and in an XMP packet. They take precedence in this order.
///
/// An orientation before the pixels takes precedence over any that follows them, because a decoder that receives the file
/// in pieces has applied it by then.
struct PNGOrientation {
  /// The orientation that the chunks before the pixels state; nil for an upright image.
  private var beforePixels: ImageOrientation?
  private var hasPixels = false
  private var exif: ImageOrientation?
  private var profile: ImageOrientation?
  private var xmp: ImageOrientation?
  private(set) var budget = RecordBudget()

  var value: ImageOrientation? { beforePixels ?? exif ?? profile ?? xmp }

  /// Ends the chunks before the pixels. Only the first call has an effect.
  mutating func beginPixels() {
    guard !hasPixels else { return }
    hasPixels = true
    if let value, value != .up { beforePixels = value }
  }

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
      guard xmp == nil, let packet = text.bytes(within: &budget) else { return }
      xmp = XMPPacket(packet).orientation
    } else if let kind = ImageMagickProfile.kind(text.keyword), ["exif", "app1"].contains(kind) {
      guard profile == nil, let digits = text.bytes(within: &budget),
        let bytes = ImageMagickProfile.decode(digits)
      else { return }
      profile = EXIFOrientation.read(bytes)
    }
  }
}
