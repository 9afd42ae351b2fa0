import Synchronization

/// The number of events that a sequence buffers for a slow reader, and the policy for further events.
///
/// A limit below 1 counts as 1.
public enum EventBuffering: Sendable, Hashable {
  /// Keeps the newest events. If the buffer is full, the oldest event is dropped.
  case droppingOldest(limit: Int)
  /// Keeps the oldest events. If the buffer is full, new events are dropped.
  case droppingNewest(limit: Int)
  /// Fails if the buffer is full: after the buffered events, the sequence throws ``BridgeError/Code/bufferOverflow``.
  case failing(limit: Int)

  var limit: Int {
    switch self {
    case .droppingOldest(let limit), .droppingNewest(let limit), .failing(let limit): max(limit, 1)
    }
  }
}

/// Drives a ``BufferStateMachine``: changes its state under a lock, and then performs the action after unlocking.
final class EventBuffer<Element: Sendable>: Sendable {
  private typealias Machine = BufferStateMachine<Element, CheckedContinuation<Element?, any Error>>

  private let site: CallSite
  private let state: Mutex<Machine>

  init(buffering: EventBuffering, site: CallSite) {
    self.site = site
    let overflow = BridgeError(.bufferOverflow, at: site, count: buffering.limit)
    state = Mutex(Machine(buffering: buffering, overflowError: overflow))
  }

  var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Adds an element. Returns false for the element that overflows the buffer, and true otherwise.
  @discardableResult func append(_ element: Element) -> Bool {
    // Elements that the state machine returns are released here, where no lock is held.
    switch state.withLock({ $0.append(element) }) {
    case .stored, .dropped: return true
    case .overflowed: return false
    case .resume(let waiter, let element):
      waiter.resume(returning: element)
      return true
    }
  }

  func finish(throwing error: (any Error)? = nil) {
    switch state.withLock({ $0.finish(throwing: error) }) {
    case .none: break
    case .resume(let waiter, throwing: let error?): waiter.resume(throwing: error)
    case .resume(let waiter, throwing: nil): waiter.resume(returning: nil)
    }
  }

  /// Returns the next element; nil at the end. Cancelling the task ends the sequence with `CancellationError`.
  func next(isolation: isolated (any Actor)?) async throws -> Element? {
    if Task.isCancelled { cancel() }
    switch state.withLock({ $0.next() }) {
    case .deliver(let element): return element
    case .end: return nil
    case .fail(let error): throw error
    case .contended: throw BridgeError(.concurrentIteration, at: site)
    case .wait: break
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation(isolation: isolation) { waiter in
        switch state.withLock({ $0.suspend(waiter) }) {
        case .deliver(let element): waiter.resume(returning: element)
        case .end: waiter.resume(returning: nil)
        case .fail(let error): waiter.resume(throwing: error)
        case .contended: waiter.resume(throwing: BridgeError(.concurrentIteration, at: site))
        case .wait: break
        }
      }
    } onCancel: {
      cancel()
    }
  }

  func cancel() {
    state.withLock { $0.cancel() }.waiter?.resume(throwing: CancellationError())
  }
}
