// Starts requests at a fixed rate, and measures each from its planned start. So the time that a request waits for earlier
// ones counts, too.
import Foundation
import Retriever
import Synchronization

struct Paced {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// Reports percentiles of the latency as `p50_ms`, `p99_ms` and `p999_ms`.
  func measure() async throws -> Report {
    let rate = options.rate
    let count = Int(rate * options.seconds)
    guard count > 0 else { throw Failure("--rate is missing") }
    var warmUp = options
    warmUp.seconds = 0.3
    let opened = Throughput(warmUp, concurrency: options.concurrency)
    _ = try await opened.get()
    let (session, url) = (opened.session, options.url)
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let loads = Loads(count)
    await withCheckedContinuation { continuation in
      // A thread of its own with the kernel's timers, like in the Go client, whose runtime has less exact timers.
      Thread.detachNewThread {
        for number in 0..<count {
          let planned = started + Int(Double(number) / rate * 1e9)
          sleep(until: planned)
          Task {
            let bytes = try? await load(url, session)
            if loads.end(after: monotonicNanoseconds() - planned, bytes: bytes) { continuation.resume() }
          }
        }
      }
    }
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    let (latencies, bytes) = try loads.results()
    var report = Report(requests: count, seconds: seconds, bytes: bytes, residentAtStart: resident)
    report.figures = [("p50_ms", 0.5), ("p99_ms", 0.99), ("p999_ms", 0.999)].map { name, share in
      (name, Double(latencies[Int(Double(count - 1) * share)]) / 1e6)
    }
    report.figures.append(("rate", rate))
    return report
  }

  /// The results of loads that run at the same time.
  private final class Loads: Sendable {
    private struct State {
      var latencies: [Int] = []
      var bytes = 0
      var failures = 0
    }

    private let state = Mutex(State())
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// Returns whether this was the last load.
    /// - Parameter bytes: The length of the body; nil if the load failed.
    func end(after latency: Int, bytes: Int?) -> Bool {
      state.withLock {
        $0.latencies.append(latency)
        $0.bytes += bytes ?? 0
        if bytes == nil { $0.failures += 1 }
        return $0.latencies.count == count
      }
    }

    func results() throws -> (latencies: [Int], bytes: Int) {
      let state = state.withLock { $0 }
      guard state.failures == 0 else { throw Failure("\(state.failures) loads failed") }
      return (state.latencies.sorted(), state.bytes)
    }
  }
}

private func load(_ url: URL, _ session: URLSession) async throws -> Int {
  let (data, response) = try await session.data(from: url)
  try Client.require(response)
  return data.count
}

private func sleep(until nanoseconds: Int) {
  var time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}
