import Synchronization

/// Says that the load is to end early. Waiting people notice it within a tenth of a second.
final class StopSignal: Sendable {
  private let isSet = Atomic(false)

  var isStopped: Bool { isSet.load(ordering: .acquiring) }

  func stop() { isSet.store(true, ordering: .releasing) }

  /// Waits until a time, or until the load is to end.
  func wait(until time: ContinuousClock.Instant) async throws {
    while !isStopped {
      let now = ContinuousClock.now
      guard now < time else { return }
      try await Task.sleep(until: min(time, now + .milliseconds(100)))
    }
  }
}
