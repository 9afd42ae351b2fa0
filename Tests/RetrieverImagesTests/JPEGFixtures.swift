import CImageCodecs
import Foundation

@testable import RetrieverImages

enum JPEGFixture {
  static func baseline(width: Int = 67, height: Int = 53) throws -> Data {
    try halvedChroma(width, height, isProgressive: false)
  }

  static func progressive(width: Int = 67, height: Int = 53) throws -> Data {
    try halvedChroma(width, height, isProgressive: true)
  }

  /// A JPEG with the quantization tables of the standard, as other programs write it.
  private static func halvedChroma(_ width: Int, _ height: Int, isProgressive: Bool) throws -> Data {
    var form = codec_jpeg_encoding()
    form.quality = 80
    form.halves_chroma = true
    form.is_progressive = isProgressive
    let size = PixelSize(width: width, height: height)
    return try JPEGEncoder.encode(
      drawnPixels(size: size, format: .rgb8), size: size, format: .rgb8, as: form)
  }

  static func form(
    _ format: RowFormat, width: Int = 67, height: Int = 53, quality: Int32 = 95, restartInterval: Int32 = 0
  ) throws -> Data {
    var form = codec_jpeg_encoding()
    form.quality = quality
    form.restart_interval = restartInterval
    let size = PixelSize(width: width, height: height)
    return try JPEGEncoder.encode(
      drawnPixels(size: size, format: format), size: size, format: format, as: form)
  }

  /// Returns the file with a segment right after its first marker.
  static func adding(_ payload: [UInt8], marker: UInt8, to jpeg: Data) -> Data {
    let length = payload.count + 2
    return jpeg.prefix(2) + Data([0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload)
      + jpeg.dropFirst(2)
  }
}

enum EXIFFixture {
  /// Returns TIFF data whose first directory contains two other entries and the orientation.
  static func tiff(orientation: Int, isLittleEndian: Bool, type: Int = 3) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isLittleEndian ? bytes : bytes.reversed()
    }
    func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
      let field = type == 3 ? number(value, 2) + [0, 0] : number(value, 4)
      return number(tag, 2) + number(type, 2) + number(1, 4) + field
    }
    let mark = Array((isLittleEndian ? "II" : "MM").utf8)
    return mark + number(42, 2) + number(8, 4) + number(3, 2) + entry(0x0100, 4, 17) + entry(0x010F, 4, 99)
      + entry(0x0112, type, orientation) + number(0, 4)
  }
}
