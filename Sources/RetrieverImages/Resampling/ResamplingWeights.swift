/// The source pixels of each new pixel in one direction, and their weights.
struct ResamplingWeights {
  /// The first source pixel of each new pixel; never decreases.
  private(set) var starts: [Int32] = []
  /// The index after the last source pixel of each new pixel; never decreases.
  private(set) var ends: [Int32] = []
  /// The maximum number of source pixels of a new pixel.
  private(set) var maximumTaps = 0

  private var values: [Float] = []
  private var offsets: [Int] = []

  /// True if there are more new pixels than source pixels.
  let enlarges: Bool

  init(kernel: ResamplingKernel, source: SourceArea.Span, target: Int) {
    enlarges = Double(target) > source.length
    guard !source.isExact || source.count != target else {
      starts = (0..<target).map { Int32(clamping: $0) }
      ends = (0..<target).map { Int32(clamping: $0 + 1) }
      maximumTaps = 1
      values = [Float](repeating: 1, count: target)
      offsets = Array(0..<target)
      return
    }
    let scale = source.length / Double(target)
    let stretch = max(scale, 1)
    let reach = kernel.support * stretch
    // Pixels exactly at the end of the kernel have no weight. They are always omitted, however their distance was
    // rounded; all other pixels are at least half a millionth away from the end.
    let margin = 1e-8
    var buffer: [Double] = []
    starts.reserveCapacity(target)
    ends.reserveCapacity(target)
    offsets.reserveCapacity(target)
    let (period, shift) = Self.period(source.length, target)
    var clipped: [Bool] = []
    clipped.reserveCapacity(target)
    for index in 0..<target {
      let center = source.offset + (Double(index) + 0.5) * scale
      let nearest = Int((center - reach - 0.5 + margin).rounded(.up))
      let farthest = Int((center + reach - 0.5 - margin).rounded(.down)) + 1
      clipped.append(nearest < 0 || farthest > source.count)
      if index >= period, !clipped[index], !clipped[index - period] {
        starts.append(starts[index - period] + shift)
        ends.append(ends[index - period] + shift)
        offsets.append(offsets[index - period])
        continue
      }
      let from = min(max(nearest, 0), source.count - 1)
      let to = max(min(farthest, source.count), from + 1)
      let first = (Double(from) + 0.5 - center) / stretch
      kernel.fill(&buffer, count: to - from, first: first, step: 1 / stretch)
      // The weights are normalized, so that an edge, where pixels are missing, is as bright as the rest.
      let sum = buffer.reduce(0, +)
      starts.append(Int32(clamping: from))
      ends.append(Int32(clamping: to))
      offsets.append(values.count)
      for value in buffer { values.append(Float(value / sum)) }
      maximumTaps = max(maximumTaps, to - from)
    }
  }

  /// Returns the weights of a new pixel; the first belongs to the source pixel `starts[index]`.
  func weights(of index: Int) -> ArraySlice<Float> {
    let offset = offsets[index]
    return values[offset..<(offset + Int(ends[index] - starts[index]))]
  }

  /// Returns the weight of a source pixel in a new pixel; 0 if it does not contribute.
  func weight(of source: Int, in index: Int) -> Float {
    let start = Int(starts[index])
    guard source >= start, source < Int(ends[index]) else { return 0 }
    return values[offsets[index] + source - start]
  }

  /// Returns the weights of all pixels, padded with zeros to the same count: a multiple of `multiple`.
  func uniform(multiple: Int) -> (taps: Int, weights: [Float]) {
    let taps = (maximumTaps + multiple - 1) / multiple * multiple
    let weights = [Float](unsafeUninitializedCapacity: taps * starts.count) { buffer, count in
      buffer.initialize(repeating: 0)
      count = buffer.count
      for index in starts.indices {
        for (tap, weight) in self.weights(of: index).enumerated() { buffer[index * taps + tap] = weight }
      }
    }
    return (taps, weights)
  }

  /// After how many new pixels the position of the center in its source pixel repeats, and the number of source pixels
  /// between the two. Away from the edges, the weights repeat too, so most of them need not be computed.
  private static func period(_ length: Double, _ target: Int) -> (period: Int, shift: Int32) {
    // Decoders scale by eighths. In a part of another length, nothing repeats.
    let eighths = Int(exactly: length * 8)
    guard let eighths else { return (target, 0) }
    let divisor = greatestCommonDivisor(eighths, 8 * target)
    return (8 * target / divisor, Int32(clamping: eighths / divisor))
  }

  private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
    var (larger, smaller) = (first, second)
    while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
    return larger
  }
}
