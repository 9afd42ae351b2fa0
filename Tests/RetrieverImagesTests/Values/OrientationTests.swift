import Testing

@testable import RetrieverImages

@Suite struct OrientationTests {
  /// The stored pixels that are displayed as the letter F, from EXIF's own table of the eight orientations.
  private static let stored: [ImageOrientation: [String]] = [
    .up: ["###", "#..", "##.", "#..", "#.."],
    .upMirrored: ["###", "..#", ".##", "..#", "..#"],
    .down: ["..#", "..#", ".##", "..#", "###"],
    .downMirrored: ["#..", "#..", "##.", "#..", "###"],
    .leftMirrored: ["#####", "#.#..", "#...."],
    .right: ["#....", "#.#..", "#####"],
    .rightMirrored: ["....#", "..#.#", "#####"],
    .left: ["#####", "..#.#", "....#"],
  ]

  private func bitmap(_ rows: [String], format: RowFormat) -> Bitmap {
    let samples = rows.joined().flatMap { character -> [UInt8] in
      let value: UInt8 = character == "#" ? 0 : 255
      return format == .rgba8 ? [value, value, value, 200] : [value, value, value]
    }
    return Bitmap(size: PixelSize(width: rows[0].count, height: rows.count), format: format, pixels: samples)
  }

  @Test(arguments: ImageOrientation.allCases)
  func `an image with any orientation becomes upright`(orientation: ImageOrientation) throws {
    for format in [RowFormat.rgb8, .rgba8] {
      let stored = bitmap(try #require(Self.stored[orientation]), format: format)
      let upright = bitmap(try #require(Self.stored[.up]), format: format)
      #expect(stored.upright(from: orientation) == upright)
    }
  }
}
