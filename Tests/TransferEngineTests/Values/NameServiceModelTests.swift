import TestSupport
import Testing

@testable import TransferEngine

/// Compares a million random events with a simple name service that searches arrays.
@Suite struct NameServiceModelTests {
  @Test(arguments: 0..<20) func `every waiter is answered once, or has withdrawn`(seed: UInt64) {
    var run = Run(seed)
    for step in 0..<50_000 {
      run.step()
      if let difference = run.difference {
        Issue.record("Seed \(seed), step \(step): \(difference)")
        return
      }
    }
    run.drain()
    #expect(run.difference == nil)
  }

  /// The state machine, its workers, and the expected state.
  private struct Run {
    private static let names = ["a", "b", "c", "d", "e", "f", "g"]

    private struct Question {
      var name: String
      var waiters: [(id: UInt64, waiter: Int)]
      var isBeingAsked = false
    }

    private var random: SeededRandom
    private var machine: NameServiceStateMachine<Int>
    private let maximumWorkers: Int
    private let maximumEntries: Int
    private var now: Int64 = 0
    /// In the order in which they were asked.
    private var questions: [Question] = []
    private var entries: [(name: String, address: String, expiry: Int64)] = []
    /// The number of workers that were started or are between two names, and the names that the other workers look up.
    private var idleWorkers = 0
    private var asking: [String] = []
    private var lastWaiter = 0
    /// The waiters without an answer, and the most recent waiters.
    private var outstanding: Set<Int> = []
    private var recent: [(id: UInt64, name: String)] = []
    private(set) var difference: String?

    init(_ seed: UInt64) {
      random = SeededRandom(seed)
      maximumWorkers = Int(seed % 4) + 1
      maximumEntries = Int(seed % 3) + 2
      machine = NameServiceStateMachine(
        maximumWorkers: maximumWorkers, maximumEntries: maximumEntries, lifetime: .nanoseconds(40))
    }

    mutating func step() {
      let draw = random.next()
      now += Int64((draw >> 32) & 1)
      switch draw & 15 {
      case 0...5: ask(Self.names[Int((draw >> 8) % 7)])
      case 6...7: withdraw(draw)
      case 8: forget(Self.names[Int((draw >> 8) % 7)])
      case 9...11: takeName()
      case 12...14: answer(draw)
      default: failWorker()
      }
      compare(machine.workers, idleWorkers + asking.count, "workers")
      compare(machine.workers <= maximumWorkers, true, "maximum number of workers")
      compare(machine.questionCount, questions.count, "questions")
      compare(machine.entryCount, entries.count, "entries")
      compare(machine.queueLength <= 200, true, "maximum length of the queue")
    }

    /// Lets the workers run until they end.
    mutating func drain() {
      for _ in 0..<200 where idleWorkers + asking.count > 0 && difference == nil {
        if idleWorkers > 0 { takeName() } else { answer(0) }
      }
      compare(outstanding.count, 0, "unanswered waiters")
      compare(machine.questionCount, 0, "questions at the end")
      compare(machine.workers, 0, "workers at the end")
    }

    private func index(of name: String) -> Int? {
      for index in 0..<questions.count where questions[index].name == name { return index }
      return nil
    }

    private mutating func ask(_ name: String) {
      lastWaiter += 1
      let step = machine.ask(name, now: Monotonic(nanoseconds: now), waiter: lastWaiter)
      var known: (address: String, expiry: Int64)?
      for entry in entries where entry.name == name && entry.expiry > now {
        known = (entry.address, entry.expiry)
      }
      switch step {
      case .answer(let addresses, let expiry):
        compare(addresses, known.map { [$0.address] } ?? [], "answer of \(name)")
        compare(expiry.nanoseconds, known?.expiry ?? -1, "expiry of \(name)")
      case .wait(let id, let startsWorker):
        compare(known == nil, true, "\(name) is known")
        let isNew = index(of: name) == nil
        compare(startsWorker, isNew && idleWorkers + asking.count < maximumWorkers, "start of a worker")
        if startsWorker { idleWorkers += 1 }
        if isNew { questions.append(Question(name: name, waiters: [])) }
        if let index = index(of: name) { questions[index].waiters.append((id, lastWaiter)) }
        outstanding.insert(lastWaiter)
        if recent.count < 8 { recent.append((id, name)) } else { recent[lastWaiter & 7] = (id, name) }
      }
    }

    private mutating func withdraw(_ draw: UInt64) {
      guard !recent.isEmpty else { return }
      let (id, name) = recent[Int((draw >> 8) % UInt64(recent.count))]
      machine.withdraw(id, from: name)
      guard let index = index(of: name),
        let place = questions[index].waiters.firstIndex(where: { $0.id == id })
      else { return }
      outstanding.remove(questions[index].waiters.remove(at: place).waiter)
      if questions[index].waiters.isEmpty, !questions[index].isBeingAsked { questions.remove(at: index) }
    }

    private mutating func forget(_ name: String) {
      machine.forget(name)
      entries.removeAll { $0.name == name }
    }

    private mutating func takeName() {
      guard idleWorkers > 0 else { return }
      idleWorkers -= 1
      let next = questions.firstIndex { !$0.isBeingAsked }
      let name = machine.nextName()
      compare(name, next.map { questions[$0].name }, "next name")
      guard let name, let next else { return }
      questions[next].isBeingAsked = true
      asking.append(name)
    }

    private mutating func answer(_ draw: UInt64) {
      guard !asking.isEmpty else { return }
      let name = asking.remove(at: Int((draw >> 8) % UInt64(asking.count)))
      idleWorkers += 1
      // No two answers expire at the same time, so that it is clear which one is removed first.
      now += 1
      let kind = (draw >> 16) & 3
      let address = "192.0.2.\(now & 255)"
      let waiters = machine.answered(
        name, kind == 0 ? nil : kind == 1 ? [] : [address], now: Monotonic(nanoseconds: now))
      if kind > 1 { keep(name, address) }
      guard let index = index(of: name) else {
        compare(waiters, [], "waiters of \(name)")
        return
      }
      compare(waiters, questions.remove(at: index).waiters.map(\.waiter), "waiters of \(name)")
      giveAnswer(to: waiters)
    }

    private mutating func keep(_ name: String, _ address: String) {
      let isRenewed = entries.contains { $0.name == name }
      entries.removeAll { $0.name == name }
      if !isRenewed, entries.count >= maximumEntries {
        entries.removeAll { $0.expiry <= now }
        // The entries are in order of creation, so the first one expires first.
        if entries.count >= maximumEntries { entries.removeFirst() }
      }
      entries.append((name, address, now + 40))
    }

    private mutating func failWorker() {
      guard idleWorkers > 0 else { return }
      idleWorkers -= 1
      let waiters = machine.workerFailed()
      guard idleWorkers + asking.count == 0 else { return compare(waiters, [], "waiters of a failed worker") }
      compare(waiters.sorted(), questions.flatMap { $0.waiters.map(\.waiter) }.sorted(), "unanswered waiters")
      questions = []
      giveAnswer(to: waiters)
    }

    private mutating func giveAnswer(to waiters: [Int]) {
      for waiter in waiters where outstanding.remove(waiter) == nil {
        compare("answered", "waiting", "waiter \(waiter)")
      }
    }

    private mutating func compare<Value: Equatable>(
      _ value: Value, _ expected: Value, _ what: @autoclosure () -> String
    ) {
      if value != expected, difference == nil { difference = "\(what()): \(value), expected \(expected)" }
    }
  }
}
