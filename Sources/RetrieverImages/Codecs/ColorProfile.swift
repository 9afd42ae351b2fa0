import CImageCodecs
import Foundation

/// The colors of an image as its ICC profile describes them, and the conversion from them to sRGB.
///
/// Only one job may use a profile at a time. Profiles do not share the data that Little CMS keeps for them.
final class ColorProfile {
  /// The way pixels are converted to sRGB.
  enum Conversion {
    /// The colors are sRGB already, apart from rounding.
    case none
    /// Curves and a matrix, which can be applied to the few pixels of a thumbnail.
    case matrix(Matrix)
    /// Complete rows must be converted with ``ColorProfile/convert(row:into:)``.
    case rowTransform
  }

  /// Tone curves and a matrix.
  struct Matrix: Sendable, Equatable {
    /// The linear light of each of the 256 values of an 8-bit sample, as three curves: red, green and blue.
    var curves: [[Float]]
    /// The matrix from linear RGB to linear sRGB, row by row.
    var matrix: [Float]
  }

  let conversion: Conversion
  /// The format of a row after the conversion.
  let outputFormat: RowFormat

  private let format: RowFormat
  /// True if the profile is one for gray, but the rows have three equal colors and alpha.
  private let isGrey: Bool
  private let profile: OpaquePointer?
  private let transform: OpaquePointer?

  /// Returns the profile for pixels of a format.
  ///
  /// Returns nil if the data is not a valid profile, or is a profile for other colors. The caller then ignores the
  /// data and treats the pixels as sRGB.
  ///
  /// - Parameter isGrey: True if the colors of RGBA pixels are gray, so that the profile must be one for gray.
  static func make(_ icc: Data, for format: RowFormat, isGrey: Bool = false) -> ColorProfile? {
    // Real profiles have at most a few megabytes.
    guard icc.count <= 16 << 20 else { return nil }
    let colors = isGrey ? codec_colors.grey : format.colors
    let opened = icc.withUnsafeBytes { codec_color_profile_make($0.bytes, $0.count, colors) }
    guard let opened else { return nil }
    return ColorProfile(opened, format: format, isGrey: isGrey && format.hasAlpha)
  }

  /// Converts CMYK without a profile, by the simple formula: each channel is the light that the inks do not absorb.
  static func plainCMYK() -> ColorProfile { ColorProfile() }

  private init?(_ profile: OpaquePointer, format: RowFormat, isGrey: Bool) {
    self.profile = profile
    self.format = format
    self.isGrey = isGrey
    outputFormat = format.converted
    if codec_color_profile_is_curves(profile) {
      let matrix = Matrix(profile)
      conversion = matrix.isSRGB ? .none : .matrix(matrix)
      transform = nil
      return
    }
    conversion = .rowTransform
    transform = codec_color_transform_make(
      profile, isGrey ? .grey : format.colors, Int32(format.bytesPerSample))
    // Swift runs `deinit` for a failing initializer only if all properties are set, which is the case here.
    if transform == nil { return nil }
  }

  private init() {
    profile = nil
    transform = nil
    isGrey = false
    format = .cmyk8
    outputFormat = .rgb8
    conversion = .rowTransform
  }

  deinit {
    if let transform { codec_color_transform_free(transform) }
    if let profile { codec_color_profile_free(profile) }
  }

  /// Returns the curves for 16-bit samples, with 65,536 values each. Use this only for a conversion by matrix.
  func deepCurves() -> [[Float]] {
    guard let profile, case .matrix = conversion else { return [] }
    return Matrix.curves(of: profile, count: 65_536)
  }

  /// Converts a row to ``outputFormat`` with the same number of pixels.
  ///
  /// The conversion is relative to the white point and uses black point compensation. Both buffers must be as long as
  /// the rows of their formats; any bytes after that are not changed.
  func convert(row: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    let pixels = min(row.count / format.bytesPerPixel, output.count / outputFormat.bytesPerPixel)
    guard pixels > 0, let from = row.baseAddress, let to = output.baseAddress else { return }
    if let transform, isGrey {
      convertGrey(row, into: output, pixels: pixels, with: transform)
    } else if let transform {
      codec_color_transform_convert(transform, from, to, pixels)
    } else if format == .cmyk8 {
      Self.convertPlainly(row, into: output, pixels: pixels)
    }
  }

  /// Converts the gray of RGBA pixels, and copies their alpha.
  private func convertGrey(
    _ row: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, pixels: Int,
    with transform: OpaquePointer
  ) {
    let size = format.bytesPerSample
    var grey = [UInt8](repeating: 0, count: pixels * size)
    for index in grey.indices { grey[index] = row[index / size * 4 * size + index % size] }
    var colors = [UInt8](repeating: 0, count: pixels * 3 * size)
    codec_color_transform_convert(transform, grey, &colors, pixels)
    for pixel in 0..<pixels {
      let start = pixel * 4 * size
      for index in 0..<(3 * size) { output[start + index] = colors[pixel * 3 * size + index] }
      for index in (3 * size)..<(4 * size) { output[start + index] = row[start + index] }
    }
  }

  private static func convertPlainly(
    _ row: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, pixels: Int
  ) {
    for pixel in 0..<pixels {
      let paper = 255 - UInt32(row[4 * pixel + 3])
      for ink in 0..<3 {
        let light = (255 - UInt32(row[4 * pixel + ink])) * paper
        output[3 * pixel + ink] = UInt8(truncatingIfNeeded: (light + 127) / 255)
      }
    }
  }

  /// Returns a profile for a gamma and chromaticities (white, red, green and blue; nil for those of sRGB).
  static func data(exponent: Double, chromaticities: UnsafePointer<Double>?, of colors: codec_colors) -> Data?
  {
    try? EncodedBytes.collect(format: "ICC") { output, _ in
      codec_color_profile_write(exponent, chromaticities, colors, output)
    }
  }
}

extension ColorProfile.Matrix {
  /// The matrix from XYZ (D50) to linear sRGB: the inverse of the matrix in ICC's own sRGB profile.
  private static let fromXYZ: [Double] = [
    3.1338561, -1.6168667, -0.4906146,
    -0.9787684, 1.9161415, 0.0334540,
    0.0719453, -0.2289914, 1.4052427,
  ]

  fileprivate init(_ profile: OpaquePointer) {
    curves = Self.curves(of: profile, count: 256)
    matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    var toXYZ = [Double](repeating: 0, count: 9)
    guard codec_color_profile_matrix(profile, &toXYZ) else { return }
    for row in 0..<3 {
      for column in 0..<3 {
        var sum = 0.0
        for index in 0..<3 { sum += Self.fromXYZ[3 * row + index] * toXYZ[3 * index + column] }
        matrix[3 * row + column] = Float(sum)
      }
    }
  }

  fileprivate static func curves(of profile: OpaquePointer, count: Int) -> [[Float]] {
    (0..<3 as Range<Int32>).map { channel in
      [Float](unsafeUninitializedCapacity: count) { buffer, written in
        guard let base = buffer.baseAddress else { return }
        codec_color_profile_sample(profile, channel, base, count)
        written = count
      }
    }
  }

  /// True if no 8-bit sample would change by half a step or more.
  fileprivate var isSRGB: Bool {
    let identity: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    guard zip(matrix, identity).allSatisfy({ abs($0 - $1) < 0.003 }) else { return false }
    return curves.allSatisfy { curve in
      curve.enumerated().allSatisfy { index, light in
        let encoded = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return abs(encoded * 255 - Float(index)) < 0.5
      }
    }
  }
}

extension RowFormat {
  fileprivate var colors: codec_colors {
    switch self {
    case .grey8, .grey16: .grey
    case .rgb8, .rgb16: .rgb
    case .rgba8, .rgba16: .rgba
    case .cmyk8: .cmyk
    }
  }

  /// The same format after the conversion to sRGB.
  fileprivate var converted: RowFormat {
    switch self {
    case .grey8, .rgb8, .cmyk8: .rgb8
    case .grey16, .rgb16: .rgb16
    case .rgba8: .rgba8
    case .rgba16: .rgba16
    }
  }
}
