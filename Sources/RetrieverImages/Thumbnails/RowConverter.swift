import Foundation

/// Brings the rows of a picture into a form that can be scaled.
final class RowConverter {
  /// What the rows look like afterwards.
  let converted: RowLayout
  /// How their samples become light.
  let linearization: Linearization

  /// Set where rows have to be converted whole: colors that are no matter of curves and a matrix.
  private let profile: ColorProfile?
  private var row: [UInt8]

  init(_ rows: RowLayout, profile data: Data?) {
    let profile = data.flatMap { ColorProfile.make($0, for: rows.format) }
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
    converted = RowLayout(size: rows.size, format: self.profile?.outputFormat ?? rows.format)
    row = [UInt8](repeating: 0, count: self.profile == nil ? 0 : converted.bytesPerRow)
  }

  /// Hands the row on as it can be scaled; what is handed on is valid for the call only.
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
