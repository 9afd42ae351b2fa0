import Testing

@testable import RetrieverImages

/// Random events in random order, in a simulated world that rejects every illegal action.
@Suite(.timeLimit(.minutes(5))) struct PipelineRandomEventsTests {
  private struct World {
    var test: MachineUnderTest
    var random: SeededGenerator
    var waiting: Set<WaiterID> = []
    var answered: Set<WaiterID> = []
    var lookingUp: Set<JobID> = []
    var fetching: [JobID: Bool] = [:]
    var backingOff: Set<JobID> = []
    var running: [PassID: Bool] = [:]
    var discarded: Set<JobID> = []
    var nextWaiter = 0

    mutating func perform(_ actions: [PipelineStateMachine.Action]) {
      for action in actions {
        switch action {
        case .lookUp(let job):
          #expect(!lookingUp.contains(job) && fetching[job] == nil && !discarded.contains(job))
          lookingUp.insert(job)
        case .fetch(let job):
          #expect(fetching[job] == nil && !lookingUp.contains(job) && !discarded.contains(job))
          fetching[job] = false
        case .backOff(let job, _):
          #expect(!discarded.contains(job))
          backingOff.insert(job)
        case .decode(let pass, let job, let forms, let followsFetch):
          #expect(!forms.isEmpty && running[pass] == nil && !discarded.contains(job))
          #expect(!followsFetch || fetching[job] != nil)
          running[pass] = followsFetch
        case .derive(let pass, let job, let forms, let source, _):
          #expect(!forms.isEmpty && running[pass] == nil && !discarded.contains(job))
          #expect(forms.allSatisfy { ThumbnailDerivation.isPossible(from: source, to: $0) })
          running[pass] = false
        case .stopPass(let pass):
          #expect(running.removeValue(forKey: pass) != nil)
        case .succeed(let waiters, let job, _):
          #expect(!discarded.contains(job))
          answer(waiters)
        case .fail(let waiters):
          answer(waiters)
        case .discard(let job):
          #expect(discarded.insert(job).inserted)
          lookingUp.remove(job)
          fetching[job] = nil
          backingOff.remove(job)
        }
      }
      checkInvariants()
    }

    mutating func answer(_ waiters: [WaiterID]) {
      for waiter in waiters {
        #expect(waiting.remove(waiter) != nil, "a waiter is answered twice, or after it has left")
        answered.insert(waiter)
      }
    }

    func checkInvariants() {
      let machine = test.machine
      #expect(machine.fetchSlots.count <= machine.fetchSlots.limits.total)
      for host in ["h0", "h1", "h2"] {
        #expect(machine.fetchSlots.count(in: host) <= machine.fetchSlots.limits.perHost)
      }
      #expect(machine.fetchSlots.prefetchCount <= machine.fetchSlots.limits.prefetch)
      #expect(running.values.count { !$0 } <= machine.decodeSlots.limits.total)
      #expect(Set(machine.waiters.keys) == waiting)
      #expect(machine.jobs.keys.allSatisfy { !discarded.contains($0) })
      for (id, job) in machine.jobs {
        #expect(job.interest.total > 0, "a job without a waiter continues")
        #expect(job.interest.total == machine.waiters.values.count { $0.job == id })
        if case .fetching = job.phase { #expect(fetching[id] != nil && machine.fetchSlots.contains(id)) }
      }
      for (waiter, record) in machine.waiters {
        guard let pass = record.pass, let target = record.target else { continue }
        #expect(machine.passes[pass]?.waiters[target]?.contains(waiter) == true, "a waiter is lost")
      }
    }

    mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? where Element: Hashable {
      elements.isEmpty ? nil : Array(elements).randomElement(using: &random)
    }

    mutating func ask() {
      nextWaiter += 1
      let waiter = WaiterID(number: nextWaiter)
      waiting.insert(waiter)
      let forms: [ImageForm] = [.fullSize] + [10, 20, 25, 50, 100, 200].map { .fit($0) }
      let form = Int.random(in: 0..<20, using: &random) == 0 ? nil : forms.randomElement(using: &random)
      var cached: ImageForm?
      if let form, Int.random(in: 0..<6, using: &random) == 0 {
        cached = ThumbnailDerivation.best(of: forms.shuffled(using: &random).prefix(2), for: form)
      }
      let number = Int.random(in: 0..<8, using: &random)
      let priority = WorkPriority.allCases.randomElement(using: &random) ?? .normal
      perform(
        test.ask(
          waiter, for: form, of: form == nil ? "r\(number)" : "i\(number)", host: "h\(number % 3)",
          priority, isPrefetch: Bool.random(using: &random), cached: cached))
    }

    mutating func step() {
      switch Int.random(in: 0..<16, using: &random) {
      case 0...2: ask()
      case 3:
        guard let waiter = pick(waiting) else { return }
        waiting.remove(waiter)
        let (wasWaiting, actions) = test.machine.cancel(waiter)
        #expect(wasWaiting)
        perform(actions)
      case 4:
        guard let waiter = pick(waiting) else { return }
        perform(
          test.machine.setUrgency(Urgency(level: Int.random(in: 0..<10, using: &random)), of: waiter))
      case 5, 6:
        guard let job = pick(lookingUp) else { return }
        lookingUp.remove(job)
        let fate = Int.random(in: 0..<10, using: &random)
        perform(
          fate == 0
            ? test.machine.bytesFailed(job) : test.machine.lookUpEnded(job, fate < 5 ? .stored : .missing))
      case 7, 8:
        guard let job = pick(fetching.filter { !$0.value }.keys) else { return }
        fetching[job] = true
        perform(test.machine.bytesBegan(job))
      case 9, 10:
        guard let job = pick(fetching.keys) else { return }
        fetching[job] = nil
        perform(test.machine.fetchEnded(job))
      case 11:
        guard let job = pick(fetching.keys) else { return }
        fetching[job] = nil
        perform(test.machine.fetchFailed(job, mayRetry: Bool.random(using: &random)))
      case 12:
        guard let job = pick(backingOff) else { return }
        backingOff.remove(job)
        perform(test.machine.backOffElapsed(job))
      case 13, 14:
        guard let pass = pick(running.keys) else { return }
        running[pass] = nil
        let fate = Int.random(in: 0..<8, using: &random)
        var actions: [PipelineStateMachine.Action] = []
        if fate == 1, let target = test.machine.passes[pass]?.order.randomElement(using: &random) {
          actions = test.machine.targetFailed(pass, target)
        }
        perform(actions + (fate == 0 ? test.machine.passFailed(pass) : test.machine.passEnded(pass)))
      default:
        if Bool.random(using: &random) {
          guard let job = pick(fetching.filter(\.value).keys) else { return }
          fetching[job] = false
          perform(test.machine.bytesRestarted(job))
        } else if let pass = pick(test.machine.passes.filter { $0.value.state == .running }.keys),
          let record = test.machine.passes[pass]
        {
          if record.source != .bytes {
            running[pass] = nil
            perform(test.machine.sourceLost(pass))
          } else if test.machine.jobs[record.job]?.phase == .available,
            !test.machine.fetchSlots.contains(record.job)
          {
            perform(test.machine.bytesLost(record.job))
          }
        }
      }
    }

    /// Ends all work that runs, without new waiters.
    mutating func drain() {
      for _ in 0..<5_000 where !waiting.isEmpty {
        if let job = lookingUp.popFirst() { perform(test.machine.lookUpEnded(job, .missing)) }
        if let job = fetching.keys.first {
          fetching[job] = nil
          perform(test.machine.fetchEnded(job))
        }
        if let job = backingOff.popFirst() { perform(test.machine.backOffElapsed(job)) }
        if let pass = running.keys.first {
          running[pass] = nil
          perform(test.machine.passEnded(pass))
        }
      }
    }
  }

  @Test(arguments: 0..<40) func `every waiter is answered once and the slot limits are kept`(seed: UInt64) {
    var world = World(
      test: MachineUnderTest(fetches: 4, perHost: 2, decodes: 2), random: SeededGenerator(seed: seed))
    for _ in 0..<400 { world.step() }
    world.drain()
    #expect(world.waiting.isEmpty, "a waiter waits forever")
    #expect(world.test.machine.jobs.isEmpty && world.test.machine.passes.isEmpty)
    #expect(world.test.machine.jobsByKey.isEmpty)
    #expect(world.test.machine.fetchSlots.count == 0 && world.test.machine.decodeSlots.count == 0)
    #expect(world.test.machine.fetchQueue.count == 0 && world.test.machine.decodeQueue.count == 0)
  }
}
