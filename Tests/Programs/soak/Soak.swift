import Foundation
import Synchronization
import TestSupport

/// Runs random loads with random faults against servers in this process, and checks for leaks afterwards.
final class Soak: Sendable {
  private static let concurrency = 50
  private static let warmUpLoads = 400
  /// The maximum duration of a load: time-outs end stalled loads, and any other load after 30 seconds without a byte.
  private static let overdue = Duration.seconds(120)
  /// The maximum growth of resident memory within a minute. Caches and the allocator make it vary.
  private static let maximumGrowth = 24 << 20
  /// The number of additional threads allowed, because the thread pools of Swift and Dispatch vary in size.
  private static let spareThreads = 4
  private static let progressInterval = Duration.seconds(10)

  private let seed: UInt64
  private let runLog = RunLog()
  private let servers: SoakServers
  private let runner: LoadRunner
  private let nextNumber = Atomic<Int>(0)
  private let activeWorkers = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)
  private let start = ContinuousClock.now

  init(seed: UInt64) throws {
    self.seed = seed
    servers = try SoakServers(seed: seed, runLog: runLog)
    runner = LoadRunner(runLog: runLog, servers: servers, directory: try TemporaryDirectory())
  }

  /// Ends the run early. Loads that have started still end.
  func interrupt() { isStopped.store(true, ordering: .relaxed) }

  /// Runs loads for `length` and prints the results.
  ///
  /// - Returns: The number of violations.
  func run(for length: Duration) async throws -> Int {
    let deadline = start + length
    let warmUp = try SessionPool(seed: seed)
    await runLoads(with: warmUp) { $0 >= Self.warmUpLoads || ContinuousClock.now >= deadline }
    await close(warmUp)
    let before = ResourceSnapshot.take()
    Report.line("soak: after the warm-up: \(before)")

    let pool = try SessionPool(seed: seed &+ 1)
    let monitor = Task { await watch() }
    await runLoads(with: pool) { _ in ContinuousClock.now >= deadline }
    await close(pool)
    monitor.cancel()
    await checkLeftovers(since: before)
    servers.stop()
    for failure in servers.failures.prefix(5) { runLog.violation("server", failure) }
    if runLog.proxiedCount == 0 { Report.line("soak: note: no load went through a proxy") }
    summarize(pool)
    return runLog.counts.violations
  }

  /// Keeps `concurrency` loads running until `isDone` returns true for the number of the next load.
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
    // Polls, so that a load that never ends does not prevent the end of the run.
    while activeWorkers.load(ordering: .acquiring) > 0 {
      try? await Task.sleep(for: .milliseconds(20))
      reportOverdue()
      if runLog.counts.violations > 10_000 { interrupt() }
    }
  }

  private func reportOverdue() {
    for text in runLog.takeOverdue(after: Self.overdue) {
      runLog.violation("never ended", "\(text) has not ended after \(Self.overdue)")
      // The load's worker never returns.
      activeWorkers.subtract(1, ordering: .relaxed)
    }
  }

  /// Invalidates the remaining sessions, and checks that each one reported this exactly once.
  private func close(_ pool: SessionPool) async {
    pool.retireAll()
    let isRight = await eventually { pool.wronglyInvalidated() == (0, 0) }
    if !isRight {
      let (missing, repeated) = pool.wronglyInvalidated()
      runLog.violation(
        "invalidation",
        "\(missing) delegates were not notified of their session's end, \(repeated) more than once")
    }
    let isClosed = await eventually { [servers] in servers.openConnectionCount == 0 }
    if !isClosed {
      runLog.violation(
        "connections", "\(servers.openConnectionCount) are still open after all sessions were invalidated")
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
      // The memory that a sanitizer uses grows by itself.
      if ContinuousClock.now - lastMinute >= .seconds(60), !ResourceSnapshot.isSanitized {
        lastMinute = .now
        let now = ResourceSnapshot.residentBytes()
        if let resident, now - resident > Self.maximumGrowth {
          runLog.violation("memory", "grew from \(resident >> 20) MiB to \(now >> 20) MiB within a minute")
        }
        resident = now
      }
    }
  }

  private func checkLeftovers(since before: ResourceSnapshot) async {
    let isClean = await eventually {
      let left = ResourceSnapshot.take().since(before)
      return left.descriptors <= 0 && left.threads <= Self.spareThreads
    }
    let after = ResourceSnapshot.take()
    Report.line("soak: at the end: \(after)")
    guard !isClean else { return }
    let new = after.descriptors.filter { before.descriptors[$0.key] != $0.value }.values.sorted().prefix(10)
    runLog.violation(
      "leak", "before: \(before); after: \(after); new descriptors: \(new.joined(separator: ", "))")
  }

  // MARK: Report

  private func reportProgress() {
    let counts = runLog.counts
    let seconds = Int((ContinuousClock.now - start).components.seconds)
    Report.line(
      "soak: \(seconds) s: \(counts.ended) loads ended, \(counts.started - counts.ended) running, "
        + "\(counts.responses) responses, \(counts.failures) errors, \(counts.cancelled) cancelled, "
        + "\(counts.violations) violations; \(ResourceSnapshot.take())")
  }

  private func summarize(_ pool: SessionPool) {
    let counts = runLog.counts
    if counts.started != counts.ended {
      runLog.violation("count", "\(counts.started) loads started and \(counts.ended) ended")
    }
    Report.line(
      "soak: \(counts.ended) loads over \(servers.connectionCount) connections and \(pool.count) sessions: "
        + "\(counts.responses) responses, \(counts.failures) errors, \(counts.cancelled) cancelled; "
        + "\(runLog.proxiedCount) requests through proxies")
    let (first, kinds) = runLog.violations
    guard !kinds.isEmpty else { return Report.line("soak: no violations (SEED=\(seed))") }
    Report.line("soak: \(runLog.counts.violations) violations (SEED=\(seed)):")
    for (kind, count) in kinds.sorted(by: { $0.value > $1.value }) { Report.line("  \(count) × \(kind)") }
    for message in first { Report.line("  \(message)") }
  }
}
