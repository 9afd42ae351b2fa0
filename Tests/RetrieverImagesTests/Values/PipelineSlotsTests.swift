import Testing

@testable import RetrieverImages

@Suite struct PipelineSlotsTests {
  @Test func `the number of fetches does not exceed the slots`() throws {
    var test = MachineUnderTest(fetches: 3, perHost: 2)
    var started: [JobID] = []
    for number in 0..<4 {
      started += try test.askForFetch(WaiterID(number: number), of: "\(number)", host: "h").actions.fetches
    }
    #expect(started.count == 2)
    for number in 4..<8 {
      started += try test.askForFetch(WaiterID(number: number), of: "\(number)", host: "i").actions.fetches
    }
    #expect(started.count == 3)
    #expect(test.machine.cancel(0).actions.fetches.count == 1)
  }

  @Test func `the most urgent fetch starts first, even if its urgency changes while it waits`() throws {
    var test = MachineUnderTest(fetches: 1)
    let first = try test.askForFetch(1, of: "a").job
    let low = try test.askForFetch(2, of: "b", .low).job
    let normal = try test.askForFetch(3, of: "c").job
    let ahead = try test.askForFetch(4, of: "d", .veryHigh, isPrefetch: true).job
    #expect(test.machine.setUrgency(Urgency(.high, isPrefetch: false), of: 2) == [])
    var order: [JobID] = []
    var current = first
    for _ in 0..<3 {
      let actions = test.machine.fetchFailed(current, mayRetry: false)
      current = try #require(actions.fetches.first)
      order.append(current)
    }
    #expect(order == [low, normal, ahead])
  }

  @Test func `prefetches leave slots for visible work`() throws {
    var test = MachineUnderTest(fetches: 6, perHost: 6)
    var started = 0
    for number in 0..<20 {
      started += try test.askForFetch(
        WaiterID(number: number), of: "\(number)", host: "\(number)", isPrefetch: true
      ).actions.fetches.count
    }
    #expect(started == 2)
    #expect(try test.askForFetch(100, of: "x").actions.fetches.count == 1)
  }

  @Test func `a prefetch that a visible request joins is promoted`() throws {
    var test = MachineUnderTest(fetches: 3, perHost: 3)
    let first = try test.askForFetch(1, of: "a", isPrefetch: true)
    let second = try test.askForFetch(2, of: "b", isPrefetch: true)
    #expect(first.actions.fetches == [first.job] && second.actions == [])
    // The slot of the first one is no longer a prefetch slot, so the second one gets its own.
    #expect(test.ask(3, of: "a") == [.fetch(second.job)])
    let third = try test.askForFetch(4, of: "c", isPrefetch: true)
    #expect(third.actions == [])
    #expect(test.ask(5, of: "c") == [.fetch(third.job)])
  }

  @Test func `less urgent work does not wait forever`() throws {
    var test = MachineUnderTest(fetches: 1)
    var current = try test.askForFetch(1, of: "a").job
    let leastUrgent = try test.askForFetch(2, of: "leastUrgent", .veryLow).job
    var turns = 0
    for number in 3..<60 where current != leastUrgent {
      _ = try test.askForFetch(WaiterID(number: number), of: "\(number)", .veryHigh)
      _ = try test.askForFetch(WaiterID(number: number + 1000), of: "x\(number)", .veryHigh)
      current = try #require(test.machine.fetchFailed(current, mayRetry: false).fetches.first)
      turns += 1
    }
    #expect(current == leastUrgent)
    #expect(turns <= PriorityQueue<JobID>.turnsBetweenOldest)
  }

  @Test func `many changes of urgency neither lose nor repeat an element`() {
    var queue = PriorityQueue<Int>()
    for element in 0..<10 { queue.add(element, host: "", urgency: Urgency(level: 5)) }
    for change in 0..<10_000 { queue.setUrgency(Urgency(level: change % 10), of: change % 10) }
    var order: [Int] = []
    while let next = queue.next(where: { _, _ in true }) { order.append(next) }
    #expect(order.sorted() == Array(0..<10))
    #expect(order == Array((0..<10).reversed()))
  }

  @Test func `a source must show the same part at twice the size`() {
    func form(_ width: Int, _ height: Int, _ mode: ThumbnailTarget.Mode, enlarges: Bool = false) -> ImageForm
    {
      .thumbnail(ThumbnailTarget(width: width, height: height, mode: mode, enlarges: enlarges))
    }
    let half = form(100, 100, .fit)
    #expect(ThumbnailDerivation.isPossible(from: form(200, 200, .fit), to: half))
    #expect(!ThumbnailDerivation.isPossible(from: form(199, 400, .fit), to: half))
    #expect(!ThumbnailDerivation.isPossible(from: form(400, 400, .stretch), to: half))
    #expect(!ThumbnailDerivation.isPossible(from: form(400, 400, .fit, enlarges: true), to: half))
    #expect(ThumbnailDerivation.isPossible(from: form(400, 200, .fill), to: form(100, 50, .fill)))
    #expect(!ThumbnailDerivation.isPossible(from: form(400, 300, .fill), to: form(100, 50, .fill)))
    #expect(!ThumbnailDerivation.isPossible(from: form(.max, .max, .fill), to: form(1, .max, .fill)))
    #expect(ThumbnailDerivation.isPossible(from: .fullSize, to: half))
    #expect(!ThumbnailDerivation.isPossible(from: half, to: .fullSize))
    let sources = [form(800, 800, .fit), .fullSize, form(200, 300, .fit), form(150, 150, .fit)]
    #expect(ThumbnailDerivation.best(of: sources, for: half) == form(200, 300, .fit))
  }
}
