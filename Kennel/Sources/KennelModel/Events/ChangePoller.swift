import KennelStorage
import Synchronization

/// Polls for changes by other processes. Polling starts with the first listener, so a command without listeners never
/// polls.
final class ChangePoller: Sendable {
  private struct State: Sendable {
    var tasks: [Task<Void, Never>] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let interval: Duration
  private let timer: any Clock<Duration>
  private let signals: AsyncStream<Void>?
  private let newEvents: @Sendable (_ after: Int64) async throws(KennelError) -> [KennelEvent]

  /// - Parameters:
  ///   - signals: an element for each moment at which there may be changes, before the next poll.
  ///   - newEvents: returns the events after an id, if there may be any.
  init(
    interval: Duration, timer: any Clock<Duration>, signals: AsyncStream<Void>? = nil,
    newEvents: @escaping @Sendable (_ after: Int64) async throws(KennelError) -> [KennelEvent]
  ) {
    self.interval = max(interval, .milliseconds(1))
    self.timer = timer
    self.signals = signals
    self.newEvents = newEvents
  }

  /// Starts to publish changes to a hub. Does nothing if this has already started.
  func begin(for hub: EventHub) {
    state.withLock { state in
      guard state.tasks.isEmpty, !state.isClosed else { return }
      state.tasks = [
        Task.detached { [timer, interval, newEvents, weak hub] in
          while (try? await timer.sleep(for: interval)) != nil {
            guard let hub else { return }
            await Self.publish(newEvents, to: hub)
          }
        }
      ]
      guard let signals else { return }
      state.tasks.append(
        Task.detached { [newEvents, weak hub] in
          for await _ in signals {
            guard let hub else { return }
            await Self.publish(newEvents, to: hub)
          }
        })
    }
  }

  private static func publish(
    _ newEvents: @Sendable (_ after: Int64) async throws(KennelError) -> [KennelEvent], to hub: EventHub
  ) async {
    // A failed query, such as on a disk error, is repeated at the next poll.
    if let events = try? await newEvents(hub.lastID), !events.isEmpty { hub.publish(events) }
  }

  /// Stops polling.
  func close() async {
    let tasks = state.withLock { state in
      state.isClosed = true
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
