import Foundation

/// Converts the rows of an image to a form that the resampler can scale.
final class RowConverter {
  /// The size and format of the converted rows.
  let converted: RowLayout
  /// The conversion of the samples to linear light.
  let linearization: Linearization

  /// Set if complete rows must be converted, because their colors cannot be described by curves and a matrix.
  private let profile: ColorProfile?
  private var row: [UInt8]

  init(_ rows: RowLayout, profile data: Data?) {
    let profile = data.flatMap { data in
      // Three equal colors can also have a profile for RGB, as in some AVIF files.
      ColorProfile.make(data, for: rows.format, isGrey: rows.isGrey)
        ?? (rows.isGrey ? ColorProfile.make(data, for: rows.format) : nil)
    }
    switch profile?.conversion {
    case .matrix(let matrix):
      self.profile = nil
      let curves = rows.format.bytesPerSample == 2 ? profile?.deepCurves() ?? [] : matrix.curves
      linearization =
        curves.count == 3
        ? .curves(.init(red: curves[0], green: curves[1], blue: curves[2], matrix: matrix.matrix)) : .sRGB
    case .rowTransform:
      self.profile = profile
      linearization = .sRGB
    case nil where rows.format == .cmyk8:
      self.profile = .plainCMYK()
      linearization = .sRGB
    case .some(.none), nil:
      self.profile = nil
      linearization = .sRGB
    }
    converted = RowLayout(
      size: rows.size, format: self.profile?.outputFormat ?? rows.format, eighths: rows.eighths)
    row = [UInt8](repeating: 0, count: self.profile == nil ? 0 : converted.bytesPerRow)
  }

  /// Passes the converted row to a closure. It is valid only during the call.
  func convert(
    _ source: UnsafeRawBufferPointer, then take: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    guard let profile else { return try take(source) }
    row.withUnsafeMutableBytes { profile.convert(row: source, into: $0) }
    let result: Result<Void, ImageError> = row.withUnsafeBytes { bytes in
      Result { () throws(ImageError) in try take(bytes) }
    }
    try result.get()
  }
}
