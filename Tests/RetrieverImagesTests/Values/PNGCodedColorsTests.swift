import Foundation
import Testing

@testable import RetrieverImages

@Suite struct PNGCodedColorsTests {
  private func png(_ cICP: [UInt8], _ more: [(name: String, data: [UInt8])] = [], isGrey: Bool = false)
    -> Data
  {
    var form = PNGFixture(width: 9, height: 7, colorType: isGrey ? .grey : .rgb)
    form.chunks = [("cICP", cICP)] + more
    return form.data()
  }

  /// Returns the displayed pixels, and those of the same file without color information.
  private func pixels(_ data: Data, isGrey: Bool = false) throws -> (shown: [UInt8], stored: [UInt8]) {
    let shown = try #require(UIImage(data: data)).bitmap()
    let plain = PNGFixture(width: 9, height: 7, colorType: isGrey ? .grey : .rgb)
    return (shown.pixels, try #require(UIImage(data: plain.data())).bitmap().pixels)
  }

  private func light(_ sample: UInt8) -> Double {
    let value = Double(sample) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private func sample(_ light: Double) -> Double {
    let light = min(max(light, 0), 1)
    return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// The matrices from linear light to that of sRGB, from the chromaticities of the standards.
  private static let matrices: [(primaries: UInt8, matrix: [Double])] = [
    (12, [1.22494, -0.22494, 0, -0.04206, 1.04206, 0, -0.01964, -0.07864, 1.09828]),
    (9, [1.66049, -0.58764, -0.07285, -0.12455, 1.13290, -0.00835, -0.01815, -0.10058, 1.11873]),
  ]

  @Test(arguments: matrices) func `Display P3 and BT.2020 are converted to sRGB`(
    primaries: UInt8, matrix: [Double]
  ) throws {
    let (shown, stored) = try pixels(png([primaries, 13, 0, 1]))
    for start in stride(from: 0, to: stored.count, by: 3) {
      let lights = (0..<3).map { light(stored[start + $0]) }
      for channel in 0..<3 {
        let expected = sample((0..<3).reduce(0) { $0 + matrix[3 * channel + $1] * lights[$1] })
        #expect(abs(expected - Double(shown[start + channel])) <= 1.5)
      }
    }
  }

  @Test func `sRGB takes precedence over a profile and a gamma`() throws {
    let gamma = ("gAMA", PNGFixture.big(100_000))
    let profile = ("iCCP", Array("profile\0\0".utf8) + PNGFixture.deflated(FullFixture.profile()))
    for more in [[], [gamma], [profile]] {
      #expect(decode(png([1, 13, 0, 1], more)).header?.profile == nil)
      let (shown, stored) = try pixels(png([1, 13, 0, 1], more))
      #expect(shown == stored)
    }
    #expect(decode(png([12, 13, 0, 1], [profile]), cut: .pieces(of: 3)).header?.profile != nil)
  }

  @Test func `HDR is brought to SDR`() throws {
    // 100 cd/m² has the PQ sample 0.508, and is about half of the light of white, which has 203 cd/m².
    let (shown, stored) = try pixels(png([9, 16, 0, 1], isGrey: true), isGrey: true)
    for (shown, stored) in zip(shown, stored) where (128...131).contains(stored) {
      #expect((180...196).contains(shown), "\(stored) became \(shown)")
    }
    #expect(zip(shown, stored).contains { $0 != $1 })
    #expect(try pixels(png([9, 18, 0, 1])).shown != stored)
  }

  @Test(arguments: [PNGFixture.ColorType.grey, .greyAlpha], [8, 16])
  func `gray with alpha has the colors that the file states`(type: PNGFixture.ColorType, depth: Int) throws {
    // Linear light and PQ.
    for transfer in [8, 16] as [UInt8] {
      var form = PNGFixture(width: 9, height: 7, colorType: .grey, depth: depth)
      form.chunks = [("cICP", [1, transfer, 0, 1])]
      let opaque = try #require(UIImage(data: form.data())).bitmap().pixels
      form.colorType = type
      // A transparent shade of gray makes alpha of an image without an alpha channel.
      if type == .grey {
        form.chunks.append(("tRNS", Array(PNGFixture.big(form.sample(0, 0, 0)).suffix(2))))
      }
      let bitmap = try #require(UIImage(data: form.data())).bitmap()
      #expect(bitmap.format == .rgba8)
      let profile = try #require(decode(form.data()).header?.profile)
      #expect(ColorProfile.make(profile, for: .grey8) != nil)
      for pixel in 0..<63 where bitmap.pixels[4 * pixel + 3] == 255 || type == .greyAlpha {
        for channel in 0..<3 {
          let difference = abs(Int(bitmap.pixels[4 * pixel + channel]) - Int(opaque[3 * pixel]))
          #expect(difference <= 1)
        }
      }
      if transfer == 8 {
        let stored = Double(form.sample(4, 3, 0)) / Double((1 << depth) - 1)
        #expect(abs(Double(opaque[3 * (3 * 9 + 4)]) - sample(stored)) <= 1.5)
      }
    }
  }

  @Test func `what is invalid or has a limited range is ignored`() throws {
    for chunk in [[], [12], [12, 13, 1, 1], [12, 13, 0, 0], [12, 13, 0, 1, 0]] as [[UInt8]] {
      #expect(decode(png(chunk)).header?.profile == nil, "\(chunk)")
    }
    #expect(decode(png([2, 2, 0, 1])).header?.profile == nil)
  }
}
