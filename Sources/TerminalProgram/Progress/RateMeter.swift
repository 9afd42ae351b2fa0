/// How fast something goes: over the last seconds, so that it follows changes and does not jump.
package struct RateMeter: Sendable, Equatable {
  private struct Sample: Sendable, Equatable {
    var moment: Duration
    var count: Int64
  }

  /// What lies further back says nothing about now.
  private static let window = Duration.seconds(5)
  private static let step = Duration.milliseconds(100)
  /// A rate of less time than this is chance.
  private static let leastTime = Duration.milliseconds(250)

  private var samples: [Sample] = []
  private var latest: Sample

  /// - Parameter count: what is there already, and was not gone through now.
  package init(startingAt moment: Duration, count: Int64 = 0) {
    latest = Sample(moment: moment, count: count)
    samples = [latest]
  }

  /// Notes how much there is in all.
  package mutating func note(_ count: Int64, at moment: Duration) {
    latest = Sample(moment: moment, count: count)
    if let last = samples.last, moment - last.moment >= Self.step { samples.append(latest) }
    let firstKept = samples.lastIndex { moment - $0.moment >= Self.window } ?? 0
    samples.removeFirst(firstKept)
  }

  /// In a second; nil while it is too early to say.
  package func rate(at moment: Duration) -> Double? {
    // Silence counts: the samples that left the window since the last bytes came do not.
    let start = samples.last { moment - $0.moment >= Self.window } ?? samples.first ?? latest
    let time = moment - start.moment
    guard time >= Self.leastTime else { return nil }
    return Double(latest.count - start.count) / time.inSeconds
  }
}
