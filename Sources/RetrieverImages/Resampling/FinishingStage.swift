import CResampling

/// Makes a row of the thumbnail from a row of linear light that is complete vertically: weights it horizontally and
/// encodes it.
final class FinishingStage {
  private let light: LightSource
  let path: rsp_path
  private let output: RowLayout
  private let sourceWidth: Int
  private let starts: [Int32]
  private let weights: [Float]
  private let taps: Int
  /// A row in which three channels take four floats per pixel, to match the vectors.
  private let spread: FloatRows?
  private let pixels: FloatRows
  private let row: AlignedStorage

  /// The number of floats needed after the end of a row of light, so that the last taps may be padded with zeros.
  let slack: Int

  init(
    light: LightSource, weights: ResamplingWeights, sourceWidth: Int, output: RowLayout, path: rsp_path
  ) throws(ImageError) {
    self.light = light
    self.path = path
    self.output = output
    self.sourceWidth = sourceWidth
    starts = weights.starts
    (taps, self.weights) = weights.uniform(multiple: light.channels == 1 ? 8 : 4)
    slack = taps * 4 + Int(RSP_SLACK)
    spread = light.channels == 3 ? try FloatRows(count: 1, length: sourceWidth * 4, slack: slack) : nil
    pixels = try FloatRows(count: 1, length: output.size.width * 4)
    row = try AlignedStorage(bytes: output.bytesPerRow)
  }

  /// Returns the finished row, which is valid until the next call.
  func finish(_ sum: UnsafePointer<Float>) -> UnsafeRawBufferPointer {
    let width = output.size.width
    let result = pixels[0]
    if light.channels == 1 {
      rsp_contract1(path, sum, starts, weights, taps, result, width)
    } else if let spread {
      rsp_spread(sum, spread[0], sourceWidth)
      rsp_contract4(path, spread[0], starts, weights, taps, result, width)
    } else {
      rsp_contract4(path, sum, starts, weights, taps, result, width)
    }
    withUnsafePointer(to: light.encoding) { encoding in
      rsp_encode(
        path, encoding, result, light.channels == 1 ? 1 : 4, row.base.assumingMemoryBound(to: UInt8.self),
        Int32(output.format.channels), width)
    }
    return UnsafeRawBufferPointer(start: row.base, count: output.bytesPerRow)
  }
}
