/// How the samples of an image become light, and its light becomes that of sRGB.
enum Linearization: Sendable {
  /// The samples are sRGB.
  case sRGB
  /// The samples have a matrix profile. Grey has the red curve.
  case curves(Curves)

  /// The curves and the matrix of a profile.
  struct Curves: Sendable {
    /// For each colour, linear light of 0 to 1 for each value of a sample: 256 entries for 8 bits, 65,536 for
    /// 16.
    var red: [Float]
    var green: [Float]
    var blue: [Float]
    /// Nine factors, row by row, from the image's linear RGB to linear sRGB. It is applied to the thumbnail's
    /// pixels, which are few; what is outside of sRGB after it is clamped.
    var matrix: [Float]

    /// The matrix that changes nothing.
    static let identityMatrix: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
  }
}
