import Testing

@testable import TransferEngine

@Suite struct NameServiceStateMachineTests {
  private typealias Machine = NameServiceStateMachine<Int>

  private func moment(_ seconds: Int64) -> Monotonic { Monotonic(nanoseconds: seconds * 1_000_000_000) }

  /// Asks for a name. Returns the waiter's number, and whether to start a worker; nil if there is an immediate answer.
  private func ask(
    _ machine: inout NameServiceStateMachine<Int>, _ name: String, at seconds: Int64 = 0, waiter: Int
  ) -> (id: UInt64, startsWorker: Bool)? {
    switch machine.ask(name, now: moment(seconds), waiter: waiter) {
    case .answer: nil
    case .wait(let id, let startsWorker): (id, startsWorker)
    }
  }

  /// Returns the next `count` names for workers.
  private func names(_ machine: inout NameServiceStateMachine<Int>, _ count: Int) -> [String?] {
    var names: [String?] = []
    for _ in 0..<count { names.append(machine.nextName()) }
    return names
  }

  private func answer(
    _ machine: inout NameServiceStateMachine<Int>, _ name: String, at seconds: Int64 = 0
  ) -> [String]? {
    switch machine.ask(name, now: moment(seconds), waiter: -1) {
    case .answer(let addresses, _): addresses
    case .wait: nil
    }
  }

  @Test func `requests for the same name share one look-up`() {
    var machine = Machine()
    #expect(ask(&machine, "a", waiter: 1)?.startsWorker == true)
    #expect(ask(&machine, "a", waiter: 2)?.startsWorker == false)
    #expect(machine.nextName() == "a")
    #expect(ask(&machine, "a", waiter: 3)?.startsWorker == false)
    #expect(machine.questionCount == 1)
    #expect(machine.answered("a", ["192.0.2.1"], now: moment(0)) == [1, 2, 3])
    #expect(machine.nextName() == nil)
    #expect(machine.workers == 0)
  }

  @Test func `names wait in order when all workers are busy`() {
    var machine = Machine(maximumWorkers: 2)
    var starts: [Bool?] = []
    for name in ["a", "b", "c", "d"] { starts.append(ask(&machine, name, waiter: 0)?.startsWorker) }
    #expect(starts == [true, true, false, false])
    #expect(names(&machine, 4) == ["a", "b", "c", "d"])
    #expect(machine.nextName() == nil)
    #expect(machine.workers == 1)
  }

  @Test func `an answer is kept until it expires`() {
    var machine = Machine(lifetime: .seconds(60))
    _ = ask(&machine, "a", waiter: 1)
    _ = machine.nextName()
    _ = machine.answered("a", ["192.0.2.1"], now: moment(10))
    #expect(answer(&machine, "a", at: 69) == ["192.0.2.1"])
    #expect(answer(&machine, "a", at: 70) == nil)
  }

  @Test(arguments: [nil, []] as [[String]?])
  func `a failure is not kept`(addresses: [String]?) {
    var machine = Machine()
    _ = ask(&machine, "a", waiter: 1)
    _ = machine.nextName()
    #expect(machine.answered("a", addresses, now: moment(0)) == [1])
    #expect(machine.entryCount == 0)
    #expect(answer(&machine, "a") == nil)
  }

  @Test func `addresses that were forgotten are asked for again`() {
    var machine = Machine()
    _ = machine.answered("a", ["192.0.2.1"], now: moment(0))
    machine.forget("a")
    #expect(ask(&machine, "a", waiter: 1)?.startsWorker == true)
  }

  @Test func `a waiter that withdraws receives no answer, and the others do`() throws {
    var machine = Machine()
    let first = try #require(ask(&machine, "a", waiter: 1))
    _ = ask(&machine, "a", waiter: 2)
    machine.withdraw(first.id, from: "a")
    machine.withdraw(first.id, from: "a")
    machine.withdraw(first.id, from: "b")
    _ = machine.nextName()
    #expect(machine.answered("a", ["192.0.2.1"], now: moment(0)) == [2])
  }

  @Test func `a name without waiters is not looked up`() throws {
    var machine = Machine(maximumWorkers: 1)
    _ = ask(&machine, "a", waiter: 1)
    let second = try #require(ask(&machine, "b", waiter: 2))
    machine.withdraw(second.id, from: "b")
    #expect(machine.questionCount == 1)
    #expect(machine.nextName() == "a")
    #expect(machine.nextName() == nil)
  }

  @Test func `a running look-up continues without waiters and accepts new ones`() throws {
    var machine = Machine()
    let first = try #require(ask(&machine, "a", waiter: 1))
    _ = machine.nextName()
    machine.withdraw(first.id, from: "a")
    #expect(ask(&machine, "a", waiter: 2)?.startsWorker == false)
    #expect(machine.answered("a", ["192.0.2.1"], now: moment(0)) == [2])
  }

  @Test func `a name that is requested again after it was withdrawn is looked up once, at its new place`()
    throws
  {
    var machine = Machine(maximumWorkers: 1)
    let first = try #require(ask(&machine, "a", waiter: 1))
    _ = ask(&machine, "b", waiter: 2)
    machine.withdraw(first.id, from: "a")
    _ = ask(&machine, "a", waiter: 3)
    #expect(names(&machine, 3) == ["b", "a", nil])
  }

  @Test func `requesting and withdrawing the same name repeatedly uses no memory`() throws {
    var machine = Machine(maximumWorkers: 1)
    _ = ask(&machine, "slow", waiter: 0)
    _ = machine.nextName()
    for _ in 0..<10_000 {
      let waiter = try #require(ask(&machine, "a", waiter: 1))
      machine.withdraw(waiter.id, from: "a")
    }
    #expect(machine.queueLength < 200)
  }

  @Test func `the cache is limited, and the entry that expires first is removed first`() {
    var machine = Machine(maximumEntries: 3, lifetime: .seconds(60))
    for second in 0..<5 { _ = machine.answered("\(second)", ["192.0.2.1"], now: moment(Int64(second))) }
    #expect(machine.entryCount == 3)
    for second in 0..<5 { #expect((answer(&machine, "\(second)", at: 5) != nil) == (second > 1)) }
    _ = machine.answered("new", ["192.0.2.1"], now: moment(63))
    #expect(machine.entryCount == 2)
  }

  @Test func `a renewed answer does not evict another one`() {
    var machine = Machine(maximumEntries: 2)
    for name in ["a", "b", "b", "b"] { _ = machine.answered(name, ["192.0.2.1"], now: moment(0)) }
    #expect(answer(&machine, "a") != nil)
    #expect(answer(&machine, "b") != nil)
  }

  @Test func `a worker that cannot be started leaves its name to the others`() {
    var machine = Machine()
    _ = ask(&machine, "a", waiter: 1)
    _ = ask(&machine, "b", waiter: 2)
    #expect(machine.workerFailed() == [])
    #expect(names(&machine, 3) == ["a", "b", nil])
  }

  @Test func `no waiter waits forever if no worker can be started`() {
    var machine = Machine()
    _ = ask(&machine, "a", waiter: 1)
    _ = ask(&machine, "a", waiter: 2)
    #expect(machine.workerFailed() == [1, 2])
    #expect(machine.questionCount == 0)
    #expect(ask(&machine, "a", waiter: 3)?.startsWorker == true)
    #expect(machine.nextName() == "a")
  }
}
