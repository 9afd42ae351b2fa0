import Foundation
import Testing

@testable import RetrieverImages

@Suite struct PipelineThumbHashTests {
  private func flat(_ color: [UInt8], _ width: Int, _ height: Int) -> Bitmap {
    Bitmap(
      size: PixelSize(width: width, height: height), format: color.count == 4 ? .rgba8 : .rgb8,
      pixels: Array((0..<width * height).map { _ in color }.joined()))
  }

  private func isNear(_ left: ImagePixels.Pixel, _ right: [UInt8], _ tolerance: Int) -> Bool {
    let mine = [left.red, left.green, left.blue, left.alpha]
    return zip(mine, right + [255]).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
  }

  @Test func `a single color is reproduced`() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<10 {
      let color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let hash = try #require(ThumbHash(flat(color, 24, 16)))
      #expect(isNear(hash.averageColor, color, 14), "\(color) \(hash.averageColor)")
      let pixels = hash.image.pixels
      let reds: Set<UInt8> = Set(stride(from: 0, to: pixels.count, by: 3).map { index in pixels[index] })
      #expect(reds.count == 1)
      #expect(!hash.hasAlpha && hash.data.count <= 25)
    }
  }

  @Test func `the aspect ratio is kept approximately`() throws {
    for (width, height) in [(100, 100), (100, 50), (50, 100), (100, 10), (1, 100), (100, 75), (7, 3)] {
      let hash = try #require(ThumbHash(flat([90, 100, 110], width, height)))
      let ratio = min(max(Double(width) / Double(height), 1.0 / 7), 7)
      #expect(hash.aspectRatio / ratio < 1.35 && ratio / hash.aspectRatio < 1.35, "\(width) by \(height)")
      #expect(max(hash.image.pixelSize.width, hash.image.pixelSize.height) == 32)
    }
  }

  @Test func `transparency is recorded`() throws {
    let hash = try #require(ThumbHash(flat([200, 100, 50, 128], 20, 20)))
    #expect(hash.hasAlpha)
    #expect(isNear(hash.averageColor, [200, 100, 50, 128], 14))
    #expect(hash.data.count <= 25)
    #expect(hash.image.pixels.count == 32 * 32 * 4)
    let clear = try #require(ThumbHash(flat([200, 100, 50, 0], 20, 20)))
    #expect(clear.averageColor.alpha == 0)
  }

  @Test func aGradientKeepsItsDirection() throws {
    var bitmap = flat([0, 0, 0], 64, 32)
    for index in 0..<64 * 32 {
      for channel in 0..<3 { bitmap.pixels[index * 3 + channel] = UInt8(index % 64 * 4) }
    }
    let hash = try #require(ThumbHash(bitmap))
    let pixels = hash.image.pixels
    let width = hash.image.pixelSize.width
    // The middle row, because rounding errors of all frequencies add up at the edges.
    let row = (0..<width).map { Int(pixels[(hash.image.pixelSize.height / 2 * width + $0) * 3]) }
    #expect(row[2] < 60 && row[width - 3] > 190)
    #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 + 12 })
  }

  @Test func `extra bytes after a hash are ignored`() throws {
    let hash = try #require(ThumbHash(flat([12, 200, 90], 30, 20)))
    let padded = try #require(ThumbHash(hash.data + Data(count: 40)))
    #expect(padded == hash)
    #expect(padded.image.pixels == hash.image.pixels)
  }

  @Test func `random bytes give a valid hash or nil`() {
    var generator = SeededGenerator(seed: 2)
    for length in 0...40 {
      for _ in 0..<8 {
        let bytes = Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
        guard let hash = ThumbHash(bytes) else { continue }
        let size = hash.image.pixelSize
        #expect((1...32).contains(size.width) && (1...32).contains(size.height))
        #expect(hash.aspectRatio.isFinite && hash.aspectRatio > 0)
      }
    }
    for byte in [UInt8.min, .max] {
      _ = ThumbHash(Data(repeating: byte, count: 25))?.image
      #expect(ThumbHash(Data(repeating: byte, count: 4)) == nil)
    }
    #expect(ThumbHash(Bitmap(size: PixelSize(width: 0, height: 9), format: .rgb8, pixels: [])) == nil)
  }
}
