import KennelStorage
import Synchronization

/// Polls for changes by other processes. Polling starts with the first listener, so a command without listeners never
/// polls.
final class ChangePoller: Sendable {
  private struct State: Sendable {
    var task: Task<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let interval: Duration
  private let timer: any Clock<Duration>
  private let newEvents: @Sendable (_ after: Int64) async throws(KennelError) -> [KennelEvent]

  /// - Parameter newEvents: returns the events after an id, if there may be any.
  init(
    interval: Duration, timer: any Clock<Duration>,
    newEvents: @escaping @Sendable (_ after: Int64) async throws(KennelError) -> [KennelEvent]
  ) {
    self.interval = max(interval, .milliseconds(1))
    self.timer = timer
    self.newEvents = newEvents
  }

  /// Starts to publish changes to a hub. Does nothing if this has already started.
  func begin(for hub: EventHub) {
    state.withLock { state in
      guard state.task == nil, !state.isClosed else { return }
      state.task = Task.detached { [timer, interval, newEvents, weak hub] in
        while (try? await timer.sleep(for: interval)) != nil {
          guard let hub else { return }
          // A failed query, such as on a disk error, is repeated at the next poll.
          if let events = try? await newEvents(hub.lastID), !events.isEmpty { hub.publish(events) }
        }
      }
    }
  }

  /// Stops polling.
  func close() async {
    let task = state.withLock { state in
      state.isClosed = true
      return state.task.take()
    }
    task?.cancel()
    await task?.value
  }
}
