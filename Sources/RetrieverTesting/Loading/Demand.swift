/// Whether the session has room for the next part of a body, so that a long body is not in memory.
final class Demand: Sendable {
  private let isWanted = WaitableState(false)

  /// The session has room.
  func signal() { isWanted.change { $0 = true } }

  /// Waits until the session has room, for one part.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func wait() async throws {
    #if canImport(Darwin)
    // There, the session does not report it.
    try Task.checkCancellation()
    #else
    try await isWanted.wait { $0 ? true : nil }
    isWanted.change { $0 = false }
    #endif
  }
}
