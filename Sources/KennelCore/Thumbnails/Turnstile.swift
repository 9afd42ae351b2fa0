import Synchronization

/// Lets so many tasks through at once; the others wait in line without a thread.
final class Turnstile: Sendable {
  private struct State: Sendable {
    var free: Int
    var nextID = 0
    /// In the order in which they came; those that were cancelled are skipped.
    var line: [Int] = []
    var head = 0
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var cancelled: Set<Int> = []

    /// Cancelled ones may not fill the line.
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
  private let waitingLimit: Int
  private let name: String

  /// - Parameters:
  ///   - name: what passes, for the sentence that says there is too much of it.
  ///   - waitingLimit: how many wait at most.
  init(_ name: String, passes: Int, waitingLimit: Int) {
    state = Mutex(State(free: max(passes, 1)))
    self.name = name
    self.waitingLimit = waitingLimit
  }

  /// How many wait for their turn.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Does the work when it is its turn.
  ///
  /// - Throws: `busy` when too many wait, `cancelled` when the task is cancelled before its turn.
  func pass<Value: Sendable>(
    _ work: () async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    guard try await enter() else { throw .cancelled }
    defer { leave() }
    return try await work()
  }

  private enum Entry {
    case free
    case wait
    case full
  }

  private func enter() async throws(KennelError) -> Bool {
    let (id, entry): (Int, Entry) = state.withLock { state in
      state.nextID += 1
      if state.free > 0 {
        state.free -= 1
        return (state.nextID, .free)
      }
      return (state.nextID, state.waiting.count < waitingLimit ? .wait : .full)
    }
    switch entry {
    case .free: return true
    case .full: throw KennelError(.busy, "Too many \(name) are waiting. Try again in a moment.")
    case .wait: break
    }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A pass may have become free since, or the task may have been cancelled.
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

  private func leave() {
    let next = state.withLock { state in
      let next = state.next()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: true)
  }
}
