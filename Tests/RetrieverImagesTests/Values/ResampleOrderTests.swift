import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct ResampleOrderTests {
  @Test func aRowIsEmittedAfterTheLastSourceRowThatCountsForIt() throws {
    let picture = ResamplePicture.random(4, 80, .rgb8, seed: 1)
    let emitted = try picture.resampled(to: PixelSize(width: 2, height: 20)).emitted
    // Row n has its center at 4n + 2 and reaches 12 source rows from there. The centers of pixels are at halves.
    for row in 0...16 {
      let last = 4 * row + 2 + 12 - 1
      #expect(emitted[last - 1] == row && emitted[last] == row + 1)
    }
    #expect(emitted[78] == 17 && emitted[79] == 20)
  }

  @Test func enlargingEmitsSeveralRowsAfterOne() throws {
    let picture = ResamplePicture.random(4, 10, .rgb8, seed: 1)
    let emitted = try picture.resampled(to: PixelSize(width: 8, height: 20)).emitted
    // The center of row 0 is at 0.25. It reaches the source rows whose centers are before 3.25.
    #expect(emitted[2] == 1 && emitted[3] == 3 && emitted[4] == 5)
    #expect(emitted[9] == 20)
  }

  @Test func rowsBelowACropAreNotNeeded() throws {
    let picture = ResamplePicture.random(10, 60, .rgb8, seed: 1)
    let crop = PixelRect(x: 0, y: 20, size: PixelSize(width: 10, height: 16))
    let resampler = try Resampler(
      source: picture.layout, area: SourceArea(crop), target: PixelSize(width: 5, height: 4))
    #expect(resampler.rowsNeeded == 36)
    let emitted = try picture.resampled(to: PixelSize(width: 5, height: 4), crop: crop).emitted
    #expect(emitted[34] < 4)
    #expect(emitted[35] == 4 && emitted[59] == 4)
  }

  @Test(arguments: [RowFormat.rgb8, .rgba8])
  func theSameSizeIsCopiedExactly(format: RowFormat) throws {
    let picture = ResamplePicture.random(31, 9, format, seed: 4)
    let result = try picture.resampled(to: picture.layout.size)
    #expect((result.pixels == picture.bytes) as Bool)
    #expect(result.emitted == Array(1...9))
  }

  @Test func aCropOfTheSameSizeIsCopiedExactly() throws {
    let picture = ResamplePicture.random(8, 6, .rgb8, seed: 4)
    let crop = PixelRect(x: 3, y: 2, size: PixelSize(width: 4, height: 3))
    let result = try picture.resampled(to: crop.size, crop: crop)
    var expected: [UInt8] = []
    for y in 2..<5 {
      let start = (y * 8 + 3) * 3
      expected += picture.bytes[start..<start + 12]
    }
    #expect((result.pixels == expected) as Bool)
  }

  @Test func greyAnd16BitsOfTheSameSizeAreOnlyConverted() throws {
    for format in [RowFormat.grey8, .grey16, .rgb16, .rgba16] {
      let picture = ResamplePicture.random(31, 9, format, seed: 4)
      let result = try picture.resampled(to: picture.layout.size).pixels
      let channels = format.hasAlpha ? 4 : 3
      let isRight = result.indices.allSatisfy { index in
        let (pixel, channel) = (index / channels, index % channels)
        let value = picture.sample(pixel % 31, pixel / 31, format.channels == 1 ? 0 : channel).value
        return result[index] == UInt8((value * 255).rounded())
      }
      #expect(isRight, "\(format)")
    }
  }
}
