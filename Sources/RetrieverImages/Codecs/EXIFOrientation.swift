/// Finds the orientation in EXIF data.
enum EXIFOrientation {
  static let tag = 0x0112

  /// Returns the orientation, or nil if there is none or the data is invalid. Skips an `Exif` signature at the start.
  static func read(_ bytes: some Collection<UInt8>) -> ImageOrientation? {
    TIFFReader(bytes).flatMap { read($0) }
  }

  /// Returns the orientation in the first directory.
  static func read(_ tiff: TIFFReader) -> ImageOrientation? {
    guard let value = tiff.first?.value(tag), value.count == 1 else { return nil }
    return value.integer().flatMap(ImageOrientation.init(rawValue:))
  }
}

extension XMPPacket {
  /// The orientation that the packet states, if it is valid.
  var orientation: ImageOrientation? {
    value(Namespace.tiff, "Orientation").flatMap { Int($0) }.flatMap(ImageOrientation.init(rawValue:))
  }
}
