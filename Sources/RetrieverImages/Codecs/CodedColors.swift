import CImageCodecs
import Foundation

/// The meaning of samples, as numbers of ITU-T H.273 (also called CICP or nclx).
struct CodedColors: Sendable, Equatable {
  /// The colors of red, green and blue: 1 for BT.709 and sRGB, 9 for BT.2020, 12 for Display P3.
  var primaries: Int
  /// The curve from samples to light: 13 for sRGB, 16 for PQ, 18 for HLG.
  var transfer: Int
  /// The way from luma and chroma to red, green and blue: 1 for BT.709, 5 and 6 for BT.601, 9 for BT.2020, 0 for none.
  var matrix: Int
  /// False if black is 16 and white is 235, in samples of 8 bits.
  var isFullRange: Bool
}

// MARK: - Colors

extension CodedColors {
  /// Returns an ICC profile for these primaries and this curve; nil for sRGB.
  ///
  /// The curves of television (BT.709 and BT.2020) describe cameras, and what they show is seen with a curve like
  /// sRGB's. So they count as sRGB, as in browsers. HDR is brought to SDR by ``highlights(_:)``.
  func profile(of colors: codec_colors) -> Data? {
    let light = lightOfSamples
    let xy = chromaticities
    guard light != nil || xy != nil else { return nil }
    return try? EncodedBytes.collect(format: "ICC") { output, _ in
      codec_color_profile_write_curve(light, light?.count ?? 0, xy ?? Self.sRGB, colors, output)
    }
  }

  private static let sRGB = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]

  /// White, red, green and blue as x and y; nil for those of sRGB and those that are unknown.
  private var chromaticities: [Double]? {
    switch primaries {
    case 4: [0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08]
    case 5: [0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06]
    case 6, 7: [0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070]
    case 9: [0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046]
    case 11: [0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
    case 12: [0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
    default: nil
    }
  }

  private static let curveLength = 4_096

  /// The light of samples that are spread evenly from 0 to 1; nil for the curve of sRGB.
  private var lightOfSamples: [Float]? {
    let light: (Double) -> Double
    switch transfer {
    case 4: light = { pow($0, 2.2) }
    case 5: light = { pow($0, 2.8) }
    case 8: light = { $0 }
    case 16: light = { Self.highlights(Self.lightOfPQ($0)) }
    case 18: light = { Self.highlights(Self.lightOfHLG($0)) }
    default: return nil
    }
    return (0..<Self.curveLength).map { Float(light(Double($0) / Double(Self.curveLength - 1))) }
  }

  /// The luminance of white in an HDR image, in cd/m², as ITU-R BT.2408 recommends.
  private static let white = 203.0
  /// The luminance that becomes the brightest light of an SDR image.
  private static let peak = 1_000.0

  /// The light of a PQ sample (SMPTE ST 2084), where 1 is white.
  private static func lightOfPQ(_ sample: Double) -> Double {
    let power = pow(sample, 1 / 78.84375)
    return 10_000 * pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
      / white
  }

  /// The light of an HLG sample (ITU-R BT.2100) on a display of 1,000 cd/m², where 1 is white. The display's gamma is
  /// applied to each channel.
  private static func lightOfHLG(_ sample: Double) -> Double {
    let scene =
      sample <= 0.5 ? sample * sample / 3 : (exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12
    return 1_000 * pow(scene, 1.2) / white
  }

  /// Brings light beyond white to the range from 0 to 1.
  ///
  /// Light up to three quarters of white stays as it is. Brighter light is compressed smoothly, up to 1,000 cd/m².
  private static func highlights(_ light: Double) -> Double {
    let knee = 0.75
    guard light > knee else { return light }
    let brightness = (light - knee) / (1 - knee)
    let maximum = (peak / white - knee) / (1 - knee)
    let compressed = brightness * (1 + brightness / (maximum * maximum)) / (1 + brightness)
    return min(knee + (1 - knee) * compressed, 1)
  }
}
