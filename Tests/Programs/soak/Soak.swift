import Foundation
import Synchronization
import TestSupport

/// Random loads with random faults against servers of this process, and checks of what they leave behind.
final class Soak: Sendable {
  private static let concurrency = 50
  private static let warmUpLoads = 400
  /// No load takes longer: time-outs end the ones that stall, and 30 seconds without a byte any other.
  private static let overdue = Duration.seconds(120)
  /// Resident memory may grow by this much from one minute to the next: what caches and the allocator keep varies.
  private static let maximumGrowth = 24 << 20
  /// Threads of Swift's and Dispatch's pools come and go.
  private static let spareThreads = 4
  private static let progressInterval = Duration.seconds(10)

  private let seed: UInt64
  private let ledger = Ledger()
  private let servers: SoakServers
  private let runner: LoadRunner
  private let nextNumber = Atomic<Int>(0)
  private let activeWorkers = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)
  private let start = ContinuousClock.now

  init(seed: UInt64) throws {
    self.seed = seed
    servers = try SoakServers(seed: seed, ledger: ledger)
    runner = LoadRunner(ledger: ledger, servers: servers, directory: try TemporaryDirectory())
  }

  /// Ends the run early; what is under way still ends.
  func interrupt() { isStopped.store(true, ordering: .relaxed) }

  /// Runs loads for that long and prints what was found.
  ///
  /// - Returns: how many violations there were.
  func run(for length: Duration) async throws -> Int {
    let deadline = start + length
    let warmUp = try SessionPool(seed: seed)
    await runLoads(with: warmUp) { $0 >= Self.warmUpLoads || ContinuousClock.now >= deadline }
    await close(warmUp)
    let before = ResourceCensus.take()
    Report.line("soak: after the warm-up: \(before)")

    let pool = try SessionPool(seed: seed &+ 1)
    let monitor = Task { await watch() }
    await runLoads(with: pool) { _ in ContinuousClock.now >= deadline }
    await close(pool)
    monitor.cancel()
    await checkLeftovers(since: before)
    servers.stop()
    for failure in servers.failures.prefix(5) { ledger.violation("server", failure) }
    if ledger.proxiedCount == 0 { Report.line("soak: note: no load went through a proxy") }
    summarize(pool)
    return ledger.counts.violations
  }

  /// Keeps so many loads under way until `isDone` says of a load's number that it shall not begin.
  private func runLoads(with pool: SessionPool, until isDone: @escaping @Sendable (Int) -> Bool) async {
    for _ in 0..<Self.concurrency {
      activeWorkers.add(1, ordering: .relaxed)
      Task {
        while !isStopped.load(ordering: .relaxed) {
          let number = nextNumber.load(ordering: .relaxed)
          guard !isDone(number) else { break }
          let plan = LoadPlan(seed: seed, number: nextNumber.add(1, ordering: .relaxed).oldValue)
          let member = pool.take()
          await runner.run(plan, on: member)
          pool.release(member)
        }
        activeWorkers.subtract(1, ordering: .releasing)
      }
    }
    // Polled, so that a load that never ends does not keep the run from its end.
    while activeWorkers.load(ordering: .acquiring) > 0 {
      try? await Task.sleep(for: .milliseconds(20))
      reportOverdue()
      if ledger.counts.violations > 10_000 { interrupt() }
    }
  }

  private func reportOverdue() {
    for text in ledger.takeOverdue(after: Self.overdue) {
      ledger.violation("never ended", "\(text) has not ended after \(Self.overdue)")
      // Its worker is lost.
      activeWorkers.subtract(1, ordering: .relaxed)
    }
  }

  /// Invalidates what is left of the sessions, and checks that each was reported as invalid once.
  private func close(_ pool: SessionPool) async {
    pool.retireAll()
    let isRight = await eventually { pool.wronglyInvalidated() == (0, 0) }
    if !isRight {
      let (missing, repeated) = pool.wronglyInvalidated()
      ledger.violation(
        "invalidation",
        "\(missing) delegates were not told of their session's end, \(repeated) more than once")
    }
    let isClosed = await eventually { [servers] in servers.openConnectionCount == 0 }
    if !isClosed {
      ledger.violation(
        "connections", "\(servers.openConnectionCount) are open after all sessions were invalidated")
    }
  }

  // MARK: Resources

  private func watch() async {
    var lastProgress = ContinuousClock.now
    var lastMinute = ContinuousClock.now
    var resident: Int?
    while !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(250))
      if ContinuousClock.now - lastProgress >= Self.progressInterval {
        lastProgress = .now
        reportProgress()
      }
      // What a sanitizer keeps grows by itself.
      if ContinuousClock.now - lastMinute >= .seconds(60), !ResourceCensus.isSanitized {
        lastMinute = .now
        let now = ResourceCensus.residentBytes()
        if let resident, now - resident > Self.maximumGrowth {
          ledger.violation("memory", "grew from \(resident >> 20) MiB to \(now >> 20) MiB within a minute")
        }
        resident = now
      }
    }
  }

  private func checkLeftovers(since before: ResourceCensus) async {
    let isClean = await eventually {
      let left = ResourceCensus.take().since(before)
      return left.descriptors <= 0 && left.threads <= Self.spareThreads
    }
    let after = ResourceCensus.take()
    Report.line("soak: at the end: \(after)")
    guard !isClean else { return }
    let new = after.descriptors.filter { before.descriptors[$0.key] != $0.value }.values.sorted().prefix(10)
    ledger.violation(
      "left behind", "before: \(before); after: \(after); new descriptors: \(new.joined(separator: ", "))")
  }

  // MARK: Report

  private func reportProgress() {
    let counts = ledger.counts
    let seconds = Int((ContinuousClock.now - start).components.seconds)
    Report.line(
      "soak: \(seconds) s: \(counts.ended) loads ended, \(counts.started - counts.ended) under way, "
        + "\(counts.responses) responses, \(counts.failures) errors, \(counts.cancelled) cancelled, "
        + "\(counts.violations) violations; \(ResourceCensus.take())")
  }

  private func summarize(_ pool: SessionPool) {
    let counts = ledger.counts
    if counts.started != counts.ended {
      ledger.violation("count", "\(counts.started) loads began and \(counts.ended) ended")
    }
    Report.line(
      "soak: \(counts.ended) loads over \(servers.connectionCount) connections and \(pool.count) sessions: "
        + "\(counts.responses) responses, \(counts.failures) errors, \(counts.cancelled) cancelled; "
        + "\(ledger.proxiedCount) requests through proxies")
    let (first, kinds) = ledger.violations
    guard !kinds.isEmpty else { return Report.line("soak: no violations (SEED=\(seed))") }
    Report.line("soak: \(ledger.counts.violations) violations (SEED=\(seed)):")
    for (kind, count) in kinds.sorted(by: { $0.value > $1.value }) { Report.line("  \(count) × \(kind)") }
    for sentence in first { Report.line("  \(sentence)") }
  }
}
