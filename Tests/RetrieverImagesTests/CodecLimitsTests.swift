import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(1))) struct CodecLimitsTests {
  /// The baseline file with another size in its frame header.
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

  @Test func tooManyPixelsAreRefusedFromTheHeader() throws {
    let decoding = decode(try jpeg(width: 20_000, height: 20_000))
    #expect(
      decoding.error
        == ImageError(
          .tooLarge, "The image is 20000 by 20000 pixels; at most 50000000 pixels are allowed."))
    #expect(decoding.header == nil)
  }

  @Test func tooLongASideIsRefused() throws {
    let limits = ImageLimits(dimension: 60)
    #expect(
      decode(try JPEGFixture.baseline(), limits: limits).error
        == ImageError(
          .tooLarge, "The image is 67 by 53 pixels; at most 60 in each direction are allowed."))
  }

  @Test func tooManyBytesAreRefusedAsTheyAreFed() throws {
    let data = try JPEGFixture.baseline()
    let limits = ImageLimits(bytes: data.count - 1)
    #expect(decode(data, cut: .pieces(of: 10), limits: limits).error?.code == .tooLarge)
    #expect(decode(data, cut: .pieces(of: 10), limits: ImageLimits(bytes: data.count)).error == nil)
  }

  @Test func coefficientsThatTakeTooMuchMemoryAreRefused() throws {
    let limits = ImageLimits(memory: 10_000_000)
    let decoding = decode(try jpeg(width: 4_000, height: 3_000, isProgressive: true), limits: limits)
    #expect(decoding.error?.code == .tooLarge)
    #expect(decoding.error?.message.contains("at most 10000000 are allowed") == true)
  }

  @Test func sizesWhoseProductOverflowsAreRefusedWhateverIsAllowed() {
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
