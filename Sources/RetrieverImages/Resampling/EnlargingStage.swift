import CResampling

/// Enlarges an image: keeps the linear light of the source rows that contribute to one output row, and weights them
/// for each output row.
final class EnlargingStage {
  private let light: LightSource
  private let weights: ResamplingWeights
  private let width: Int
  private let finishing: FinishingStage
  private let rows: FloatRows
  private let sum: FloatRows
  private var next = 0

  init(
    light: LightSource, weights: ResamplingWeights, width: Int, finishing: FinishingStage
  ) throws(ImageError) {
    self.light = light
    self.weights = weights
    self.width = width
    self.finishing = finishing
    rows = try FloatRows(count: weights.maximumTaps, length: width * light.channels)
    sum = try FloatRows(count: 1, length: width * light.channels, slack: finishing.slack)
  }

  func push(
    _ row: UnsafeRawPointer, index: Int, emit: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    withUnsafePointer(to: light.source) { source in
      rsp_linearize(finishing.path, source, row, rows[index], width)
    }
    while next < weights.starts.count, Int(weights.ends[next]) <= index + 1 {
      let start = Int(weights.starts[next])
      let factors = weights.weights(of: next)
      let pointers = (0..<factors.count).map { UnsafePointer<Float>?(rows[start + $0]) }
      factors.withUnsafeBufferPointer { factors in
        guard let base = factors.baseAddress else { return }
        rsp_combine(
          finishing.path, pointers, pointers.count, base, sum[0], width * light.channels)
      }
      next += 1
      try emit(finishing.finish(sum[0]))
    }
  }
}
