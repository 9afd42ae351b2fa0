/// The time that decoding one image may take, not counting the time between pieces.
///
/// Only one job may use a budget at a time.
final class TimeBudget {
  private let limit: Duration
  private var spent = Duration.zero
  private var start: ContinuousClock.Instant?

  init(_ limit: Duration) { self.limit = limit }

  func spend<Value>(_ work: () throws(ImageError) -> Value) throws(ImageError) -> Value {
    let start = ContinuousClock.now
    self.start = start
    defer {
      spent += start.duration(to: .now)
      self.start = nil
    }
    let value = try work()
    try check()
    return value
  }

  /// Throws if the time is over. Call this during the work.
  func check() throws(ImageError) {
    let now = start.map { $0.duration(to: .now) } ?? .zero
    guard spent + now <= limit else {
      throw ImageError(.tooLarge, "Decoding the image took longer than \(limit).")
    }
  }
}
