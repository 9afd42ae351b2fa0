import Foundation
import Synchronization

/// Work that keeps processors busy, on a bounded set of threads of its own: those of Swift's tasks must not be held up.
package enum Workers {
  /// Trees may be deep, and are walked by recursion.
  private static let stackSize = 64 << 20

  /// The results in the order of the items; throws if the task was cancelled meanwhile.
  ///
  /// - Parameter isAbandonable: whether a cancelled task leaves at once what is under way, which may be a file that
  ///   nobody writes to. What writes has to come to its end.
  package static func map<Item: Sendable, Value: Sendable>(
    _ items: [Item], jobs: Int, isAbandonable: Bool = true,
    done: @escaping @Sendable (Int) -> Void = { _ in },
    _ work: @escaping @Sendable (Item) -> Value
  ) async throws(CancellationError) -> [Value] {
    if items.isEmpty { return [] }
    let queue = WorkQueue(items: items, work: work, done: done)
    let values = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.start(threads: min(max(1, jobs), items.count), stackSize: stackSize) {
          continuation.resume(returning: $0)
        }
      }
    } onCancel: {
      queue.cancel(isAbandonable: isAbandonable)
    }
    guard let values, !Task.isCancelled else { throw CancellationError() }
    return values
  }

  /// One piece of work that blocks.
  static func run<Value: Sendable>(
    isAbandonable: Bool = true, _ work: @escaping @Sendable () throws(FileProblem) -> Value
  ) async throws -> Value {
    let results = try await map([0], jobs: 1, isAbandonable: isAbandonable) { _ in
      Result { () throws(FileProblem) in try work() }
    }
    guard let result = results.first else { throw CancellationError() }
    return try result.get()
  }

  package static var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }
}

/// What the threads share.
private final class WorkQueue<Item: Sendable, Value: Sendable>: Sendable {
  private struct State {
    var next = 0
    var finished = 0
    var running = 0
    var isCancelled = false
    var values: [Value?]
    var end: (@Sendable ([Value]?) -> Void)?
  }

  private let items: [Item]
  private let work: @Sendable (Item) -> Value
  private let done: @Sendable (Int) -> Void
  private let state: Mutex<State>

  init(
    items: [Item], work: @escaping @Sendable (Item) -> Value, done: @escaping @Sendable (Int) -> Void
  ) {
    self.items = items
    self.work = work
    self.done = done
    state = Mutex(State(values: Array(repeating: nil, count: items.count)))
  }

  /// - Parameter end: called once; with nil when not all was done.
  func start(threads: Int, stackSize: Int, end: @escaping @Sendable ([Value]?) -> Void) {
    let isCancelled = state.withLock { state in
      state.running = threads
      if !state.isCancelled { state.end = end }
      return state.isCancelled
    }
    if isCancelled { return end(nil) }
    for _ in 0..<threads {
      let thread = Thread { self.run() }
      thread.stackSize = stackSize
      thread.start()
    }
  }

  func cancel(isAbandonable: Bool) {
    let end = state.withLock { state in
      state.isCancelled = true
      return isAbandonable ? state.end.take() : nil
    }
    end?(nil)
  }

  private func run() {
    while let index = take() {
      let value = work(items[index])
      let finished = state.withLock { state in
        state.values[index] = value
        state.finished += 1
        return state.finished
      }
      done(finished)
    }
    let (end, values) = state.withLock { state -> ((@Sendable ([Value]?) -> Void)?, [Value]?) in
      state.running -= 1
      guard state.running == 0 else { return (nil, nil) }
      let isWhole = state.finished == items.count
      return (state.end.take(), isWhole ? state.values.compactMap(\.self) : nil)
    }
    end?(values)
  }

  private func take() -> Int? {
    state.withLock { state in
      guard !state.isCancelled, state.next < items.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }
}
