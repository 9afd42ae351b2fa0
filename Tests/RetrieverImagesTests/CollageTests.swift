import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CollageTests {
  private static let red = ImagePixels.Pixel(red: 255, green: 0, blue: 0)
  private static let blue = ImagePixels.Pixel(red: 0, green: 0, blue: 255)
  private static let white = ImagePixels.Pixel(red: 255, green: 255, blue: 255)

  private func image(_ pixel: ImagePixels.Pixel, width: Int = 4, height: Int = 4) throws -> UIImage {
    try #require(
      UIImage(width: width, height: height, pixels: Array(repeating: pixel, count: width * height)))
  }

  @Test func `images are placed in rows in the order they were added`() async throws {
    let collage = Collage(columns: 2, cell: 3, spacing: 1)
    for pixel in [Self.red, Self.blue, Self.blue] { #expect(collage.add(try image(pixel))) }
    let pixels = try await collage.draw().pixels()
    #expect(pixels.width == 9 && pixels.height == 9)
    #expect(pixels[0, 0] == Self.white)
    #expect(pixels[1, 1] == Self.red && pixels[3, 3] == Self.red)
    #expect(pixels[4, 1] == Self.white)
    #expect(pixels[5, 1] == Self.blue && pixels[1, 5] == Self.blue)
    #expect(pixels[5, 5] == Self.white)
  }

  @Test func `an empty collage has one empty cell`() async {
    #expect(await Collage(columns: 3, cell: 10, spacing: 2).draw().size == CGSize(width: 14, height: 14))
  }

  @Test func `fitted images are centered in their cell`() async throws {
    let layout = CollageLayout(columns: 1, cellWidth: 4, cellHeight: 4, spacing: 0, contentMode: .fit)
    let collage = Collage(layout: layout)
    collage.add(try image(Self.red, width: 4, height: 2))
    let pixels = try await collage.draw().pixels()
    #expect(pixels[0, 0] == Self.white && pixels[0, 3] == Self.white)
    #expect(pixels[0, 1] == Self.red && pixels[3, 2] == Self.red)
  }

  @Test func `the background shows through transparent pixels`() async throws {
    let half = ImagePixels.Pixel(red: 255, green: 0, blue: 0, alpha: 128)
    let layout = CollageLayout(columns: 1, cellWidth: 1, cellHeight: 1, spacing: 0, background: Self.blue)
    let collage = Collage(layout: layout)
    collage.add(try image(half, width: 1, height: 1))
    let pixel = try #require(try await collage.draw().pixels()[0, 0])
    // Half of the light, which is more than half of the encoded value.
    #expect(pixel.red > 180 && pixel.red < 195 && pixel.green == 0)
    #expect(pixel.blue > 180 && pixel.blue < 195)

    let clear = ImagePixels.Pixel(red: 0, green: 0, blue: 0, alpha: 0)
    let open = Collage(
      layout: CollageLayout(columns: 1, cellWidth: 1, cellHeight: 1, spacing: 1, background: clear))
    open.add(try image(half, width: 1, height: 1))
    let pixels = try await open.draw().pixels()
    #expect(pixels[0, 0]?.alpha == 0)
    #expect(pixels[1, 1] == half)
  }

  @Test func `an image beyond the maximum number of rows is not added`() throws {
    let collage = Collage(layout: CollageLayout(columns: 2, rows: 1, cellWidth: 1, cellHeight: 1))
    #expect(collage.add(try image(Self.red)))
    #expect(collage.add(try image(Self.red)))
    #expect(!collage.add(try image(Self.red)))
    #expect(collage.count == 2)
  }

  @Test func `invalid layout numbers are replaced with valid ones`() {
    for number in [Int.min, -1, 0, 1, 5_000, .max] {
      let layout = CollageLayout(
        columns: number, rows: number, cellWidth: number, cellHeight: number, spacing: number)
      #expect(layout.capacity >= 1)
      #expect(layout.size(count: .max).pixelCount <= CollageLayout.maximumPixels)
    }
  }

  @Test func `an image that cannot be decoded leaves its cell empty, and is reported`() async throws {
    let data = try JPEGFixture.baseline(width: 320, height: 320)
    let collage = Collage(columns: 2, cell: 2, spacing: 0)
    // Only the header.
    collage.add(try #require(UIImage(data: data.prefix(700))))
    collage.add(try image(Self.red))
    let drawn = await collage.draw()
    #expect(try await drawn.pixels()[0, 0] == Self.white)
    #expect(try await drawn.pixels()[2, 0] == Self.red)
    #expect(drawn.damage.map(\.kind) == [.incomplete])
    #expect(drawn.damage.first?.description.hasPrefix("Image 1: ") == true)
  }

  @Test func `what could be decoded of a damaged image is drawn, unless the policy is strict`() async throws {
    let data = try JPEGFixture.baseline(width: 320, height: 320)
    let collage = Collage(columns: 2, cell: 16, spacing: 0)
    collage.add(try image(Self.red))
    collage.add(try #require(UIImage(data: data.prefix(data.count / 2))))
    let drawn = await collage.draw()
    #expect(try await drawn.pixels()[16, 0] != Self.white)
    #expect(try await drawn.pixels()[16, 15] == Self.white)
    let strict = await collage.draw(damage: .strict)
    #expect(try await strict.pixels()[16, 0] == Self.white)
    #expect(drawn.damage == strict.damage && drawn.damage.count == 1)
    #expect(drawn.damage.first?.description.hasPrefix("Image 2: The JPEG image is incomplete") == true)
  }

  @Test func `a cancelled drawing returns the cells drawn so far`() async throws {
    let collage = Collage(columns: 1, cell: 2, spacing: 0)
    collage.add(try image(Self.red))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await collage.draw()
    }
    task.cancel()
    #expect(try await task.value.pixels()[0, 0] == Self.white)
  }
}
