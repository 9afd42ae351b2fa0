import TestSupport
import Testing

@testable import TransferEngine

/// Compares a million random events with a simple queue that searches an array.
@Suite struct LoadQueueModelTests {
  @Test(arguments: 0..<20) func `agrees with an array of waiting loads`(seed: UInt64) {
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

  /// Applies the same events to the queue and to the array.
  private struct Run {
    private var random: SeededRandom
    private var queue: LoadQueue<Int>
    private var oracle: NaiveQueue
    /// The hosts by number; nil for an unused number.
    private var hosts: [LoadQueue<Int>.HostID?] = Array(repeating: nil, count: 5)
    /// The most recent tickets with their loads. Most of them are no longer valid.
    private var tickets: [(ticket: LoadQueue<Int>.Ticket, load: Int)] = []
    private var lastLoad = 0
    private(set) var difference: String?

    init(_ seed: UInt64) {
      random = SeededRandom(seed)
      let places = seed % 3 == 0 ? Int.max : Int(seed % 5) + 2
      queue = LoadQueue(sharedPlaces: places)
      oracle = NaiveQueue(places: places)
    }

    mutating func step() {
      let draw = random.next()
      let number = Int((draw >> 8) % 5)
      let level = Int((draw >> 16) & 3) * 5
      guard let host = hosts[number] else { return addHost(number, draw) }
      switch draw & 15 {
      case 0...4: if oracle.waiting.count < 12 { add(number, host, level) } else { start() }
      case 5...7: start()
      case 8...11:
        queue.ended(on: host)
        oracle.ended(number)
      case 12: remove(draw)
      case 13: move(draw, level)
      case 14:
        let limit = Int((draw >> 24) & 3)
        let takes = (draw >> 32) & 3 != 0
        queue.setLimit(limit, takesSharedPlaces: takes, of: host)
        oracle.set(number, limit: limit, takesSharedPlaces: takes)
      default:
        let isRemoved = queue.removeHost(host)
        compare(isRemoved, oracle.removeHost(number), "removal of a host")
        if isRemoved { hosts[number] = nil }
      }
      compare(queue.waitingCount, oracle.waiting.count, "waiting loads")
      compare(queue.usedPlaces, oracle.usedPlaces, "used places")
      if let host = hosts[number] {
        compare(queue.runningCount(of: host), oracle.hosts[number].running, "running loads")
      }
    }

    /// Ends all running loads until none are waiting.
    mutating func drain() {
      for _ in 0..<1000 where difference == nil {
        start()
        for case (let number, let host?) in zip(0..., hosts) {
          queue.ended(on: host)
          oracle.ended(number)
        }
      }
      compare(queue.waitingCount, 0, "waiting loads at the end")
      compare(queue.usedPlaces, 0, "used places at the end")
    }

    private mutating func addHost(_ number: Int, _ draw: UInt64) {
      let limit = Int((draw >> 24) & 3)
      let takes = draw & 3 != 0
      hosts[number] = queue.addHost(limit: limit, takesSharedPlaces: takes)
      oracle.hosts[number] = NaiveQueue.Host(limit: max(1, limit), takesSharedPlaces: takes)
    }

    private mutating func add(_ number: Int, _ host: LoadQueue<Int>.HostID, _ level: Int) {
      lastLoad += 1
      let ticket = queue.add(lastLoad, to: host, level: level)
      oracle.add(lastLoad, number, level)
      if tickets.count < 24 {
        tickets.append((ticket, lastLoad))
      } else {
        tickets[lastLoad % 24] = (ticket, lastLoad)
      }
    }

    private mutating func start() { compare(queue.startNext(), oracle.startNext(), "next load") }

    private mutating func remove(_ draw: UInt64) {
      guard !tickets.isEmpty else { return }
      let chosen = tickets[Int((draw >> 40) % UInt64(tickets.count))]
      compare(queue.remove(chosen.ticket), oracle.remove(chosen.load) ? chosen.load : nil, "removed load")
    }

    private mutating func move(_ draw: UInt64, _ level: Int) {
      guard !tickets.isEmpty else { return }
      let chosen = tickets[Int((draw >> 40) % UInt64(tickets.count))]
      queue.move(chosen.ticket, toLevel: level)
      oracle.move(chosen.load, level)
    }

    private mutating func compare<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) {
      if value != expected, difference == nil { difference = "\(what): \(value), expected \(expected)" }
    }
  }
}

/// The simplest implementation of a load queue.
private struct NaiveQueue {
  struct Load {
    let number: Int
    let host: Int
    var level: Int
  }

  struct Host {
    var limit = 0
    var takesSharedPlaces = true
    var running = 0
    /// When the host last got in line; nil while it has no load to start.
    var turn: Int?
  }

  let places: Int
  /// In the order in which the loads reached their level.
  var waiting: [Load] = []
  var hosts: [Host] = Array(repeating: Host(), count: 5)
  private var lastTurn = 0

  init(places: Int) { self.places = places }

  var usedPlaces: Int {
    var count = 0
    for host in hosts where host.takesSharedPlaces { count += host.running }
    return count
  }

  mutating func add(_ number: Int, _ host: Int, _ level: Int) {
    waiting.append(Load(number: number, host: host, level: level))
    lineUp(host)
  }

  mutating func ended(_ host: Int) {
    if hosts[host].running > 0 { hosts[host].running -= 1 }
    lineUp(host)
  }

  mutating func set(_ host: Int, limit: Int, takesSharedPlaces: Bool) {
    hosts[host].limit = max(1, limit)
    if hosts[host].takesSharedPlaces != takesSharedPlaces { hosts[host].turn = nil }
    hosts[host].takesSharedPlaces = takesSharedPlaces
    lineUp(host)
  }

  mutating func removeHost(_ host: Int) -> Bool {
    guard hosts[host].running == 0, !hasLoad(host) else { return false }
    hosts[host] = Host()
    return true
  }

  mutating func remove(_ number: Int) -> Bool {
    guard let index = index(of: number) else { return false }
    lineUp(waiting.remove(at: index).host)
    return true
  }

  mutating func move(_ number: Int, _ level: Int) {
    guard let index = index(of: number), waiting[index].level != level else { return }
    var load = waiting.remove(at: index)
    load.level = level
    waiting.append(load)
  }

  /// Starts the best load of the host that has been in line the longest. Hosts that need no shared place come first.
  mutating func startNext() -> Int? {
    var next: Int?
    let hasPlace = usedPlaces < places
    for index in 0..<hosts.count {
      guard let turn = hosts[index].turn, hasPlace || !hosts[index].takesSharedPlaces else { continue }
      if let best = next {
        let (isFirst, isBetter) = (hosts[best].takesSharedPlaces, hosts[index].takesSharedPlaces)
        guard isFirst == isBetter ? turn < hosts[best].turn ?? 0 : isFirst else { continue }
      }
      next = index
    }
    guard let next else { return nil }
    var best = -1
    for index in 0..<waiting.count where waiting[index].host == next {
      if best < 0 || waiting[index].level > waiting[best].level { best = index }
    }
    hosts[next].running += 1
    hosts[next].turn = nil
    let load = waiting.remove(at: best)
    lineUp(next)
    return load.number
  }

  /// Keeps a host in line exactly while it has a load that it may start.
  private mutating func lineUp(_ host: Int) {
    guard hosts[host].running < hosts[host].limit, hasLoad(host) else {
      hosts[host].turn = nil
      return
    }
    guard hosts[host].turn == nil else { return }
    lastTurn += 1
    hosts[host].turn = lastTurn
  }

  private func hasLoad(_ host: Int) -> Bool {
    for index in 0..<waiting.count where waiting[index].host == host { return true }
    return false
  }

  private func index(of number: Int) -> Int? {
    for index in 0..<waiting.count where waiting[index].number == number { return index }
    return nil
  }
}
