import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct ResampleColourTests {
  @Test(arguments: ResampleAccuracyTests.paths)
  func `a single color stays exactly the same`(path: ResamplingPath) throws {
    for value in UInt8.min...UInt8.max {
      let other = 255 - value
      for format in ResampleAccuracyTests.formats {
        let pixel = [[value], [value, other, value], [value, other, value, 255]].first {
          $0.count == format.channels
        }
        let picture = ResamplePicture.flat(13, 11, format, try #require(pixel))
        let expected = format.channels == 1 ? [value, value, value] : try #require(pixel)
        for target in [PixelSize(width: 5, height: 4), PixelSize(width: 17, height: 12)] {
          let result = try picture.resampled(to: target, path: path).pixels
          let isFlat = result.indices.allSatisfy { result[$0] == expected[$0 % expected.count] }
          #expect(isFlat, "\(value) in \(format) to \(target)")
        }
      }
    }
  }

  @Test(arguments: ResampleAccuracyTests.paths)
  func `a single transparent color stays the same`(path: ResamplingPath) throws {
    for alpha in [UInt8(1), 2, 17, 128, 254] {
      let picture = ResamplePicture.flat(13, 11, .rgba8, [200, 100, 3, alpha])
      let result = try picture.resampled(to: PixelSize(width: 5, height: 4), path: path).pixels
      let isFlat = result.indices.allSatisfy { result[$0] == [200, 100, 3, alpha][$0 % 4] }
      #expect(isFlat)
    }
  }

  @Test(arguments: ResampleAccuracyTests.paths)
  func aTransparentRedDoesNotBleedIntoBlue(path: ResamplingPath) throws {
    var picture = ResamplePicture.flat(16, 16, .rgba8, [0, 0, 255, 255])
    for y in 0..<16 {
      for x in 0..<8 {
        picture.bytes.replaceSubrange((y * 16 + x) * 4..<(y * 16 + x) * 4 + 4, with: [255, 0, 0, 0])
      }
    }
    let result = try picture.resampled(to: PixelSize(width: 5, height: 5), path: path).pixels
    let pixels = stride(from: 0, to: result.count, by: 4).map { Array(result[$0..<$0 + 4]) }
    #expect(pixels.allSatisfy { $0[0] == 0 && $0[1] == 0 })
    #expect(pixels.allSatisfy { $0[3] == 0 ? $0[2] == 0 : $0[2] == 255 })
    #expect(pixels.contains { $0[3] > 60 && $0[3] < 200 })
  }

  @Test func `the mean light does not change`() throws {
    let picture = ResamplePicture.random(300, 200, .rgb8, seed: 1)
    let result = try picture.resampled(to: PixelSize(width: 30, height: 20)).pixels
    func mean(_ samples: [UInt8]) -> Double {
      samples.reduce(0) { $0 + ResampleReference.light(Double($1) / 255) } / Double(samples.count)
    }
    #expect(abs(mean(picture.bytes) - mean(result)) < 0.002)
  }

  @Test func blackAndWhiteStripesBecomeHalfTheLight() throws {
    var picture = ResamplePicture.flat(64, 64, .grey8, [0])
    for index in picture.bytes.indices where index % 2 == 1 { picture.bytes[index] = 255 }
    let result = try picture.resampled(to: PixelSize(width: 16, height: 16)).pixels
    // 188 has half the light of 255; 128 would be the mean of the samples.
    let inner = (0..<16).flatMap { y in (3..<13).map { x in Int(result[(y * 16 + x) * 3]) } }
    #expect(inner.allSatisfy { abs($0 - 188) <= 2 })
  }

  @Test func overshootOnAHardEdgeIsClamped() throws {
    var picture = ResamplePicture.flat(40, 4, .grey8, [0])
    for index in picture.bytes.indices where index % 40 >= 20 { picture.bytes[index] = 255 }
    let result = try picture.resampled(to: PixelSize(width: 100, height: 4)).pixels
    let row = (0..<100).map { Int(result[$0 * 3]) }
    #expect(row[0] == 0 && row[99] == 255)
    #expect(row[..<47].allSatisfy { $0 < 60 } && row[53...].allSatisfy { $0 > 200 })
  }

  @Test func `NaN and infinity in a curve do not spread to other pixels`() throws {
    var curve = (0..<256).map { Float($0) / 255 }
    curve[7] = .nan
    curve[8] = .infinity
    let curves = Linearization.Curves(
      red: curve, green: curve, blue: curve, matrix: [.nan, 0, 0, 0, 1, 0, 0, 0, 1])
    let picture = ResamplePicture.random(40, 30, .rgb8, seed: 2)
    let result = try picture.resampled(
      to: PixelSize(width: 10, height: 10), linearization: .curves(curves)
    ).pixels
    #expect(result.indices.filter { $0 % 3 == 1 }.allSatisfy { result[$0] > 100 })
  }
}
