/// The conversion from an image's samples to linear light, and to the linear light of sRGB.
enum Linearization: Sendable {
  /// The samples are sRGB.
  case sRGB
  /// The samples have a matrix profile. Gray samples use the red curve.
  case curves(Curves)

  /// The curves and the matrix of a profile.
  struct Curves: Sendable {
    /// For each color, the linear light from 0 to 1 for each value of a sample: 256 entries for 8 bits, 65,536 for 16
    /// bits.
    var red: [Float]
    var green: [Float]
    var blue: [Float]
    /// Nine factors, row by row, from the image's linear RGB to linear sRGB.
    ///
    /// The matrix is applied to the thumbnail's pixels, because there are few of them. Values outside sRGB are clamped
    /// afterward.
    var matrix: [Float]

    /// The identity matrix.
    static let identityMatrix: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
  }
}
