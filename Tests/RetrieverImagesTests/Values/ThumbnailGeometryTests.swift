import Testing

@testable import RetrieverImages

@Suite struct ThumbnailGeometryTests {
  private func geometry(
    _ target: ThumbnailTarget, of size: PixelSize, orientation: ImageOrientation = .up
  ) throws -> ThumbnailGeometry {
    try ThumbnailGeometry(target, size: size, orientation: orientation)
  }

  @Test(arguments: [
    (4_000, 3_000, 320, 320, 320, 240), (3_000, 4_000, 320, 320, 240, 320), (10_000, 1, 100, 100, 100, 1),
    (100, 50, 320, 320, 100, 50), (333, 500, 200, 200, 133, 200),
  ])
  func `fitting keeps the aspect ratio`(
    width: Int, height: Int, box: Int, boxHeight: Int, expected: Int, expectedHeight: Int
  ) throws {
    let geometry = try geometry(
      ThumbnailTarget(width: box, height: boxHeight), of: PixelSize(width: width, height: height))
    #expect(geometry.storedSize == PixelSize(width: expected, height: expectedHeight))
    #expect(geometry.crop(in: PixelSize(width: width, height: height)) == nil)
  }

  @Test func `an image is enlarged only on request`() throws {
    let small = PixelSize(width: 30, height: 20)
    for mode in [ThumbnailTarget.Mode.fit, .stretch] {
      var target = ThumbnailTarget(width: 300, height: 300, mode: mode)
      #expect(try geometry(target, of: small).storedSize == small)
      target.enlarges = true
      #expect(try geometry(target, of: small).storedSize.width == 300)
    }
    let filled = try geometry(ThumbnailTarget(width: 300, height: 300, mode: .fill), of: small)
    #expect(filled.storedSize == PixelSize(width: 20, height: 20))
  }

  @Test func `filling crops around the focus`() throws {
    let size = PixelSize(width: 4_000, height: 1_000)
    for (x, left) in [(0.0, 0), (0.5, 1_500), (1.0, 3_000), (0.25, 500)] {
      let target = ThumbnailTarget(
        width: 100, height: 100, mode: .fill(focus: ThumbnailTarget.Focus(x: x, y: 0.5)))
      let geometry = try geometry(target, of: size)
      #expect(geometry.storedSize == PixelSize(width: 100, height: 100))
      #expect(
        geometry.crop(in: size)
          == PixelRect(x: left, y: 0, size: PixelSize(width: 1_000, height: 1_000)))
    }
  }

  @Test func `the focus is a point in the upright image`() throws {
    // The image is stored on its side: the top of the displayed image is the left of the stored one.
    let stored = PixelSize(width: 4_000, height: 1_000)
    let target = ThumbnailTarget(
      width: 100, height: 100, mode: .fill(focus: ThumbnailTarget.Focus(x: 0.5, y: 0)))
    let geometry = try geometry(target, of: stored, orientation: .right)
    #expect(geometry.crop(in: stored)?.x == 0)
    let other = try self.geometry(target, of: stored, orientation: .left)
    #expect(other.crop(in: stored)?.x == 3_000)
  }

  @Test func `a rotated image fits the box after rotation`() throws {
    let geometry = try geometry(
      ThumbnailTarget(width: 320, height: 640), of: PixelSize(width: 4_000, height: 3_000),
      orientation: .right)
    #expect(geometry.storedSize == PixelSize(width: 427, height: 320))
  }

  @Test func `the minimum decoded size is twice the thumbnail size`() throws {
    let size = PixelSize(width: 4_000, height: 1_000)
    #expect(
      try geometry(ThumbnailTarget(width: 200, height: 200), of: size).minimumDecodedSize
        == PixelSize(width: 400, height: 100))
    #expect(
      try geometry(ThumbnailTarget(width: 100, height: 100, mode: .fill), of: size).minimumDecodedSize
        == PixelSize(width: 800, height: 200))
  }

  @Test(arguments: [(0, 10), (10, 0), (-1, 5), (.max, 1), (1, .min)])
  func `an invalid size is an error`(width: Int, height: Int) {
    #expect(throws: ImageError.self) {
      try geometry(ThumbnailTarget(width: width, height: height), of: PixelSize(width: 10, height: 10))
    }
  }

  @Test func `the crop stays within the image for any focus and size`() throws {
    for x in [-1.0, 0, 0.3, 1, 7, .nan, .infinity] {
      for size in [(1, 1), (65_535, 1), (1, 65_535), (3, 2)] {
        let stored = PixelSize(width: size.0, height: size.1)
        let target = ThumbnailTarget(
          width: 7, height: 9, mode: .fill(focus: ThumbnailTarget.Focus(x: x, y: x)), enlarges: true)
        for orientation in ImageOrientation.allCases {
          let geometry = try geometry(target, of: stored, orientation: orientation)
          guard let crop = geometry.crop(in: stored) else { continue }
          #expect(crop.isWithin(stored))
        }
      }
    }
  }

  @Test(arguments: [ThumbnailTarget.Mode.fit, .fill, .stretch])
  func `an image is not enlarged beyond the maximum number of pixels`(mode: ThumbnailTarget.Mode) throws {
    let small = PixelSize(width: 30, height: 20)
    let target = ThumbnailTarget(width: 60_000, height: 60_000, mode: mode, enlarges: true)
    let error = #expect(throws: ImageError.self) { try geometry(target, of: small) }
    #expect(error?.code == .invalidRequest)
    // An image may keep its own size, however large.
    let large = PixelSize(width: 60_000, height: 60_000)
    #expect(try geometry(target, of: large).storedSize == large)
  }
}
