import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct DrawingTests {
  private let red = ImagePixels.Pixel(red: 255, green: 0, blue: 0)

  /// Draws on a transparent image, and returns its opacity at each pixel and in total, in pixels.
  private func coverage(
    _ width: Int = 40, _ height: Int = 40, _ draw: @escaping @Sendable (inout DrawingContext) -> Void
  ) async throws -> (at: (Int, Int) -> Double, sum: Double) {
    let buffer = try await UIImage.drawing(width: width, height: height, draw).pixelBuffer()
    let alphas = stride(from: 3, to: buffer.bytes.count, by: 4).map { Double(buffer.bytes[$0]) / 255 }
    return ({ alphas[$1 * width + $0] }, alphas.reduce(0, +))
  }

  @Test func `a rectangle with integral coordinates has sharp edges`() async throws {
    let color = red
    let image = try await UIImage.drawing(width: 5, height: 4, background: .white) {
      $0.fill(.rectangle(CGRect(x: 1, y: 1, width: 2, height: 2)), with: color)
    }
    let pixels = try await image.pixels()
    #expect(!pixels.hasAlpha)
    for (y, row) in ["wwwww", "wrrww", "wrrww", "wwwww"].enumerated() {
      for (x, letter) in row.enumerated() {
        #expect(pixels[x, y] == (letter == "r" ? red : .white), "\(x), \(y)")
      }
    }
  }

  @Test func `half-covered pixels are mixed in linear light`() async throws {
    let image = try await UIImage.drawing(width: 4, height: 1, background: .black) {
      $0.fill(.rectangle(CGRect(x: 0, y: 0, width: 1.5, height: 1)), with: .white)
      $0.fill(
        .rectangle(CGRect(x: 3, y: -7, width: 9, height: 9)),
        with: ImagePixels.Pixel(red: 255, green: 255, blue: 255, alpha: 128))
    }
    #expect(
      try await image.pixelBuffer(.rgb).bytes == [255, 255, 255, 188, 188, 188, 0, 0, 0, 188, 188, 188])
  }

  @Test func `a color over transparency keeps its color, and opacities add up`() async throws {
    let half = ImagePixels.Pixel(red: 200, green: 10, blue: 90, alpha: 128)
    let image = try await UIImage.drawing(width: 1, height: 1) { context in
      for _ in 0..<2 { context.fill(.rectangle(CGRect(x: 0, y: 0, width: 1, height: 1)), with: half) }
    }
    // 1 - (1 - 128/255)²
    #expect(try await image.pixels()[0, 0] == ImagePixels.Pixel(red: 200, green: 10, blue: 90, alpha: 192))
    let twoColors = try await UIImage.drawing(width: 1, height: 1) { context in
      let pixel = DrawingShape.rectangle(CGRect(x: 0, y: 0, width: 1, height: 1))
      context.fill(pixel, with: ImagePixels.Pixel(red: 255, green: 0, blue: 0, alpha: 128))
      context.fill(pixel, with: ImagePixels.Pixel(red: 0, green: 0, blue: 255, alpha: 128))
    }
    let mixed = try #require(try await twoColors.pixels()[0, 0])
    // Two thirds of the light are blue, and one third is red: samples 213 and 156 of the sRGB curve.
    #expect(mixed.alpha == 192 && abs(Int(mixed.blue) - 213) <= 1 && abs(Int(mixed.red) - 156) <= 1)
  }

  @Test func `shapes cover their area, with smooth edges`() async throws {
    let ellipse = try await coverage { context in
      context.fill(.ellipse(in: CGRect(x: 3.3, y: 5.1, width: 30, height: 21)), with: .black)
    }
    #expect(abs(ellipse.sum - .pi * 15 * 10.5) < 1)
    #expect(ellipse.at(18, 15) == 1 && ellipse.at(3, 5) == 0)
    let rounded = try await coverage {
      $0.fill(.roundedRectangle(CGRect(x: 2, y: 2, width: 30, height: 20), cornerRadius: 6), with: .black)
    }
    #expect(abs(rounded.sum - (600 - (4 - .pi) * 36)) < 1)
    #expect(rounded.at(2, 2) == 0 && rounded.at(2, 12) == 1 && rounded.at(17, 2) == 1)
    let fraction = try await coverage {
      $0.fill(.rectangle(CGRect(x: 1.25, y: 2.5, width: 3.5, height: 0.25)), with: .black)
    }
    #expect(abs(fraction.sum - 3.5 * 0.25) < 0.01)
    let tiny = try await coverage {
      $0.fill(.ellipse(in: CGRect(x: 9.4, y: 9.4, width: 0.5, height: 0.5)), with: .black)
    }
    #expect(abs(tiny.sum - .pi / 16) < 0.01)
  }

  @Test func `a radius is at most half of the shorter side, and an invalid one is none`() async throws {
    let circle = try await coverage {
      $0.fill(.roundedRectangle(CGRect(x: 5, y: 5, width: 20, height: 20), cornerRadius: 900), with: .black)
    }
    #expect(abs(circle.sum - .pi * 100) < 1)
    for radius in [-3, Double.nan, -Double.infinity] {
      let sharp = try await coverage {
        $0.fill(
          .roundedRectangle(CGRect(x: 5, y: 5, width: 20, height: 20), cornerRadius: radius), with: .black)
      }
      #expect(sharp.sum == 400)
    }
  }

  @Test func `outlines are as wide as requested, half outside and half inside`() async throws {
    let rectangle = try await coverage {
      $0.stroke(.rectangle(CGRect(x: 10, y: 10, width: 20, height: 12)), with: .black, lineWidth: 2)
    }
    #expect(rectangle.sum == 22 * 14 - 18 * 10)
    #expect(rectangle.at(9, 9) == 1 && rectangle.at(10, 10) == 1 && rectangle.at(11, 11) == 0)
    let ring = try await coverage {
      $0.stroke(.ellipse(in: CGRect(x: 10, y: 10, width: 20, height: 20)), with: .black, lineWidth: 3)
    }
    #expect(abs(ring.sum - .pi * 20 * 3) < 1 && ring.at(20, 20) == 0)
    let rounded = try await coverage {
      $0.stroke(
        .roundedRectangle(CGRect(x: 10, y: 10, width: 20, height: 20), cornerRadius: 5), with: .black,
        lineWidth: 2)
    }
    #expect(abs(rounded.sum - 2 * (80 - 40 + 10 * .pi)) < 1)
    // A line that is wider than the shape fills it.
    let full = try await coverage {
      $0.stroke(.rectangle(CGRect(x: 10, y: 10, width: 2, height: 2)), with: .black, lineWidth: 6)
    }
    #expect(full.sum == 64)
  }

  @Test func `lines have flat ends, any direction, and any width`() async throws {
    for (end, width) in [
      (CGPoint(x: 35, y: 5), 1.0), (CGPoint(x: 5, y: 35), 2.5), (CGPoint(x: 33, y: 26), 3),
      (CGPoint(x: 7, y: 34), 0.3),
    ] {
      let start = CGPoint(x: 5, y: 5)
      let line = try await coverage { $0.strokeLine(from: start, to: end, with: .black, lineWidth: width) }
      let back = try await coverage { $0.strokeLine(from: end, to: start, with: .black, lineWidth: width) }
      let length = ((end.x - 5) * (end.x - 5) + (end.y - 5) * (end.y - 5)).squareRoot()
      #expect(abs(line.sum - length * width) < 0.5, "\(end)")
      #expect(abs(line.sum - back.sum) < 0.1)
    }
  }

  @Test func `shapes outside the image or with invalid coordinates draw nothing and do not trap`()
    async throws
  {
    let values = [Double.nan, .infinity, -.infinity, 1e308, -1e308, 1e19, -1e19, 0]
    let outside = try await coverage { context in
      for x in values {
        for y in values {
          for size in [Double.nan, .infinity, 1e-300, 1] {
            let rect = CGRect(x: x, y: y, width: size, height: size)
            guard !(x == 0 && y == 0 && size == 1) else { continue }
            for shape in [.rectangle(rect), .ellipse(in: rect), .roundedRectangle(rect, cornerRadius: size)]
              as [DrawingShape]
            {
              context.fill(shape, with: .black)
            }
            context.stroke(.rectangle(rect), with: .clear, lineWidth: x)
            context.stroke(.rectangle(rect), with: .black, lineWidth: -2)
          }
          context.strokeLine(
            from: CGPoint(x: x, y: -1), to: CGPoint(x: -1, y: y), with: .clear, lineWidth: x)
          context.fill(.rectangle(CGRect(x: 50, y: y, width: 1e308, height: 10)), with: .black)
        }
      }
    }
    #expect(outside.sum == 0)
    // Far larger than the image.
    let large = try await coverage {
      $0.fill(.rectangle(CGRect(x: -1e9, y: -1e9, width: 2e9, height: 2e9)), with: .black)
    }
    #expect(large.sum == 1_600)
  }

  @Test func `images are drawn at their size, scaled, cropped at the edges, and with an opacity`()
    async throws
  {
    let color = red
    let square = try await UIImage.drawing(width: 4, height: 4, background: color) { _ in }
    let image = try await UIImage.drawing(width: 20, height: 10, background: .black) { context in
      try context.draw(square, x: -2, y: -2)
      try context.draw(square, x: 18, y: 8)
      try context.draw(square, x: 100, y: .min)
      try context.draw(square, in: CGRect(x: 6, y: 0, width: 10, height: 6))
      try context.draw(square, x: 0, y: 6, opacity: 0.5)
    }
    let pixels = try await image.pixels()
    #expect(pixels[1, 1] == red && pixels[2, 2] == .black && pixels[19, 9] == red && pixels[17, 9] == .black)
    // In the middle of its rectangle.
    #expect(pixels[7, 3] == .black && pixels[8, 0] == red && pixels[13, 5] == red && pixels[14, 3] == .black)
    #expect(pixels[1, 7]?.red == 188)
    let filled = try await UIImage.drawing(width: 8, height: 4) {
      try $0.draw(square, in: CGRect(x: 0, y: 0, width: 8, height: 4), mode: .stretch)
    }
    let ends = try await [filled.pixels()[0, 0], filled.pixels()[7, 3]]
    #expect(ends == [red, red])
  }

  @Test func `invalid sizes and damaged images give errors`() async throws {
    for (width, height) in [(0, 1), (1, -1), (.max, .max), (60_000, 60_000), (70_000, 1)] {
      await #expect(throws: ImageError.self) {
        try await UIImage.drawing(width: width, height: height) { _ in }
      }
    }
    let data = try JPEGFixture.baseline(width: 200, height: 100)
    let damaged = try UIImage(validating: data.prefix(data.count / 2))
    await #expect(throws: ImageError.self) { try await damaged.drawing { _ in } }
    let image = UIImage(bitmap: drawnBitmap(width: 9, height: 9))
    await #expect(throws: ImageError.self) { try await image.drawing { try $0.draw(damaged, x: 0, y: 0) } }
    for rect in [CGRect(x: 0, y: 0, width: 0, height: 9), CGRect(x: Double.nan, y: 0, width: 9, height: 9)] {
      await #expect(throws: ImageError.self) { try await image.drawing { try $0.draw(image, in: rect) } }
    }
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) { try await image.drawing { _ in throw Refusal() } }
  }

  @Test func `drawing on an image keeps the image and its scale`() async throws {
    let png = try PNGEncoder.encode(drawnBitmap(width: 10, height: 10))
    let image = try #require(UIImage(data: png, scale: 2))
    let drawn = try await image.drawing { context in
      #expect(context.width == 10 && context.height == 10)
      context.fill(.rectangle(CGRect(x: 0, y: 0, width: 1, height: 1)), with: .white)
    }
    #expect(drawn.scale == 2 && drawn.size == CGSize(width: 5, height: 5))
    let (before, after) = (try await image.pixels(), try await drawn.pixels())
    #expect(after[0, 0] == .white && after[9, 9] == before[9, 9])
  }

  @Test func `a cancelled task gets an error`() async throws {
    let task = Task {
      try await UIImage.drawing(width: 10, height: 10) { context in
        while !Task.isCancelled, !context.isCancelled {}
        context.fill(.rectangle(CGRect(x: 0, y: 0, width: 9, height: 9)), with: .white)
      }
    }
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.value }
  }
}
