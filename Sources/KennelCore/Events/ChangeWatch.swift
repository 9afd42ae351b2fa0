import Synchronization

/// Looks now and then for what other processes have done. It begins when the first one wants to hear of that; a command
/// that nobody listens to never looks.
final class ChangeWatch: Sendable {
  private struct State: Sendable {
    var task: Task<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let interval: Duration
  private let timer: any Clock<Duration>
  private let news: @Sendable (_ after: Int64) async throws(KennelError) -> [KennelEvent]

  /// - Parameter news: the events after one, when there may be any.
  init(
    interval: Duration, timer: any Clock<Duration>,
    news: @escaping @Sendable (_ after: Int64) async throws(KennelError) -> [KennelEvent]
  ) {
    self.interval = max(interval, .milliseconds(1))
    self.timer = timer
    self.news = news
  }

  /// Has a hub told from now on, unless that is done already.
  func begin(for hub: EventHub) {
    state.withLock { state in
      guard state.task == nil, !state.isClosed else { return }
      state.task = Task.detached { [timer, interval, news, weak hub] in
        while (try? await timer.sleep(for: interval)) != nil {
          guard let hub else { return }
          // What fails, as when the disk does, is tried again at the next look.
          if let events = try? await news(hub.lastID), !events.isEmpty { hub.publish(events) }
        }
      }
    }
  }

  /// Looks no more.
  func close() async {
    let task = state.withLock { state in
      state.isClosed = true
      return state.task.take()
    }
    task?.cancel()
    await task?.value
  }
}
