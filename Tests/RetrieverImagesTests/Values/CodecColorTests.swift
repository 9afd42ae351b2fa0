import CImageCodecs
import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecColorTests {
  /// The white point and the primaries (red, green, blue) of Display P3.
  private static let displayP3 = [0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060]

  private func profile(exponent: Double, chromaticities: [Double]? = nil, colors: codec_colors = .rgb) throws
    -> Data
  {
    let data = chromaticities?.withUnsafeBufferPointer {
      ColorProfile.data(exponent: exponent, chromaticities: $0.baseAddress, of: colors)
    }
    return try #require(
      data ?? ColorProfile.data(exponent: exponent, chromaticities: nil, of: colors))
  }

  @Test func `a matrix profile gives its curves and the matrix to linear sRGB`() throws {
    let data = try profile(exponent: 2.2, chromaticities: Self.displayP3)
    let color = try #require(ColorProfile.make(data, for: .rgb8))
    guard case .matrix(let matrix) = color.conversion else {
      Issue.record("not a matrix")
      return
    }
    // The published matrix from the primaries of Display P3 to those of sRGB.
    let known: [Float] = [1.2249, -0.2247, 0, -0.0420, 1.0419, 0, -0.0197, -0.0786, 1.0979]
    #expect(zip(matrix.matrix, known).allSatisfy { abs($0 - $1) < 0.005 })
    #expect(matrix.curves.count == 3 && matrix.curves.allSatisfy { $0.count == 256 })
    #expect(abs(matrix.curves[0][128] - pow(128 / 255, 2.2)) < 0.001)
    #expect(color.deepCurves().map(\.count) == [65_536, 65_536, 65_536])
  }

  @Test func greyHasACurveAndNoMatrix() throws {
    let data = try profile(exponent: 1, colors: .grey)
    let color = try #require(ColorProfile.make(data, for: .grey8))
    guard case .matrix(let matrix) = color.conversion else {
      Issue.record("not a matrix")
      return
    }
    #expect(matrix.matrix == [1, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(abs(matrix.curves[2][100] - 100 / 255) < 0.001)
  }

  @Test func `an invalid profile or one for other colors is ignored`() throws {
    let grey = try profile(exponent: 1, colors: .grey)
    #expect(ColorProfile.make(grey, for: .rgb8) == nil)
    #expect(ColorProfile.make(grey, for: .cmyk8) == nil)
    #expect(ColorProfile.make(Data(), for: .rgb8) == nil)
    #expect(ColorProfile.make(Data(repeating: 7, count: 4_000), for: .rgb8) == nil)
    for seed in 0..<500 as Range<UInt64> {
      let broken = mutated(grey, seed: seed)
      guard let color = ColorProfile.make(broken, for: .grey8) else { continue }
      var output = [UInt8](repeating: 0, count: 30)
      output.withUnsafeMutableBytes { output in
        Array(0..<10 as Range<UInt8>).withUnsafeBytes { color.convert(row: $0, into: output) }
      }
    }
  }

  @Test func `CMYK without a profile uses the simple formula`() {
    let color = ColorProfile.plainCMYK()
    let inks: [UInt8] = [0, 0, 0, 0, 255, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 255, 10, 20, 30, 128]
    var light = [UInt8](repeating: 9, count: 15)
    light.withUnsafeMutableBytes { light in
      inks.withUnsafeBytes { color.convert(row: $0, into: light) }
    }
    #expect(light == [255, 255, 255, 0, 255, 255, 255, 127, 255, 0, 0, 0, 122, 117, 112])
  }

  @Test func `a profile with tables converts complete rows`() throws {
    let color = try #require(ColorProfile.make(ProfileFixture.inks(), for: .cmyk8))
    guard case .rowTransform = color.conversion else {
      Issue.record("not a row transform")
      return
    }
    #expect(color.outputFormat == .rgb8)
    let inks: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 255, 0, 0, 0]
    var light = [UInt8](repeating: 9, count: 12)
    light.withUnsafeMutableBytes { light in
      inks.withUnsafeBytes { color.convert(row: $0, into: light) }
    }
    #expect(light[0..<3].allSatisfy { $0 > 250 })
    #expect(light[3..<9].allSatisfy { $0 < 5 })
    #expect(light[9..<12].allSatisfy { $0 > 120 && $0 < 200 })
  }

  @Test(arguments: [PNGFixture.ColorType.grey, .greyAlpha], [false, true])
  func `gray pixels with alpha have the colors of a gray profile`(
    type: PNGFixture.ColorType, hasTable: Bool
  ) async throws {
    for depth in [8, 16] { try await checkGrey(type, depth, hasTable) }
  }

  private func checkGrey(_ type: PNGFixture.ColorType, _ depth: Int, _ hasTable: Bool) async throws {
    var form = PNGFixture(width: 40, height: 3, colorType: type, depth: depth)
    let linear = hasTable ? ProfileFixture.grey() : try profile(exponent: 1, colors: .grey)
    form.chunks = [("iCCP", Array("grey".utf8) + [0, 0] + PNGFixture.deflated([UInt8](linear)))]
    // A transparent shade of gray makes alpha of an image without an alpha channel.
    let transparent = form.sample(0, 0, 0)
    if type == .grey { form.chunks.append(("tRNS", [UInt8(transparent >> 8), UInt8(transparent & 255)])) }
    let pixels = try await UIImage(validating: form.data()).pixels()
    #expect(pixels.hasAlpha)
    let maximum = Double((1 << depth) - 1)
    for x in 1..<40 {
      let light = Double(form.sample(x, 1, 0)) / maximum
      let expected = 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
      let pixel = try #require(pixels[x, 1])
      // Tables have a precision of one part in 255 of the light, which is much in dark colors.
      let tolerance = hasTable ? (light < 0.1 ? 12.0 : 2.5) : 0.6
      for sample in [pixel.red, pixel.green, pixel.blue] {
        #expect(
          abs(Double(sample) - expected) <= tolerance, "\(light) became \(sample) instead of \(expected)")
      }
    }
    if type == .grey { #expect(pixels[0, 0]?.alpha == 0 && pixels[1, 0]?.alpha == 255) }
  }
}
