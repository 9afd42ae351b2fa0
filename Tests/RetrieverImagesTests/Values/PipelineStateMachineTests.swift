import Testing

@testable import RetrieverImages

@Suite struct PipelineStateMachineTests {
  @Test func `a request is looked up, fetched, decoded and answered`() throws {
    var test = MachineUnderTest()
    let (job, actions) = try test.askForFetch(1, of: "a")
    #expect(actions == [.fetch(job)])
    let began = test.machine.bytesBegan(job)
    let pass = try #require(began.passes.first)
    #expect(began == [.decode(pass, job, [.fit(100)], followsFetch: true)])
    #expect(test.machine.fetchEnded(job) == [])
    #expect(test.machine.passEnded(pass) == [.succeed([1], job, .fit(100)), .discard(job)])
    #expect(test.machine.jobs.isEmpty && test.machine.waiters.isEmpty && test.machine.fetchSlots.count == 0)
  }

  @Test func storedBytesAreDecodedWithoutAFetch() throws {
    var test = MachineUnderTest()
    let job = try #require(test.ask(1).jobs.first)
    let actions = test.machine.lookUpEnded(job, .stored)
    let pass = try #require(actions.passes.first)
    #expect(actions == [.decode(pass, job, [.fit(100)], followsFetch: false)])
    #expect(test.machine.passEnded(pass).answered == [1])
  }

  @Test func equalRequestsShareTheirJobAndAreAllAnswered() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, of: "a")
    #expect(test.ask(2) == [])
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    #expect(test.ask(3) == [])
    _ = test.machine.fetchEnded(job)
    #expect(Set(test.machine.passEnded(pass).answered) == [1, 2, 3])
  }

  @Test func `sizes requested before the first bytes share one decode`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    #expect(test.ask(2, for: .fit(90)) == [])
    #expect(test.ask(3, for: .fullSize) == [])
    let actions = test.machine.bytesBegan(job)
    let pass = try #require(actions.passes.first)
    #expect(actions == [.decode(pass, job, [.fit(100), .fit(90), .fullSize], followsFetch: true)])
  }

  @Test func `a later size of at most half is made from the thumbnail in progress`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    #expect(test.ask(2, for: .fit(50)) == [])
    _ = test.machine.fetchEnded(job)
    let actions = test.machine.passEnded(pass)
    let second = try #require(actions.passes.first)
    #expect(
      actions == [
        .succeed([1], job, .fit(100)), .derive(second, job, [.fit(50)], from: .fit(100), isCached: false),
      ])
    #expect(test.machine.passEnded(second) == [.succeed([2], job, .fit(50)), .discard(job)])
  }

  @Test func `other later sizes are decoded after all bytes have arrived`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    #expect(test.ask(2, for: .fit(51)) == [])
    #expect(test.ask(3, for: .fit(200)) == [])
    let actions = test.machine.fetchEnded(job)
    let second = try #require(actions.passes.first)
    #expect(actions == [.decode(second, job, [.fit(51), .fit(200)], followsFetch: false)])
    #expect(test.machine.passEnded(pass).answered == [1])
    #expect(Set(test.machine.passEnded(second).answered) == [2, 3])
    #expect(test.machine.jobs.isEmpty)
  }

  @Test func `a thumbnail made from a larger cached one needs no bytes`() throws {
    var test = MachineUnderTest()
    let actions = test.ask(1, for: .fit(50), cached: .fit(100))
    let pass = try #require(actions.passes.first)
    let job = try #require(test.machine.jobs.keys.first)
    #expect(actions == [.derive(pass, job, [.fit(50)], from: .fit(100), isCached: true)])
    #expect(test.machine.passEnded(pass).answered == [1])
  }

  @Test func `if the cached source was removed, the thumbnail is made from the bytes`() throws {
    var test = MachineUnderTest()
    let pass = try #require(test.ask(1, for: .fit(50), cached: .fit(100)).passes.first)
    let job = try #require(test.machine.jobs.keys.first)
    #expect(test.machine.sourceLost(pass) == [.lookUp(job)])
    let second = try #require(test.machine.lookUpEnded(job, .stored).passes.first)
    #expect(test.machine.passEnded(second).answered == [1])
  }

  @Test func `only cancelling the last waiter ends the job`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, of: "a")
    _ = test.ask(2)
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    #expect(test.machine.cancel(1) == (true, []))
    #expect(test.machine.cancel(1) == (false, []))
    let (wasWaiting, actions) = test.machine.cancel(2)
    #expect(wasWaiting)
    #expect(actions == [.stopPass(pass), .discard(job)])
    #expect(test.machine.fetchEnded(job) == [] && test.machine.passEnded(pass) == [])
    #expect(test.machine.fetchSlots.count == 0)
  }

  @Test func `a thumbnail without waiters is made if another one is made from it`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    _ = test.ask(2, for: .fit(50))
    #expect(test.machine.cancel(1).actions == [])
    _ = test.machine.fetchEnded(job)
    let second = try #require(test.machine.passEnded(pass).passes.first)
    #expect(test.machine.passEnded(second).answered == [2])
  }

  @Test func `a source without waiters is discarded with the last thumbnail made from it`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    _ = test.ask(2, for: .fit(50))
    #expect(test.machine.cancel(1).actions == [])
    #expect(test.machine.cancel(2).actions == [.stopPass(pass), .discard(job)])
  }

  @Test func `a size without waiters is not decoded`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    _ = test.ask(2, for: .fit(90))
    _ = test.machine.cancel(1)
    let actions = test.machine.bytesBegan(job)
    #expect(actions == [.decode(try #require(actions.passes.first), job, [.fit(90)], followsFetch: true)])
  }

  @Test func `a failed fetch is retried up to the maximum`() throws {
    var test = MachineUnderTest(retries: 2)
    let (job, _) = try test.askForFetch(1, of: "a")
    for attempt in 1...2 {
      #expect(test.machine.fetchFailed(job, mayRetry: true) == [.backOff(job, attempt: attempt)])
      #expect(test.machine.fetchSlots.count == 0)
      #expect(test.machine.backOffElapsed(job) == [.fetch(job)])
    }
    #expect(test.machine.fetchFailed(job, mayRetry: true) == [.fail([1]), .discard(job)])
  }

  @Test func `a permanent failure is not retried`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, of: "a")
    _ = test.ask(2, for: .fit(10))
    let actions = test.machine.fetchFailed(job, mayRetry: false)
    #expect(Set(actions.answered) == [1, 2])
    #expect(actions.last == .discard(job))
  }

  @Test func `an interrupted fetch keeps its slot and its decode`() throws {
    var test = MachineUnderTest(fetches: 1)
    let (job, _) = try test.askForFetch(1, of: "a")
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    let (other, _) = try test.askForFetch(2, of: "b")
    #expect(test.machine.fetchFailed(job, mayRetry: true) == [.backOff(job, attempt: 1)])
    #expect(test.machine.backOffElapsed(job) == [.fetch(job)])
    #expect(test.machine.fetchEnded(job) == [])
    #expect(test.machine.passEnded(pass) == [.succeed([1], job, .fit(100)), .discard(job), .fetch(other)])
  }

  @Test func `another version of the image restarts the decode`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    _ = test.ask(2, for: .fit(90))
    #expect(test.machine.bytesRestarted(job) == [.stopPass(pass)])
    #expect(test.machine.passEnded(pass) == [])
    let actions = test.machine.bytesBegan(job)
    let second = try #require(actions.passes.first)
    #expect(actions == [.decode(second, job, [.fit(100), .fit(90)], followsFetch: true)])
  }

  @Test func `damaged stored bytes are fetched again`() throws {
    var test = MachineUnderTest()
    let job = try #require(test.ask(1).jobs.first)
    let pass = try #require(test.machine.lookUpEnded(job, .stored).passes.first)
    #expect(test.machine.bytesLost(job) == [.stopPass(pass), .fetch(job)])
    let second = try #require(test.machine.bytesBegan(job).passes.first)
    _ = test.machine.fetchEnded(job)
    #expect(test.machine.passEnded(second).answered == [1])
  }

  @Test func `a corrupt image fails its waiters and ends its fetch`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(100), of: "a")
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    _ = test.ask(2, for: .fit(50))
    let actions = test.machine.passFailed(pass)
    #expect(Set(actions.answered) == [1, 2])
    #expect(actions.last == .discard(job))
  }

  @Test func `an invalid thumbnail fails only its own waiters and those that depend on it`() throws {
    var test = MachineUnderTest()
    let (job, _) = try test.askForFetch(1, for: .fit(200), of: "a")
    _ = test.ask(2, for: .fit(90))
    let pass = try #require(test.machine.bytesBegan(job).passes.first)
    _ = test.ask(3, for: .fit(100))
    _ = test.machine.fetchEnded(job)
    let actions = test.machine.targetFailed(pass, .fit(200))
    #expect(actions.count == 1 && Set(actions.answered) == [1, 3])
    #expect(test.machine.targetFailed(pass, .fit(200)) == [])
    #expect(test.machine.passEnded(pass) == [.succeed([2], job, .fit(90)), .discard(job)])
  }

  @Test func aRefreshIsAFetchWithoutADecode() throws {
    var test = MachineUnderTest()
    let job = try #require(test.ask(1, for: nil).jobs.first)
    #expect(test.machine.lookUpEnded(job, .missing) == [.fetch(job)])
    #expect(test.machine.bytesBegan(job) == [])
    #expect(test.machine.fetchEnded(job) == [.succeed([1], job, nil), .discard(job)])
  }
}
