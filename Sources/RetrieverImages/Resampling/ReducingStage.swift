import CResampling

/// Reduces an image: adds each source row to the thumbnail rows that it contributes to.
///
/// It adds several rows together, so that a sum is loaded and stored only once for them.
final class ReducingStage {
  private let light: LightSource
  private let weights: ResamplingWeights
  private let width: Int
  private let bytesPerRow: Int
  private let finishing: FinishingStage
  private let path: rsp_path

  /// The sums of the unfinished thumbnail rows.
  private let sums: FloatRows
  /// The source rows that wait to be added, unchanged.
  private let waiting: AlignedStorage
  private var waitingCount = 0
  private var firstWaiting = 0
  /// The next thumbnail row to complete, and the first one that no source row was added to.
  private var next = 0
  private var untouched = 0
  private var factors: [Float] = []
  private var sumPointers: [UnsafeMutablePointer<Float>?] = []
  private var rowPointers: [UnsafeRawPointer?] = []

  init(
    light: LightSource, weights: ResamplingWeights, width: Int, bytesPerRow: Int, finishing: FinishingStage
  ) throws(ImageError) {
    self.light = light
    self.weights = weights
    self.width = width
    self.bytesPerRow = bytesPerRow
    self.finishing = finishing
    path = finishing.path
    sums = try FloatRows(
      count: Self.maximumConcurrentRows(weights), length: width * light.channels, slack: finishing.slack)
    waiting = try AlignedStorage(bytes: bytesPerRow * (Int(RSP_MAX_ROWS) - 1))
  }

  func push(
    _ row: UnsafeRawPointer, index: Int, emit: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    guard next < weights.starts.count else { return }
    if waitingCount == 0 { firstWaiting = index }
    let completes = index + 1 >= Int(weights.ends[next])
    guard completes || waitingCount + 1 == Int(RSP_MAX_ROWS) else {
      (waiting.base + waitingCount * bytesPerRow).copyMemory(from: row, byteCount: bytesPerRow)
      waitingCount += 1
      return
    }
    add(row, end: index + 1)
    waitingCount = 0
    while next < weights.starts.count, Int(weights.ends[next]) <= index + 1 {
      let sum = sums[next]
      next += 1
      try emit(finishing.finish(sum))
    }
  }

  /// Adds the waiting rows and one further row.
  private func add(_ row: UnsafeRawPointer, end: Int) {
    rowPointers.removeAll(keepingCapacity: true)
    for index in 0..<waitingCount {
      rowPointers.append(UnsafeRawPointer(waiting.base + index * bytesPerRow))
    }
    rowPointers.append(row)
    let count = rowPointers.count
    sumPointers.removeAll(keepingCapacity: true)
    var target = next
    while target < weights.starts.count, Int(weights.starts[target]) < end {
      if target >= untouched {
        sums.clear(target)
        untouched = target + 1
      }
      let first = sumPointers.count * Int(RSP_MAX_ROWS)
      sumPointers.append(sums[target])
      // The values after the last row's weight are never read.
      while factors.count < first + Int(RSP_MAX_ROWS) { factors.append(0) }
      for index in 0..<count { factors[first + index] = weights.weight(of: firstWaiting + index, in: target) }
      target += 1
    }
    withUnsafePointer(to: light.source) { source in
      rsp_accumulate(path, source, rowPointers, count, sumPointers, sumPointers.count, factors, width)
    }
  }

  /// Returns the maximum number of unfinished thumbnail rows at the same time.
  private static func maximumConcurrentRows(_ weights: ResamplingWeights) -> Int {
    var maximum = 1
    var started = 0
    for index in weights.ends.indices {
      while started < weights.starts.count, weights.starts[started] < weights.ends[index] { started += 1 }
      maximum = max(maximum, started - index)
    }
    return maximum
  }
}
