#if !canImport(Darwin)
/// Ends a task when its time is over, while a delegate has not answered. Releasing the timer stops it.
final class QuestionTimer: PendingWait {
  private let task: Task<Void, Never>

  init(after remaining: Duration, _ end: @escaping @Sendable () -> Void) {
    task = Task {
      try? await Task.sleep(for: remaining)
      if !Task.isCancelled { end() }
    }
  }

  deinit { task.cancel() }
}
#endif
