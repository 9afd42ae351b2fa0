import Testing

@testable import TransferEngine

@Suite struct LoadQueueTests {
  private typealias Queue = LoadQueue<Int>

  private func startAll(_ queue: inout LoadQueue<Int>) -> [Int] {
    var started: [Int] = []
    while let load = queue.startNext() { started.append(load) }
    return started
  }

  @Test func `an empty queue starts nothing`() {
    var queue = Queue()
    _ = queue.addHost(limit: 1)
    #expect(queue.startNext() == nil)
    #expect(queue.waitingCount == 0)
  }

  @Test func `a host runs loads up to its limit, in order`() {
    var queue = Queue()
    let host = queue.addHost(limit: 2)
    for load in 1...5 { _ = queue.add(load, to: host, level: 8) }
    #expect(startAll(&queue) == [1, 2])
    #expect(queue.runningCount(of: host) == 2)
    queue.ended(on: host)
    #expect(startAll(&queue) == [3])
    #expect(queue.waitingCount == 2)
  }

  @Test func `a load of a higher priority starts before those that came earlier`() {
    var queue = Queue()
    let host = queue.addHost(limit: 10)
    for (load, level) in [(1, 8), (2, 0), (3, 15), (4, 8), (5, 15)] {
      _ = queue.add(load, to: host, level: level)
    }
    #expect(startAll(&queue) == [3, 5, 1, 4, 2])
  }

  @Test func `a level outside the range is the nearest one inside`() {
    var queue = Queue()
    let host = queue.addHost(limit: 10)
    for (load, level) in [(1, 0), (2, .min), (3, 15), (4, .max)] {
      _ = queue.add(load, to: host, level: level)
    }
    #expect(startAll(&queue) == [3, 4, 1, 2])
  }

  @Test func `a moved load goes after the loads of its new priority`() {
    var queue = Queue()
    let host = queue.addHost(limit: 10)
    let tickets = (1...4).map { queue.add($0, to: host, level: $0 < 4 ? 8 : 12) }
    queue.move(tickets[1], toLevel: 12)
    queue.move(tickets[0], toLevel: 8)
    #expect(startAll(&queue) == [4, 2, 1, 3])
  }

  @Test func `ten thousand loads for one host do not block another host`() {
    var queue = Queue(sharedPlaces: 6)
    let busy = queue.addHost(limit: 100)
    let quiet = queue.addHost(limit: 6)
    for load in 0..<10_000 { _ = queue.add(load, to: busy, level: 15) }
    #expect(startAll(&queue).count == 6)
    _ = queue.add(-1, to: quiet, level: 0)
    queue.ended(on: busy)
    queue.ended(on: busy)
    #expect(startAll(&queue).contains(-1))
  }

  @Test func `hosts take turns`() {
    var queue = Queue()
    let hosts = (0..<3).map { _ in queue.addHost(limit: 3) }
    for round in 0..<3 {
      for (number, host) in hosts.enumerated() { _ = queue.add(10 * number + round, to: host, level: 8) }
    }
    #expect(startAll(&queue) == [0, 10, 20, 1, 11, 21, 2, 12, 22])
  }

  @Test func `hosts share places, and hosts that need none continue`() {
    var queue = Queue(sharedPlaces: 2)
    let hosts = (0..<3).map { _ in queue.addHost(limit: 3) }
    let multiplexed = queue.addHost(limit: 3, takesSharedPlaces: false)
    for (number, host) in hosts.enumerated() { _ = queue.add(number, to: host, level: 8) }
    #expect(startAll(&queue) == [0, 1])
    _ = queue.add(9, to: multiplexed, level: 8)
    #expect(startAll(&queue) == [9])
    #expect(queue.usedPlaces == 2)
    queue.ended(on: multiplexed)
    #expect(startAll(&queue) == [])
    queue.ended(on: hosts[0])
    #expect(startAll(&queue) == [2])
  }

  @Test func `a host that turns out to need no place does not wait for one`() {
    var queue = Queue(sharedPlaces: 1)
    let holder = queue.addHost(limit: 1)
    let host = queue.addHost(limit: 1)
    _ = queue.add(1, to: holder, level: 8)
    #expect(startAll(&queue) == [1])
    _ = queue.add(2, to: host, level: 8)
    #expect(startAll(&queue) == [])
    queue.setLimit(100, takesSharedPlaces: false, of: host)
    #expect(startAll(&queue) == [2])
    #expect(queue.usedPlaces == 1)
  }

  @Test func `running loads release their places when their host turns out to need none`() {
    var queue = Queue(sharedPlaces: 2)
    let host = queue.addHost(limit: 2)
    for load in 1...3 { _ = queue.add(load, to: host, level: 8) }
    #expect(startAll(&queue) == [1, 2])
    queue.setLimit(2, takesSharedPlaces: false, of: host)
    #expect(queue.usedPlaces == 0)
    queue.setLimit(3, takesSharedPlaces: true, of: host)
    #expect(queue.usedPlaces == 2)
    #expect(startAll(&queue) == [])
    queue.ended(on: host)
    #expect(startAll(&queue) == [3])
  }

  @Test func `a lower limit holds for the next loads`() {
    var queue = Queue()
    let host = queue.addHost(limit: 3)
    for load in 1...5 { _ = queue.add(load, to: host, level: 8) }
    #expect(startAll(&queue) == [1, 2, 3])
    queue.setLimit(0, takesSharedPlaces: true, of: host)
    for _ in 0..<2 {
      queue.ended(on: host)
      #expect(startAll(&queue) == [])
    }
    queue.ended(on: host)
    #expect(startAll(&queue) == [4])
  }

  @Test func `a ticket that is no longer valid has no effect`() {
    var queue = Queue()
    let host = queue.addHost(limit: 1)
    let removed = queue.add(1, to: host, level: 8)
    #expect(queue.remove(removed) == 1)
    #expect(queue.remove(removed) == nil)
    let started = queue.add(2, to: host, level: 8)
    #expect(startAll(&queue) == [2])
    // This load uses the same node.
    let waiting = queue.add(3, to: host, level: 8)
    #expect(queue.remove(started) == nil)
    #expect(queue.remove(removed) == nil)
    queue.move(started, toLevel: 0)
    #expect(queue.waitingCount == 1)
    #expect(queue.remove(waiting) == 3)
  }

  @Test func `a host is forgotten only without loads, waiting or running`() {
    var queue = Queue(sharedPlaces: 1)
    let first = queue.addHost(limit: 1)
    let second = queue.addHost(limit: 1)
    _ = queue.add(1, to: first, level: 8)
    let ticket = queue.add(2, to: second, level: 8)
    #expect(startAll(&queue) == [1])
    #expect(queue.removeHost(first) == false)
    #expect(queue.removeHost(second) == false)
    _ = queue.remove(ticket)
    #expect(queue.removeHost(second) == true, "The only load has been removed.")
    #expect(queue.removeHost(second) == false, "The host has already been removed.")
    let third = queue.addHost(limit: 1, takesSharedPlaces: false)
    _ = queue.add(3, to: third, level: 8)
    #expect(startAll(&queue) == [3])
  }

  @Test func `an end of a load that never started changes nothing`() {
    var queue = Queue(sharedPlaces: 1)
    let host = queue.addHost(limit: 1)
    queue.ended(on: host)
    #expect(queue.usedPlaces == 0)
    #expect(queue.runningCount(of: host) == 0)
  }

  /// A queue that searches would need ten billion steps.
  @Test func `a hundred thousand loads wait, start, leave and end`() {
    var queue = Queue()
    let host = queue.addHost(limit: 4)
    var tickets: [LoadQueue<Int>.Ticket] = []
    for load in 0..<100_000 { tickets.append(queue.add(load, to: host, level: load & 3)) }
    for index in stride(from: 99_999, to: 0, by: -2) { _ = queue.remove(tickets[index]) }
    var (count, last, sum) = (0, Int.max, 0)
    while true {
      while let load = queue.startNext() {
        (count, sum) = (count + 1, sum + load)
        if load & 3 > last & 3 {
          Issue.record("\(load) started after \(last)")
          return
        }
        last = load
      }
      guard queue.runningCount(of: host) > 0 else { break }
      queue.ended(on: host)
    }
    #expect(count == 50_000)
    #expect(sum == 2_499_950_000)
    #expect(queue.waitingCount == 0)
  }

  @Test func `loads that have started, left or been forgotten are released`() {
    final class Load {}
    var queue = LoadQueue<Load>()
    let host = queue.addHost(limit: 1)
    weak var started: Load?
    weak var left: Load?
    do {
      let loads = [Load(), Load()]
      (started, left) = (loads[0], loads[1])
      _ = queue.add(loads[0], to: host, level: 8)
      let ticket = queue.add(loads[1], to: host, level: 8)
      _ = queue.startNext()
      _ = queue.remove(ticket)
    }
    #expect(started == nil)
    #expect(left == nil)
  }

  @Test func `memory is freed after many loads, and their tickets stay invalid`() {
    var queue = Queue()
    let host = queue.addHost(limit: .max)
    let tickets = (0..<10_000).map { queue.add($0, to: host, level: 8) }
    #expect(queue.room >= 10_000)
    #expect(startAll(&queue).count == 10_000)
    #expect(queue.room == 0)
    _ = queue.add(-1, to: host, level: 8)
    for ticket in tickets { #expect(queue.remove(ticket) == nil) }
    #expect(startAll(&queue) == [-1])
  }
}
