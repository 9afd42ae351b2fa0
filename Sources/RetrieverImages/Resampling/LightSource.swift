import CResampling

/// Turns source rows into light, and light back into samples: the C kernels' view of a format and its curves.
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
      // Looking up 8-bit samples takes half the time of the polynomial in vectors of four, and twice in those of eight.
      if path == .portable, format.bytesPerSample == 1 {
        let light = SRGBEncoding.shared.light
        source.curves = (light, light, light)
      }
    case .curves(let curves):
      let entries = format.bytesPerSample == 1 ? 256 : 65_536
      let all = format.channels == 1 ? [curves.red] : [curves.red, curves.green, curves.blue]
      guard all.allSatisfy({ $0.count == entries }), curves.matrix.count == 9 else {
        throw ImageError(.invalidRequest, "The curves do not fit the format of the rows.")
      }
      owned = try AlignedStorage(bytes: (all.count * entries + 9) * MemoryLayout<Float>.stride)
      let base = owned.base.assumingMemoryBound(to: Float.self)
      for (index, curve) in all.enumerated() {
        // What is not a number or without end would spread through the sums of its row.
        for (entry, light) in curve.enumerated() {
          base[index * entries + entry] = light.isFinite ? light : 0
        }
      }
      source.curves.0 = UnsafePointer(base)
      source.curves.1 = UnsafePointer(base + (all.count > 1 ? entries : 0))
      source.curves.2 = UnsafePointer(base + (all.count > 2 ? 2 * entries : 0))
      let matrix = base + all.count * entries
      for (index, factor) in curves.matrix.enumerated() { matrix[index] = factor }
      encoding.matrix = UnsafePointer(matrix)
    }
    self.source = source
    self.encoding = encoding
  }
}
