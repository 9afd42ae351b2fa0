import Synchronization

/// Limits the number of tasks that run at the same time. Other tasks wait in a queue without blocking a thread.
final class AsyncSemaphore: Sendable {
  private struct State: Sendable {
    var free: Int
    var nextID = 0
    /// The waiting tasks in order of arrival. Cancelled ones are skipped.
    var line: [Int] = []
    var head = 0
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var cancelled: Set<Int> = []

    /// Removes cancelled tasks from the queue, so that they do not fill it.
    mutating func tidy() {
      guard line.count - head > 2 * waiting.count + 64 else { return }
      line = line[head...].filter { waiting[$0] != nil }
      head = 0
    }

    mutating func next() -> CheckedContinuation<Bool, Never>? {
      while head < line.count {
        let id = line[head]
        head += 1
        if head > 64, head > line.count / 2 {
          line.removeFirst(head)
          head = 0
        }
        if let continuation = waiting.removeValue(forKey: id) { return continuation }
      }
      return nil
    }
  }

  private let state: Mutex<State>
  private let maximumWaitingCount: Int
  private let name: String

  /// - Parameters:
  ///   - name: the plural name of the work, for the error message when too many tasks are waiting.
  ///   - maximumWaitingCount: the maximum number of waiting tasks.
  init(_ name: String, permits: Int, maximumWaitingCount: Int) {
    state = Mutex(State(free: max(permits, 1)))
    self.name = name
    self.maximumWaitingCount = maximumWaitingCount
  }

  /// The number of waiting tasks.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs the work when a permit is free.
  ///
  /// - Throws: `busy` if too many tasks are waiting, `cancelled` if the task is cancelled while it is waiting.
  func withPermit<Value: Sendable>(
    _ work: () async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    guard try await acquire() else { throw .cancelled }
    defer { release() }
    return try await work()
  }

  private enum Entry {
    case free
    case wait
    case full
  }

  private func acquire() async throws(KennelError) -> Bool {
    let (id, entry): (Int, Entry) = state.withLock { state in
      state.nextID += 1
      if state.free > 0 {
        state.free -= 1
        return (state.nextID, .free)
      }
      return (state.nextID, state.waiting.count < maximumWaitingCount ? .wait : .full)
    }
    switch entry {
    case .free: return true
    case .full: throw KennelError(.busy, "Too many \(name) are waiting. Try again in a moment.")
    case .wait: break
    }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // In the meantime, a permit may have become free, or the task may have been cancelled.
        let answer: Bool? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.line.append(id)
          state.waiting[id] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        let continuation = state.waiting.removeValue(forKey: id)
        if continuation == nil { state.cancelled.insert(id) }
        state.tidy()
        return continuation
      }
      continuation?.resume(returning: false)
    }
  }

  private func release() {
    let next = state.withLock { state in
      let next = state.next()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: true)
  }
}
