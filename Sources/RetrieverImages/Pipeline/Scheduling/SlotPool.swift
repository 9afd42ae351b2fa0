/// Places for work that is under way: so many in all, so many for one lane, and fewer for what is fetched ahead.
struct SlotPool<Holder: Hashable & Sendable>: Sendable {
  struct Limits: Sendable {
    var total: Int
    var perLane: Int
    var prefetch: Int
    var prefetchPerLane: Int

    /// At least one of each: with none, work would wait for ever.
    init(total: Int, perLane: Int) {
      self.total = max(1, total)
      self.perLane = min(max(1, perLane), self.total)
      prefetch = max(1, self.total / 3)
      prefetchPerLane = max(1, self.perLane / 3)
    }
  }

  private struct Lane: Sendable {
    var used = 0
    var prefetch = 0
  }

  let limits: Limits
  private var holders: [Holder: (lane: String, isPrefetch: Bool)] = [:]
  private var lanes: [String: Lane] = [:]
  private(set) var prefetchCount = 0

  init(_ limits: Limits) { self.limits = limits }

  var count: Int { holders.count }
  var isFull: Bool { holders.count >= limits.total }

  func count(in lane: String) -> Int { lanes[lane]?.used ?? 0 }
  func contains(_ holder: Holder) -> Bool { holders[holder] != nil }

  func hasRoom(in lane: String, isPrefetch: Bool) -> Bool {
    guard !isFull else { return false }
    let used = lanes[lane] ?? Lane()
    guard used.used < limits.perLane else { return false }
    return !isPrefetch || (prefetchCount < limits.prefetch && used.prefetch < limits.prefetchPerLane)
  }

  mutating func take(_ holder: Holder, lane: String, isPrefetch: Bool) {
    holders[holder] = (lane, isPrefetch)
    lanes[lane, default: Lane()].used += 1
    if isPrefetch {
      lanes[lane, default: Lane()].prefetch += 1
      prefetchCount += 1
    }
  }

  /// Somebody visible joined: the place no longer counts as one of the few. It does not become one again when they
  /// leave, since what runs is not stopped for it.
  mutating func promote(_ holder: Holder) {
    guard let (lane, isPrefetch) = holders[holder], isPrefetch else { return }
    holders[holder]?.isPrefetch = false
    lanes[lane]?.prefetch -= 1
    prefetchCount -= 1
  }

  mutating func release(_ holder: Holder) {
    guard let (lane, isPrefetch) = holders.removeValue(forKey: holder) else { return }
    if isPrefetch { prefetchCount -= 1 }
    guard var used = lanes[lane] else { return }
    used.used -= 1
    if isPrefetch { used.prefetch -= 1 }
    lanes[lane] = used.used == 0 ? nil : used
  }
}
