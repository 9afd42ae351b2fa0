import Testing

@testable import TransferEngine

/// Tests of the number of connections to a server whose connections carry many loads.
@Suite struct ConnectionGrowthTests {
  private static let start = Monotonic(nanoseconds: 1_000_000_000)
  private static let period = ConnectionGrowth.defaultPeriod

  private static func growth(connections: Int = 6, streams: Int = 10) -> ConnectionGrowth {
    ConnectionGrowth(maximumConnections: connections, streamsPerConnection: streams)
  }

  @Test func `loads that wait behind slow responses get twice as many connections in every period`() {
    var growth = Self.growth()
    #expect(growth.limit == 10)
    var now = Self.start
    var next = growth.loadWaits(now: now)
    for expected in [2, 4, 6, 6] {
      #expect(next == now + Self.period)
      now = now + Self.period
      next = growth.timerFired(isWaiting: true, now: now)
      #expect(growth.connections == expected)
    }
    #expect(growth.limit == 60)
  }

  @Test func `loads that wait behind responses that come slowly get one more connection in every period`() {
    var growth = Self.growth()
    var due = growth.loadWaits(now: Self.start)
    for expected in [2, 3, 4, 5, 6, 6] {
      growth.loadEnded(isWaiting: true, isLast: false)
      due = due.flatMap { growth.timerFired(isWaiting: true, now: $0) }
      #expect(growth.connections == expected)
    }
    #expect(due != nil)
  }

  @Test func `a busy loop opens no connections, but not forever`() {
    var growth = Self.growth()
    var due = growth.loadWaits(now: Self.start)
    for _ in 0..<10 {
      due = due.flatMap { growth.timerFired(isWaiting: true, now: $0 + .milliseconds(5)) }
      #expect(growth.connections == 1)
    }
    due = due.flatMap { growth.timerFired(isWaiting: true, now: $0 + .milliseconds(5)) }
    #expect(growth.connections == 2)
    due = due.flatMap { growth.timerFired(isWaiting: true, now: $0 + .milliseconds(5)) }
    #expect(growth.connections == 2)
    due = due.flatMap { growth.timerFired(isWaiting: true, now: $0 + .milliseconds(4)) }
    #expect(growth.connections == 4)
  }

  @Test func `loads that wait for streams that become free quickly get no other connection`() {
    var growth = Self.growth()
    var due = growth.loadWaits(now: Self.start)
    for _ in 0..<20 {
      for _ in 0..<10 { growth.loadEnded(isWaiting: true, isLast: false) }
      due = due.flatMap { growth.timerFired(isWaiting: true, now: $0) }
      #expect(growth.connections == 1)
    }
    #expect(due != nil)
  }

  @Test func `there are fewer connections again when the server is quick`() {
    var growth = Self.growth()
    var now = Self.start
    _ = growth.loadWaits(now: now)
    for ended in [0, 0, 0, 119, 120, 60, 20] {
      for _ in 0..<ended { growth.loadEnded(isWaiting: true, isLast: false) }
      now = now + Self.period
      _ = growth.timerFired(isWaiting: true, now: now)
    }
    #expect(growth.connections == 1)
  }

  @Test func `between both there are neither more nor fewer`() {
    for ended in 20..<40 {
      var growth = Self.growth()
      _ = growth.loadWaits(now: Self.start)
      _ = growth.timerFired(isWaiting: true, now: Self.start + Self.period)
      #expect(growth.connections == 2)
      for _ in 0..<ended { growth.loadEnded(isWaiting: true, isLast: false) }
      _ = growth.timerFired(isWaiting: true, now: Self.start + Self.period + Self.period)
      #expect(growth.connections == 2)
    }
  }

  @Test func `time without a waiting load does not count, and needs no second timer`() {
    var growth = Self.growth()
    let due = Self.start + Self.period
    #expect(growth.loadWaits(now: Self.start) == due)
    #expect(growth.loadWaits(now: Self.start + .milliseconds(1)) == nil)
    growth.loadEnded(isWaiting: false, isLast: false)
    let again = Self.start + .milliseconds(15)
    #expect(growth.loadWaits(now: again) == nil)
    #expect(growth.timerFired(isWaiting: true, now: due) == again + Self.period)
    #expect(growth.connections == 1)
    #expect(growth.timerFired(isWaiting: false, now: again + Self.period) == nil)
    #expect(growth.connections == 1)
    #expect(growth.loadWaits(now: again + Self.period) == again + Self.period + Self.period)
  }

  @Test func `with one connection there is nothing to decide`() {
    var growth = Self.growth(connections: 1)
    #expect(growth.loadWaits(now: Self.start) == nil)
    #expect(Self.growth(connections: -5).maximumConnections == 1)
    #expect(Self.growth(connections: .max, streams: .max).maximumConnections == 1)
    #expect(Self.growth(connections: .max, streams: 100).maximumConnections > 1 << 50)
  }

  @Test func `a server without loads begins with one connection again`() {
    var growth = Self.growth()
    let due = growth.loadWaits(now: Self.start)
    _ = due.map { growth.timerFired(isWaiting: true, now: $0) }
    #expect(growth.connections == 2)
    growth.loadEnded(isWaiting: false, isLast: false)
    #expect(growth.connections == 2)
    growth.loadEnded(isWaiting: true, isLast: true)
    #expect(growth.connections == 2)
    growth.loadEnded(isWaiting: false, isLast: true)
    #expect(growth.limit == 10)
  }
}
