/// Measures a rate over the last seconds, so that it follows changes smoothly.
public struct RateMeter: Sendable, Equatable {
  private struct Sample: Sendable, Equatable {
    var moment: Duration
    var count: Int64
  }

  /// Older samples do not count.
  private static let window = Duration.seconds(5)
  private static let step = Duration.milliseconds(100)
  /// A rate over a shorter time is not meaningful.
  private static let leastTime = Duration.milliseconds(250)

  private var samples: [Sample] = []
  private var latest: Sample

  /// - Parameter count: The amount that exists already and does not count toward the rate.
  public init(startingAt moment: Duration, count: Int64 = 0) {
    latest = Sample(moment: moment, count: count)
    samples = [latest]
  }

  /// Records the total amount at a moment.
  public mutating func note(_ count: Int64, at moment: Duration) {
    latest = Sample(moment: moment, count: count)
    if let last = samples.last, moment - last.moment >= Self.step { samples.append(latest) }
    let firstKept = samples.lastIndex { moment - $0.moment >= Self.window } ?? 0
    samples.removeFirst(firstKept)
  }

  /// Returns the rate per second; nil if it is too early.
  public func rate(at moment: Duration) -> Double? {
    // Time without data counts too: the sample just before the window is kept as the start.
    let start = samples.last { moment - $0.moment >= Self.window } ?? samples.first ?? latest
    let time = moment - start.moment
    guard time >= Self.leastTime else { return nil }
    return Double(latest.count - start.count) / time.inSeconds
  }
}
