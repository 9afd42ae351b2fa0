import Foundation
import Synchronization

/// Runs work that blocks or keeps processors busy on a bounded number of separate threads.
///
/// Such work must not block the threads of Swift's concurrency pool.
package enum Workers {
  /// Large, because syntax trees may be deep and are walked recursively.
  private static let stackSize = 64 << 20

  /// Returns the results in the order of the items. Throws if the task was cancelled in the meantime.
  ///
  /// - Parameter returnsOnCancellation: Whether a cancelled task returns immediately, without waiting for running work.
  ///   Such work may wait forever, for example for a pipe that no process writes to. Work that writes must finish.
  package static func map<Item: Sendable, Value: Sendable>(
    _ items: [Item], jobs: Int, returnsOnCancellation: Bool = true,
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
      queue.cancel(returnsOnCancellation: returnsOnCancellation)
    }
    guard let values, !Task.isCancelled else { throw CancellationError() }
    return values
  }

  /// Runs one piece of blocking work.
  static func run<Value: Sendable>(
    returnsOnCancellation: Bool = true, _ work: @escaping @Sendable () throws(FileProblem) -> Value
  ) async throws -> Value {
    let results = try await map([0], jobs: 1, returnsOnCancellation: returnsOnCancellation) { _ in
      Result { () throws(FileProblem) in try work() }
    }
    guard let result = results.first else { throw CancellationError() }
    return try result.get()
  }

  package static var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }
}

/// The state that the threads share.
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

  /// - Parameter end: Called once; with nil if some work was not done.
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

  func cancel(returnsOnCancellation: Bool) {
    let end = state.withLock { state in
      state.isCancelled = true
      return returnsOnCancellation ? state.end.take() : nil
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
      let isComplete = state.finished == items.count
      return (state.end.take(), isComplete ? state.values.compactMap(\.self) : nil)
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
