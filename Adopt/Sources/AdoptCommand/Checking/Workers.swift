import Foundation
import Synchronization

/// Work that keeps processors busy, on a bounded set of threads of its own: those of Swift's tasks must not be held up.
enum Workers {
  /// Trees may be deep, and are walked by recursion.
  private static let stackSize = 64 << 20

  /// The results in the order of the items; throws if the task was cancelled meanwhile.
  static func map<Item: Sendable, Value: Sendable>(
    _ items: [Item], jobs: Int, done: @escaping @Sendable (Int) -> Void = { _ in },
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
      queue.cancel()
    }
    guard let values, !Task.isCancelled else { throw CancellationError() }
    return values
  }

  /// Something that blocks, away from the threads of Swift's tasks.
  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: work()) }
      thread.stackSize = stackSize
      thread.start()
    }
  }

  static var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }
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

  /// - Parameter end: called once, by the last thread; with nil when not all was done.
  func start(threads: Int, stackSize: Int, end: @escaping @Sendable ([Value]?) -> Void) {
    state.withLock { state in
      state.running = threads
      state.end = end
    }
    for _ in 0..<threads {
      let thread = Thread { self.run() }
      thread.stackSize = stackSize
      thread.start()
    }
  }

  func cancel() { state.withLock { $0.isCancelled = true } }

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
