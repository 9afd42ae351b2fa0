import Foundation

/// Adds EXIF data to pictures.
package enum EXIFFixture {
  /// Returns a JPEG with the time of a camera.
  ///
  /// - Parameters:
  ///   - original: `DateTimeOriginal`, such as `2026:07:14 16:03:00`.
  ///   - zone: `OffsetTimeOriginal`, such as `+02:00`.
  package static func jpeg(_ jpeg: Data, original: String, zone: String? = nil) -> Data {
    var entries: [(tag: UInt16, text: String)] = [(0x9003, original)]
    if let zone { entries.append((0x9011, zone)) }
    // The first directory has one entry, which leads to the second one, at 26.
    var tiff = Data("MM".utf8) + big(UInt16(42)) + big(UInt32(8))
    tiff +=
      big(UInt16(1)) + big(UInt16(0x8769)) + big(UInt16(4)) + big(UInt32(1)) + big(UInt32(26))
      + big(UInt32(0))
    tiff += big(UInt16(entries.count))
    var texts = Data()
    let start = 26 + 2 + 12 * entries.count + 4
    for (tag, text) in entries {
      let bytes = Data(text.utf8) + [0]
      tiff += big(tag) + big(UInt16(2)) + big(UInt32(bytes.count)) + big(UInt32(start + texts.count))
      texts += bytes
    }
    tiff += big(UInt32(0)) + texts
    let segment = Data("Exif\0\0".utf8) + tiff
    var file = Data(jpeg.prefix(2))
    file += [0xFF, 0xE1] + big(UInt16(segment.count + 2)) + segment
    file += jpeg.dropFirst(2)
    return file
  }

  private static func big(_ number: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
  }
}
