import Synchronization
import TestSupport
import Testing
import Waiting

/// A number that tasks wait for, written as the documentation of ``Waiters`` recommends.
private final class Announcement: Sendable {
  struct State {
    var waiters = Waiters<Int?, Never>()
  }

  let state = Mutex(State())

  func next(beforeWaiting: () -> Void = {}) async -> Int? {
    let token = state.withLock { $0.waiters.makeToken() }
    beforeWaiting()
    defer { state.withLock { $0.waiters.forget(token) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { $0.waiters.wait(continuation, as: token) }
        if !isWaiting { continuation.resume(returning: nil) }
      }
    } onCancel: {
      state.withLock { $0.waiters.cancel(token) }?.resume(returning: nil)
    }
  }

  func announceToFirst(_ number: Int) {
    state.withLock { $0.waiters.popFirst() }?.resume(returning: number)
  }

  func announceToAll(_ number: Int) {
    for waiter in state.withLock({ $0.waiters.takeAll() }) { waiter.resume(returning: number) }
  }

  var count: Int { state.withLock { $0.waiters.count } }
}

@Suite(.timeLimit(.minutes(1))) struct WaitersTests {
  @Test func `the task that has waited longest is resumed first`() async {
    let announcement = Announcement()
    var tasks: [Task<Int?, Never>] = []
    for number in 1...3 {
      tasks.append(Task { await announcement.next() })
      #expect(await eventually { announcement.count == number })
    }
    for number in 1...3 { announcement.announceToFirst(number) }
    for number in 1...3 { #expect(await tasks[number - 1].value == number) }
  }

  @Test func `all waiting tasks are resumed together`() async {
    let announcement = Announcement()
    let tasks = (0..<5).map { _ in Task { await announcement.next() } }
    #expect(await eventually { announcement.count == 5 })
    announcement.announceToAll(7)
    for task in tasks { #expect(await task.value == 7) }
    #expect(announcement.count == 0)
  }

  @Test func `a cancelled task does not wait any longer, and the others do`() async {
    let announcement = Announcement()
    let first = Task { await announcement.next() }
    #expect(await eventually { announcement.count == 1 })
    let second = Task { await announcement.next() }
    #expect(await eventually { announcement.count == 2 })
    first.cancel()
    #expect(await first.value == nil)
    announcement.announceToFirst(2)
    #expect(await second.value == 2)
  }

  @Test func `a task that was cancelled before it waits does not wait`() async {
    let announcement = Announcement()
    let task = Task {
      await announcement.next { withUnsafeCurrentTask { $0?.cancel() } }
    }
    #expect(await task.value == nil)
    #expect(announcement.count == 0)
  }

  /// Tasks are cancelled and resumed in random order. Each ends, and nothing is left.
  @Test(arguments: 0..<10) func `every wait ends once`(seed: UInt64) async {
    let announcement = Announcement()
    var random = SeededRandom(seed)
    let tasks = (0..<200).map { _ in Task { await announcement.next() } }
    for task in tasks.shuffled(using: &random).prefix(100) {
      task.cancel()
      if Bool.random(using: &random) { announcement.announceToFirst(1) }
    }
    let rest = Task {
      while !Task.isCancelled {
        announcement.announceToAll(2)
        await Task.yield()
      }
    }
    for task in tasks { _ = await task.value }
    rest.cancel()
    #expect(announcement.count == 0)
  }
}
