import Testing

@testable import RetrieverImages

@Suite struct OrientationTests {
  /// What is stored, for the letter F to be seen: EXIF's own table of the eight.
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
  func everyOrientationIsSeenUpright(orientation: ImageOrientation) throws {
    for format in [RowFormat.rgb8, .rgba8] {
      let stored = bitmap(try #require(Self.stored[orientation]), format: format)
      let upright = bitmap(try #require(Self.stored[.up]), format: format)
      #expect(stored.upright(from: orientation) == upright)
    }
  }
}
