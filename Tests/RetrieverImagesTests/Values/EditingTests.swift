import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct EditingTests {
  private let red = ImagePixels.Pixel(red: 255, green: 0, blue: 0)

  /// An image whose pixels all differ.
  private func numbered(_ width: Int, _ height: Int) -> UIImage {
    let pixels = (0..<width * height).flatMap { index -> [UInt8] in
      [UInt8(index % width), UInt8(index / width), 7]
    }
    return UIImage(
      bitmap: Bitmap(size: PixelSize(width: width, height: height), format: .rgb8, pixels: pixels))
  }

  /// Returns the original column and row of each pixel.
  private func positions(_ image: UIImage) async throws -> [[Int]] {
    let pixels = try await image.pixels()
    return (0..<pixels.height).flatMap { y in
      (0..<pixels.width).map { x in [Int(pixels[x, y]?.red ?? 0), Int(pixels[x, y]?.green ?? 0)] }
    }
  }

  @Test func `a part has exactly its pixels, and edges are rounded and clipped`() async throws {
    let image = numbered(5, 4)
    let part = try await image.cropped(to: CGRect(x: 1, y: 2, width: 2, height: 2))
    #expect(try await positions(part) == [[1, 2], [2, 2], [1, 3], [2, 3]])
    let rounded = try await image.cropped(to: CGRect(x: 3.6, y: -2.2, width: 90, height: 3.4))
    #expect(try await positions(rounded) == [[4, 0]])
    let backwards = try await image.cropped(to: CGRect(x: 2, y: 1, width: -2, height: -1))
    #expect(try await positions(backwards) == [[0, 0], [1, 0]])
    #expect(try await image.cropped(to: CGRect(x: 0, y: 0, width: 5, height: 4)).pixels() == image.pixels())
  }

  @Test(arguments: [
    CGRect(x: 5, y: 0, width: 1, height: 1), CGRect(x: 0, y: 0, width: 0, height: 3),
    CGRect(x: -9, y: 0, width: 9, height: 3), CGRect(x: Double.nan, y: 0, width: 3, height: 3),
    CGRect(x: 0, y: 0, width: Double.nan, height: 3), CGRect(x: 1e300, y: 1e300, width: 1e300, height: 3),
  ])
  func `a part without a pixel is an error`(_ rect: CGRect) async {
    await #expect { try await numbered(5, 4).cropped(to: rect) } throws: {
      ($0 as? ImageError)?.code == .invalidRequest
    }
  }

  @Test func `rotating by multiples of 90 degrees and mirroring move pixels`() async throws {
    let image = numbered(3, 2)
    let clockwise = [[0, 1], [0, 0], [1, 1], [1, 0], [2, 1], [2, 0]]
    #expect(try await positions(image.rotated(byDegrees: 90)) == clockwise)
    #expect(try await positions(image.rotated(byDegrees: -270)) == clockwise)
    #expect(try await positions(image.rotated(byDegrees: 450)) == clockwise)
    #expect(try await positions(image.rotated(byDegrees: 270)) == clockwise.reversed())
    #expect(try await positions(image.rotated(byDegrees: 180)) == positions(image).reversed())
    for degrees in [0, 360, -720, -1e-300] {
      #expect(try await positions(image.rotated(byDegrees: degrees)) == positions(image))
    }
    #expect(try await positions(image.flipped()) == [[2, 0], [1, 0], [0, 0], [2, 1], [1, 1], [0, 1]])
    #expect(
      try await positions(image.flipped(.vertical)) == [[0, 1], [1, 1], [2, 1], [0, 0], [1, 0], [2, 0]])
  }

  @Test func `other angles keep the complete picture, smooth its edges, and can be reverted`() async throws {
    let bitmap = drawnBitmap(width: 80, height: 60)
    let rotated = try await UIImage(bitmap: bitmap).rotated(byDegrees: 30)
    // 80 cos 30° + 60 sin 30°, and 80 sin 30° + 60 cos 30°.
    #expect(rotated.size == CGSize(width: 100, height: 92))
    let pixels = try await rotated.pixels()
    #expect(pixels[0, 0]?.alpha == 0 && pixels[50, 46]?.alpha == 255)
    let alphas = Set((0..<pixels.height).map { pixels[$0 / 2, $0]?.alpha ?? 0 })
    #expect(alphas.contains { (1..<255).contains($0) })
    let back = try await rotated.rotated(byDegrees: -30)
    let left = (Int(back.size.width) - 60) / 2
    let top = (Int(back.size.height) - 40) / 2
    let middle = try await back.cropped(to: CGRect(x: left, y: top, width: 60, height: 40)).pixelBuffer(.rgb)
    let expected = bitmap.part(FrameRectangle(left: 10, top: 10, size: PixelSize(width: 60, height: 40)))
    #expect(difference(middle.bytes, expected.pixels).mean < 3)
  }

  @Test func `rotating keeps one color, also next to transparency`() async throws {
    let color = ImagePixels.Pixel(red: 200, green: 90, blue: 20)
    let image = try #require(UIImage(width: 9, height: 7, pixels: Array(repeating: color, count: 63)))
    let pixels = try await image.rotated(byDegrees: 17).pixels()
    for y in 0..<pixels.height {
      for x in 0..<pixels.width {
        guard let pixel = pixels[x, y], pixel.alpha > 8 else { continue }
        #expect(abs(Int(pixel.red) - 200) <= 1 && abs(Int(pixel.green) - 90) <= 1)
      }
    }
  }

  @Test func `an angle that is not finite, and a result that is too large, are errors`() async throws {
    await #expect(throws: ImageError.self) { try await numbered(2, 2).rotated(byDegrees: .nan) }
    await #expect(throws: ImageError.self) { try await numbered(2, 2).rotated(byDegrees: .infinity) }
    let long = UIImage(
      bitmap: Bitmap(
        size: PixelSize(width: 40_000, height: 1), format: .rgb8,
        pixels: [UInt8](repeating: 1, count: 120_000)))
    await #expect { try await long.rotated(byDegrees: 45) } throws: {
      ($0 as? ImageError)?.code == .invalidRequest
    }
  }

  @Test func `the orientation of a file is applied before the image is edited`() async throws {
    let turned = JPEGFixture.adding(
      Array("Exif\0\0".utf8) + EXIFFixture.tiff(orientation: 6, isLittleEndian: true), marker: 0xE1,
      to: try JPEGFixture.baseline(width: 40, height: 20))
    let image = try UIImage(validating: turned)
    #expect(
      try await image.cropped(to: CGRect(x: 0, y: 30, width: 9, height: 9)).size
        == CGSize(width: 9, height: 9))
    #expect(try await image.rotated(byDegrees: 90).size == CGSize(width: 40, height: 20))
  }

  @Test func `a damaged image gives an error, and so does a cancelled task`() async throws {
    let data = try JPEGFixture.baseline(width: 200, height: 100)
    let damaged = try UIImage(validating: data.prefix(data.count / 2))
    await #expect(throws: ImageError.self) { try await damaged.flipped() }
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await numbered(3, 3).flipped()
    }
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.value }
  }

  // MARK: Pixels as a buffer

  @Test func `a buffer gives the samples of each layout`() async throws {
    let half = ImagePixels.Pixel(red: 200, green: 100, blue: 0, alpha: 128)
    let image = try #require(UIImage(width: 2, height: 1, pixels: [red, half]))
    #expect(try await image.pixelBuffer(.rgba).bytes == [255, 0, 0, 255, 200, 100, 0, 128])
    #expect(try await image.pixelBuffer(.premultipliedRGBA).bytes == [255, 0, 0, 255, 100, 50, 0, 128])
    // Over white in linear light.
    #expect(try await image.pixelBuffer(.rgb).bytes == [255, 0, 0, 230, 198, 187])
    let straight = try await UIImage(image.pixelBuffer(.premultipliedRGBA)).pixels()
    #expect(straight[1, 0] == ImagePixels.Pixel(red: 199, green: 100, blue: 0, alpha: 128))
  }

  @Test(arguments: PixelBuffer.Layout.allCases)
  func `opaque pixels are the same in every layout, and make an image again`(_ layout: PixelBuffer.Layout)
    async throws
  {
    let image = numbered(5, 4)
    let buffer = try await image.pixelBuffer(layout)
    #expect(buffer.bytesPerRow == 5 * layout.bytesPerPixel && buffer.bytes.count == 4 * buffer.bytesPerRow)
    #expect(buffer[3, 2] == ImagePixels.Pixel(red: 3, green: 2, blue: 7))
    #expect(buffer[5, 0] == nil && buffer[0, 4] == nil && buffer[-1, 0] == nil)
    #expect(try await positions(UIImage(buffer)) == positions(image))
    #expect(buffer.converted(to: .rgb).converted(to: layout) == buffer)
  }

  @Test func `samples with padding between the rows are accepted`() throws {
    let padded: [UInt8] = [1, 2, 3, 99, 4, 5, 6, 99]
    for bytes in [padded, padded.dropLast()] {
      let buffer = try PixelBuffer(width: 1, height: 2, layout: .rgb, bytes: Array(bytes), bytesPerRow: 4)
      #expect(buffer.bytes == [1, 2, 3, 4, 5, 6])
    }
  }

  @Test func `a wrong number of samples is an error`() {
    let bytes = [UInt8](repeating: 0, count: 24)
    for (width, height, stride) in [
      (2, 4, nil), (2, 3, 5), (2, 3, 10), (0, 0, nil), (-2, -4, nil), (.max, 2, nil), (2, .max, nil),
      (2, 3, .max),
      (.max, .max, .max), (2, 3, -6),
    ] as [(Int, Int, Int?)] where !(width == 2 && height == 4) {
      #expect(throws: ImageError.self) {
        try PixelBuffer(width: width, height: height, layout: .rgb, bytes: bytes, bytesPerRow: stride)
      }
    }
    #expect(throws: Never.self) { try PixelBuffer(width: 2, height: 4, layout: .rgb, bytes: bytes) }
  }

  @Test func `pixels are changed in place`() async throws {
    let image = try await numbered(3, 2).changingPixels { buffer in
      buffer[0, 0] = .clear
      buffer[9, 9] = .white
      buffer[1, 0] = nil
      buffer.withUnsafeMutableBytes { $0[4 * 5] = 200 }
      #expect(buffer.withUnsafeBytes { $0.count } == 24)
    }
    let pixels = try await image.pixels()
    #expect(pixels[0, 0] == .clear && pixels[1, 0]?.red == 1 && pixels[2, 1]?.red == 200)
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) { try await numbered(1, 1).changingPixels { _ in throw Refusal() } }
    let premultiplied = try await numbered(1, 1).changingPixels(.premultipliedRGBA) { buffer in
      buffer[0, 0] = ImagePixels.Pixel(red: 255, green: 0, blue: 0, alpha: 51)
      #expect(buffer.bytes == [51, 0, 0, 51])
    }
    #expect(
      try await premultiplied.pixels()[0, 0] == ImagePixels.Pixel(red: 255, green: 0, blue: 0, alpha: 51))
    let opaque = try await numbered(1, 1).changingPixels(.rgb) { $0[0, 0] = .clear }
    #expect(try await opaque.pixels()[0, 0] == .white)
  }
}
