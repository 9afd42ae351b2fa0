import CResampling

/// Describes a row format and its curves to the C kernels, which convert source rows to linear light and light back to
/// samples.
///
/// It owns the curves and the matrix that `source` and `encoding` point to.
final class LightSource {
  let source: rsp_source
  let encoding: rsp_encoding
  let channels: Int
  private let owned: AlignedStorage

  init(format: RowFormat, linearization: Linearization, path: ResamplingPath) throws(ImageError) {
    channels = format.channels
    var source = rsp_source()
    source.channels = Int32(format.channels)
    source.bytes_per_sample = Int32(format.bytesPerSample)
    var encoding = rsp_encoding()
    encoding.codes = SRGBEncoding.shared.codes
    encoding.thresholds = SRGBEncoding.shared.thresholds
    switch linearization {
    case .sRGB:
      owned = try AlignedStorage(bytes: 0)
      source.curves = Self.curvesOfSRGB(format: format, path: path)
    case .curves(let curves):
      let entries = format.bytesPerSample == 1 ? 256 : 65_536
      let all = format.channels == 1 ? [curves.red] : [curves.red, curves.green, curves.blue]
      guard all.allSatisfy({ $0.count == entries }), curves.matrix.count == 9 else {
        throw ImageError(.invalidRequest, "The color curves do not match the format of the rows.")
      }
      owned = try AlignedStorage(bytes: (all.count * entries + 9) * MemoryLayout<Float>.stride)
      let base = owned.base.assumingMemoryBound(to: Float.self)
      for (index, factor) in curves.matrix.enumerated() { base[index] = factor }
      if all.allSatisfy(Self.isSRGB) {
        source.curves = Self.curvesOfSRGB(format: format, path: path)
      } else {
        let first = base + 9
        for (index, curve) in all.enumerated() {
          // NaN and infinity would spread through the sums of their row.
          for (entry, light) in curve.enumerated() {
            first[index * entries + entry] = light.isFinite ? min(max(light, 0), 1) : 0
          }
        }
        let second = all.count > 1 ? first + entries : first
        let third = all.count > 2 ? second + entries : first
        source.curves = (UnsafePointer(first), UnsafePointer(second), UnsafePointer(third))
      }
      encoding.matrix = UnsafePointer(base)
    }
    self.source = source
    self.encoding = encoding
  }

  private typealias CurvePointers = (UnsafePointer<Float>?, UnsafePointer<Float>?, UnsafePointer<Float>?)

  /// Returns the curves for sRGB, or nil if the kernels should compute their polynomial for sRGB instead.
  ///
  /// For 8-bit samples, a table takes half the time of the polynomial with vectors of four, but twice the time with
  /// vectors of eight.
  private static func curvesOfSRGB(format: RowFormat, path: ResamplingPath) -> CurvePointers {
    guard path == .portable, format.bytesPerSample == 1 else { return (nil, nil, nil) }
    let light = SRGBEncoding.shared.light
    return (light, light, light)
  }

  /// Returns true if an 8-bit curve is that of sRGB within a sixteenth of a step, as the curve of Display P3 is.
  private static func isSRGB(_ curve: [Float]) -> Bool {
    guard curve.count == 256 else { return false }
    let light = SRGBEncoding.shared.light
    return curve.indices.allSatisfy { index in
      let step = index < 255 ? light[index + 1] - light[index] : light[255] - light[254]
      return abs(curve[index] - light[index]) <= step / 16
    }
  }
}
