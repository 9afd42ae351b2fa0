/// A limited number of slots for work in progress: in total, per host, and for prefetches.
struct SlotPool<Holder: Hashable & Sendable>: Sendable {
  struct Limits: Sendable {
    var total: Int
    var perHost: Int
    var prefetch: Int
    var prefetchPerHost: Int

    /// There is at least one slot of each kind, because without slots, work would wait forever.
    init(total: Int, perHost: Int) {
      self.total = max(1, total)
      self.perHost = min(max(1, perHost), self.total)
      prefetch = max(1, self.total / 3)
      prefetchPerHost = max(1, self.perHost / 3)
    }
  }

  private struct HostUsage: Sendable {
    var used = 0
    var prefetch = 0
  }

  let limits: Limits
  private var holders: [Holder: (host: String, isPrefetch: Bool)] = [:]
  private var hosts: [String: HostUsage] = [:]
  private(set) var prefetchCount = 0

  init(_ limits: Limits) { self.limits = limits }

  var count: Int { holders.count }
  var isFull: Bool { holders.count >= limits.total }

  func count(in host: String) -> Int { hosts[host]?.used ?? 0 }
  func contains(_ holder: Holder) -> Bool { holders[holder] != nil }

  func hasRoom(in host: String, isPrefetch: Bool) -> Bool {
    guard !isFull else { return false }
    let used = hosts[host] ?? HostUsage()
    guard used.used < limits.perHost else { return false }
    return !isPrefetch || (prefetchCount < limits.prefetch && used.prefetch < limits.prefetchPerHost)
  }

  mutating func take(_ holder: Holder, host: String, isPrefetch: Bool) {
    holders[holder] = (host, isPrefetch)
    hosts[host, default: HostUsage()].used += 1
    if isPrefetch {
      hosts[host, default: HostUsage()].prefetch += 1
      prefetchCount += 1
    }
  }

  /// Counts the slot as visible work when a visible request joins. It does not become a prefetch again when that
  /// request leaves, because running work is not stopped for that.
  mutating func promote(_ holder: Holder) {
    guard let (host, isPrefetch) = holders[holder], isPrefetch else { return }
    holders[holder]?.isPrefetch = false
    hosts[host]?.prefetch -= 1
    prefetchCount -= 1
  }

  mutating func release(_ holder: Holder) {
    guard let (host, isPrefetch) = holders.removeValue(forKey: holder) else { return }
    if isPrefetch { prefetchCount -= 1 }
    guard var used = hosts[host] else { return }
    used.used -= 1
    if isPrefetch { used.prefetch -= 1 }
    hosts[host] = used.used == 0 ? nil : used
  }
}
