/// Checks `condition` repeatedly until it is true or `limit` is over. The short pauses between checks do not block a
/// thread. Use it for conditions that can only be observed from outside, such as a closed descriptor or connection. If
/// code knows the moment, use a `Gate` instead.
///
/// - Returns: Whether the condition became true.
public func eventually(
  within limit: Duration = .seconds(90), _ condition: @Sendable () async throws -> Bool
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
