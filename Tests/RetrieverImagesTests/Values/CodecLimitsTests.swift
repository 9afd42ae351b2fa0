import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecLimitsTests {
  /// Returns the baseline file with another size in its frame header.
  private func jpeg(width: Int, height: Int, isProgressive: Bool = false) throws -> Data {
    var data = try isProgressive ? JPEGFixture.progressive() : JPEGFixture.baseline()
    let marks = data.indices.dropLast().filter {
      data[$0] == 0xFF && data[$0 + 1] == (isProgressive ? 0xC2 : 0xC0)
    }
    let frame = try #require(marks.first)
    data[frame + 5] = UInt8(height >> 8)
    data[frame + 6] = UInt8(height & 255)
    data[frame + 7] = UInt8(width >> 8)
    data[frame + 8] = UInt8(width & 255)
    return data
  }

  @Test func `too many pixels are rejected when the header is read`() throws {
    let decoding = decode(try jpeg(width: 20_000, height: 20_000))
    #expect(
      decoding.error
        == ImageError(
          .tooLarge, "The image is 20000 by 20000 pixels; the maximum is 50000000 pixels."))
    #expect(decoding.header == nil)
  }

  @Test func `a side that is too long is rejected`() throws {
    let limits = ImageLimits(dimension: 60)
    #expect(
      decode(try JPEGFixture.baseline(), limits: limits).error
        == ImageError(
          .tooLarge, "The image is 67 by 53 pixels; the maximum is 60 in each direction."))
  }

  @Test func `too many bytes are rejected while they are fed`() throws {
    let data = try JPEGFixture.baseline()
    let limits = ImageLimits(bytes: data.count - 1)
    #expect(decode(data, cut: .pieces(of: 10), limits: limits).error?.code == .tooLarge)
    #expect(decode(data, cut: .pieces(of: 10), limits: ImageLimits(bytes: data.count)).error == nil)
  }

  @Test func `coefficients that need too much memory are rejected`() throws {
    let limits = ImageLimits(memory: 10_000_000)
    let decoding = decode(try jpeg(width: 4_000, height: 3_000, isProgressive: true), limits: limits)
    #expect(decoding.error?.code == .tooLarge)
    #expect(decoding.error?.description.contains("the maximum is 10000000") == true)
  }

  @Test func `sizes whose product overflows are rejected with any limits`() {
    var data = [UInt8](PNGFixture().data().prefix(8))
    let side = PNGFixture.big(0x7FFF_FFFF)
    data +=
      PNGFixture.chunk("IHDR", side + side + [16, 6, 0, 0, 1]) + PNGFixture.chunk("IDAT", [0x78, 0x01])
    let limits = ImageLimits(pixels: .max, dimension: .max)
    #expect(decode(Data(data), limits: limits).error?.code == .tooLarge)
    let all = ImageLimits(bytes: .max, pixels: .max, dimension: .max, frames: .max, memory: .max)
    #expect(decode(Data(data), limits: all).error != nil)
  }
}
