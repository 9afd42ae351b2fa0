/// Asks again and again, with short pauses that hold no thread, until `condition` holds or `limit` is over:
/// for what can only be seen from outside (a descriptor gone, a connection closed). Where somebody knows the
/// moment, use a `Gate`.
///
/// - Returns: whether the condition held.
public func eventually(
  within limit: Duration = .seconds(30), _ condition: @Sendable () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  var pause = Duration.microseconds(500)
  while true {
    if try await condition() { return true }
    if .now >= deadline || Task.isCancelled { return false }
    try? await Task.sleep(for: pause)
    pause = min(pause * 2, .milliseconds(20))
  }
}
