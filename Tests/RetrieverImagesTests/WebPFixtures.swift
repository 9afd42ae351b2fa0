import Foundation

@testable import RetrieverImages

enum WebPFixture {
  static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(data.count, 4) + data + (data.count.isMultiple(of: 2) ? [] : [0])
  }

  static func file(_ chunks: [UInt8]) -> Data {
    Data(Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks)
  }

  static func features(flags: UInt8, width: Int, height: Int) -> [UInt8] {
    chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
  }

  /// Returns the chunks of the pixels: ALPH if there is one, then VP8 or VP8L.
  static func pixels(_ bitmap: Bitmap, isLossless: Bool) throws -> [UInt8] {
    let file = [UInt8](try WebPEncoder.encode(bitmap, quality: 0.9, isLossless: isLossless))
    return Array(file[(file[15] == UInt8(ascii: "X") ? 30 : 12)...])
  }

  static func frame(left: Int, top: Int, width: Int, height: Int, pixels: [UInt8]) -> [UInt8] {
    let place = little(left / 2, 3) + little(top / 2, 3) + little(width - 1, 3) + little(height - 1, 3)
    return chunk("ANMF", place + little(100, 3) + [0] + pixels)
  }

  static func little(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns an animation of 50 × 40 pixels with EXIF data after its frames.
  static func turnedAnimation(_ tiff: [UInt8]) throws -> Data {
    // The signature and the VP8X chunk come before the rest.
    let rest = Array(try animation().dropFirst(30))
    return file(features(flags: 0x1A, width: 50, height: 40) + rest + chunk("EXIF", tiff))
  }

  static func turnedAnimation(orientation: Int) throws -> Data {
    try turnedAnimation(TIFFFixture.camera(orientation: orientation).data())
  }

  static func animation() throws -> Data {
    let still = try pixels(drawnBitmap(width: 30, height: 20, format: .rgba8), isLossless: true)
    let frame = frame(left: 6, top: 4, width: 30, height: 20, pixels: still)
    return file(
      features(flags: 0x12, width: 50, height: 40) + chunk("ANIM", [0, 0, 0, 0, 0, 0]) + frame + frame)
  }
}
