import Foundation

@testable import RetrieverImages

/// A damaged file, and what a decoder reports about it.
struct DamagedFile: Sendable, CustomStringConvertible {
  let description: String
  let data: Data
  let kinds: [ImageDamage.Kind]

  private init(_ description: String, _ data: Data, _ kinds: [ImageDamage.Kind]) {
    self.description = description
    self.data = data
    self.kinds = kinds
  }

  /// Changes the number of the first restart marker, so that a decoder must synchronize again.
  static func jpegWithWrongRestartMarker(_ jpeg: Data) -> Data {
    var data = jpeg
    let index = data.indices.dropLast().first { data[$0] == 0xFF && data[$0 + 1] == 0xD0 }
    if let index { data[index + 1] = 0xD3 }
    return data
  }

  /// Makes the first table after a number of scans invalid.
  static func jpegWithInvalidTable(_ jpeg: Data, afterScans scans: Int) -> Data {
    var data = jpeg
    let scan = data.indices.dropLast().filter { data[$0] == 0xFF && data[$0 + 1] == 0xDA }
    guard scan.count >= scans else { return data }
    let table = data.indices.dropLast().first {
      $0 > scan[scans - 1] && data[$0] == 0xFF && data[$0 + 1] == 0xC4
    }
    // There is no table with the number 15.
    if let table { data[table + 4] = 0x1F }
    return data
  }

  /// Changes the checksum of the first chunk with a name.
  static func png(_ file: Data, wrongChecksumOf name: String) -> Data {
    var data = file
    guard let place = data.range(of: Data(name.utf8))?.lowerBound else { return data }
    let length = data[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) }
    data[place + 4 + length] ^= 0x55
    return data
  }

  static func all() throws -> [DamagedFile] {
    let jpeg = try JPEGFixture.baseline(width: 150, height: 120)
    let scan = try JPEGFixture.form(.rgb8, width: 150, height: 120, restartInterval: 4)
    let progressive = try JPEGFixture.progressive(width: 150, height: 120)
    let png = try PNGEncoder.encode(drawnBitmap(width: 150, height: 120))
    var described = PNGFixture(width: 40, height: 40)
    described.chunks = [
      ("tEXt", Array("Title\0Dog".utf8)), ("eXIf", EXIFFixture.tiff(orientation: 1, isLittleEndian: true)),
    ]
    let interlaced = PNGFixture(width: 150, height: 120, isInterlaced: true).data()
    let palette = PNGFixture(width: 40, height: 40, colorType: .palette, depth: 8).data()
    let size = PixelSize(width: 150, height: 120)
    let bitmap = Bitmap(
      size: size, format: .rgb8,
      pixels: drawnPixels(size: size, format: .rgb8).enumerated().map { index, sample in
        sample &+ UInt8(truncatingIfNeeded: (index &* 7_919 >> 3 ^ index / 450) & 15)
      })
    let lossy = try WebPEncoder.encode(bitmap, quality: 0.9, isLossless: false)
    let lossless = try WebPEncoder.encode(bitmap, quality: 0.9, isLossless: true)
    let gif = GIFFixture(screenWidth: 120, screenHeight: 90, width: 120, height: 90).data()
    let quantization = jpeg.range(of: Data([0xFF, 0xDB]))?.lowerBound ?? 2
    return [
      DamagedFile(
        "JPEG with bad EXIF data", JPEGFixture.adding(Array("Exif\0\0no TIFF".utf8), marker: 0xE1, to: jpeg),
        [.other]),
      DamagedFile(
        "JPEG with bytes before a marker", jpeg[..<quantization] + Data([1, 2, 3]) + jpeg[quantization...],
        [.other]),
      DamagedFile("JPEG with a wrong restart marker", jpegWithWrongRestartMarker(scan), [.pixels]),
      DamagedFile("half of a JPEG", jpeg.prefix(jpeg.count / 2), [.incomplete]),
      DamagedFile("half of a progressive JPEG", progressive.prefix(progressive.count / 2), [.incomplete]),
      DamagedFile(
        "PNG with a wrong CRC of its text", Self.png(described.data(), wrongChecksumOf: "tEXt"), [.other]),
      DamagedFile(
        "PNG with a wrong CRC of its EXIF", Self.png(described.data(), wrongChecksumOf: "eXIf"), [.other]),
      DamagedFile("PNG with a wrong CRC of its header", Self.png(png, wrongChecksumOf: "IHDR"), [.pixels]),
      DamagedFile(
        "PNG with a wrong CRC of its palette", Self.png(palette, wrongChecksumOf: "PLTE"), [.pixels]),
      DamagedFile("PNG with a wrong CRC of its pixels", Self.png(png, wrongChecksumOf: "IDAT"), [.pixels]),
      DamagedFile("PNG with a wrong CRC of its end", Self.png(png, wrongChecksumOf: "IEND"), [.other]),
      DamagedFile("half of a PNG", png.prefix(png.count / 2), [.incomplete]),
      DamagedFile("half of an interlaced PNG", interlaced.prefix(interlaced.count / 2), [.incomplete]),
      DamagedFile("part of a lossy WebP", lossy.prefix(lossy.count * 3 / 4), [.incomplete]),
      DamagedFile("part of a lossless WebP", lossless.prefix(lossless.count * 3 / 4), [.incomplete]),
      DamagedFile("half of a GIF", gif.prefix(gif.count / 2), [.incomplete]),
    ]
  }
}
