import Synchronization
import TestSupport
import Testing
import Waiting

/// A number that tasks wait for. A cancelled task gets -1.
private final class Announcement: Sendable {
  struct State: Sendable {
    var waiters = WaitingTasks<Int>()
    var available: [Int] = []
  }

  let state = Mutex(State())

  func next(afterLook: @Sendable () -> Void = {}) async -> Int {
    await state.wait(in: \.waiters, ifCancelled: -1) { state in
      defer { afterLook() }
      return state.available.popLast()
    }
  }

  func announceToFirst(_ number: Int) {
    state.withLock { $0.waiters.popFirst() }?.resume(returning: number)
  }

  func announceToAll(_ number: Int) {
    for waiter in state.withLock({ $0.waiters.takeAll() }) { waiter.resume(returning: number) }
  }

  var count: Int { state.withLock { $0.waiters.count } }
  var entryCount: Int { state.withLock { $0.waiters.entryCount } }
}

@Suite(.timeLimit(.minutes(5))) struct WaitersTests {
  @Test func `the task that has waited longest is resumed first`() async {
    let announcement = Announcement()
    var tasks: [Task<Int, Never>] = []
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
    #expect(await first.value == -1)
    announcement.announceToFirst(2)
    #expect(await second.value == 2)
  }

  @Test func `a task that was cancelled before it waits does not wait`() async {
    let announcement = Announcement()
    let task = Task {
      await announcement.next { withUnsafeCurrentTask { $0?.cancel() } }
    }
    #expect(await task.value == -1)
    #expect(announcement.entryCount == 0)
  }

  @Test func `an answer that is available is returned even to a cancelled task`() async {
    let announcement = Announcement()
    announcement.state.withLock { $0.available = [7] }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await announcement.next()
    }
    #expect(await task.value == 7)
    #expect(announcement.entryCount == 0)
  }

  @Test func `an answer that becomes available before the task waits is not missed`() async {
    let announcement = Announcement()
    let looks = Mutex(0)
    let answer = await announcement.state.wait(in: \.waiters, ifCancelled: -1) { state in
      // The first look finds nothing.
      looks.withLock { looks in
        looks += 1
        return looks == 1 ? nil : 7
      }
    }
    #expect(answer == 7)
    #expect(announcement.entryCount == 0)
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
    #expect(announcement.entryCount == 0)
  }

  private enum Life { case announced, cancelled, waiting, ended }

  /// Compares the value with a table of tasks.
  @Test func `each waiter is returned once, in order, for random sequences of events`() {
    for seed in 0..<2_000 as Range<UInt64> {
      var waiters = Waiters<Int>()
      var tokens: [Waiters<Int>.Token] = []
      var lives: [Life] = []
      /// The waiting numbers, the oldest first.
      var line: [Int] = []
      SeededRandom.draw(40, eventsOf: 7, seed: seed) { kind, random in
        let number = lives.isEmpty ? 0 : Int.random(in: lives.indices, using: &random)
        switch kind {
        case 0, 1:
          tokens.append(waiters.makeToken())
          lives.append(.announced)
        case 2, 3:
          guard
            let number = lives.indices.first(where: {
              lives[$0] == .announced || lives[$0] == .cancelled
            })
          else { return }
          let waits = waiters.wait(number, as: tokens[number])
          #expect(waits == (lives[number] == .announced), "seed \(seed)")
          lives[number] = waits ? .waiting : .ended
          if waits { line.append(number) }
        case 4 where !lives.isEmpty:
          let waiter = waiters.cancel(tokens[number])
          #expect(waiter == (lives[number] == .waiting ? number : nil), "seed \(seed)")
          line.removeAll { $0 == number }
          lives[number] =
            lives[number] == .announced
            ? .cancelled : lives[number] == .cancelled ? .cancelled : .ended
        case 5:
          #expect(waiters.popFirst() == line.first, "seed \(seed)")
          if !line.isEmpty { lives[line.removeFirst()] = .ended }
        case 6 where Int.random(in: 0..<4, using: &random) == 0:
          #expect(waiters.takeAll() == line, "seed \(seed)")
          for number in line { lives[number] = .ended }
          line = []
        default: break
        }
        #expect(waiters.count == line.count, "seed \(seed)")
        #expect(
          waiters.entryCount == lives.count { $0 == .announced || $0 == .waiting }, "seed \(seed)")
      }
    }
  }
}
