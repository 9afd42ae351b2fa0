import Testing

@testable import PostgresClient

@Suite struct PoolStateTests {
  private let now = ContinuousClock.now

  @Test func `a pool makes new connections up to its limit and then lets tasks wait`() {
    var pool = PoolState(maximumCount: 2)
    #expect(pool.take() == .connect)
    #expect(pool.take() == .connect)
    #expect(pool.take() == nil)
    #expect(pool.count == 2)
  }

  @Test func `a connection that is given back goes to a waiting task first`() {
    var pool = PoolState(maximumCount: 1)
    #expect(pool.take() == .connect)
    #expect(pool.giveBack(7, now: now, isAwaited: true) == .use(7))
    #expect(pool.giveBack(7, now: now, isAwaited: false) == nil)
    #expect(pool.take() == .use(7))
  }

  @Test func `a broken connection is replaced for a waiting task`() {
    var pool = PoolState(maximumCount: 1)
    #expect(pool.take() == .connect)
    #expect(pool.discard(isAwaited: true) == .connect)
    #expect(pool.count == 1)
    #expect(pool.discard(isAwaited: false) == nil)
    #expect(pool.count == 0)
  }

  @Test func `an idle connection that is lost leaves the pool, and one in use stays counted`() {
    var pool = PoolState(maximumCount: 2)
    _ = pool.take()
    let wasIdleInUse = pool.lost(1)
    #expect(!wasIdleInUse)
    #expect(pool.count == 1)
    _ = pool.giveBack(1, now: now, isAwaited: false)
    let wasIdle = pool.lost(1)
    #expect(wasIdle)
    #expect(pool.count == 0)
  }

  @Test func `only connections that were idle for too long are removed`() {
    var pool = PoolState(maximumCount: 3)
    for connection in 1...3 {
      _ = pool.take()
      _ = pool.giveBack(UInt64(connection), now: now + .seconds(connection), isAwaited: connection < 3)
    }
    _ = pool.giveBack(1, now: now + .seconds(4), isAwaited: false)
    #expect(pool.removeIdle(since: now + .seconds(4)) == [3])
    #expect(pool.take() == .use(1))
  }

  @Test func `a closed pool returns its idle connections and makes no new one`() {
    var pool = PoolState(maximumCount: 2)
    _ = pool.take()
    _ = pool.take()
    _ = pool.giveBack(1, now: now, isAwaited: false)
    #expect(pool.close() == [1])
    #expect(pool.isClosed)
    #expect(pool.discard(isAwaited: true) == nil)
    #expect(pool.count == 0)
  }
}
