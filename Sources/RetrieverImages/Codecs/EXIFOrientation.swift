/// Finds the orientation in EXIF data, which is a TIFF file without images.
enum EXIFOrientation {
  private static let tag: UInt32 = 0x0112
  private static let short: UInt32 = 3
  private static let long: UInt32 = 4

  /// Returns the orientation, or nil if there is none or the data is invalid. Skips an `Exif` signature at the start.
  static func read(_ bytes: UnsafeRawBufferPointer) -> ImageOrientation? {
    let signature: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
    let tiff = bytes.starts(with: signature) ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst(6)) : bytes
    guard tiff.count >= 8 else { return nil }
    switch (tiff[0], tiff[1]) {
    case (0x49, 0x49): return Directory(bytes: tiff, isLittleEndian: true).orientation
    case (0x4D, 0x4D): return Directory(bytes: tiff, isLittleEndian: false).orientation
    default: return nil
    }
  }

  private struct Directory {
    let bytes: UnsafeRawBufferPointer
    let isLittleEndian: Bool

    var orientation: ImageOrientation? {
      guard number(at: 2, size: 2) == 42, let first = number(at: 4, size: 4) else { return nil }
      var offset = Int(first)
      guard let entries = number(at: offset, size: 2) else { return nil }
      offset += 2
      for _ in 0..<entries {
        guard let entry = number(at: offset, size: 2) else { return nil }
        if entry == tag { return value(at: offset) }
        offset += 12
      }
      return nil
    }

    private func value(at offset: Int) -> ImageOrientation? {
      guard let type = number(at: offset + 2, size: 2), number(at: offset + 4, size: 4) == 1 else {
        return nil
      }
      guard type == short || type == long else { return nil }
      return number(at: offset + 8, size: type == short ? 2 : 4).flatMap {
        ImageOrientation(rawValue: Int($0))
      }
    }

    /// Returns nil outside the data. An offset is at most 2^32 plus 65,535 entries of 12 bytes, so the sums cannot
    /// overflow.
    private func number(at offset: Int, size: Int) -> UInt32? {
      guard offset <= bytes.count - size else { return nil }
      var number: UInt32 = 0
      for index in 0..<size {
        let byte = UInt32(bytes[offset + (isLittleEndian ? size - 1 - index : index)])
        number = number << 8 | byte
      }
      return number
    }
  }
}
