// Measures how a stalled name look-up affects other loads, and whether time-outs and cancellations end its own load.
// The preloaded peers/stalled_lookup.c makes every look-up of a name that starts with "stalled" take 8 seconds.
import Foundation
import Retriever

struct StalledLookup {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// Measures these values:
  /// - `worst_ms`: the maximum time of any other load.
  /// - `timeout_ms`: the maximum time of a stalled load with a time-out of one second.
  /// - `cancel_ms`: the maximum time from cancelling a stalled load to its end.
  ///
  /// `--count` is the number of names that stall. With 0, `worst_ms` is the time of loads without a stall.
  func measure() async throws -> Report {
    let (shared, other) = (options.session(connections: nil), options.session(connections: nil))
    for session in [shared, other, shared, other] { try await load(options.url, session) }
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    // The stall starts early, so that its time-out and cancellation happen during the measurement.
    let deadline = started + 2_000_000_000
    async let stalls = stall(shared)
    let ordinary = try await withThrowingTaskGroup(of: (requests: Int, worst: Int).self) { group in
      for session in [shared, shared, other, other] {
        group.addTask { try await paced(options.url, session, until: deadline) }
      }
      for session in [shared, other] {
        group.addTask { try await lookedUp(session) }
      }
      return try await group.reduce((requests: 0, worst: 0)) {
        ($0.requests + $1.requests, max($0.worst, $1.worst))
      }
    }
    let (timeout, cancel) = try await stalls
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    var report = Report(requests: ordinary.requests, seconds: seconds, bytes: 0, residentAtStart: resident)
    report.figures = [("worst_ms", Double(ordinary.worst) / 1e6)]
    if options.count > 0 {
      report.figures += [("timeout_ms", Double(timeout) / 1e6), ("cancel_ms", Double(cancel) / 1e6)]
    }
    return report
  }

  /// Runs one load per millisecond, so that loads do not wait for a processor.
  private func paced(
    _ url: URL, _ session: URLSession, until deadline: Int
  ) async throws -> (requests: Int, worst: Int) {
    var (requests, worst) = (0, 0)
    while monotonicNanoseconds() < deadline {
      let begun = monotonicNanoseconds()
      try await load(url, session)
      worst = max(worst, monotonicNanoseconds() - begun)
      requests += 1
      try await Task.sleep(for: .milliseconds(1))
    }
    return (requests, worst)
  }

  /// Runs one load that needs a name look-up, during the stall.
  private func lookedUp(_ session: URLSession) async throws -> (requests: Int, worst: Int) {
    var components = URLComponents(url: options.url, resolvingAgainstBaseURL: false)
    components?.host = "localhost"
    guard let url = components?.url else { throw Failure("the URL has no host") }
    try await Task.sleep(for: .milliseconds(400))
    let begun = monotonicNanoseconds()
    try await load(url, session)
    return (1, monotonicNanoseconds() - begun)
  }

  private func load(_ url: URL, _ session: URLSession) async throws {
    let (_, response) = try await session.data(from: url)
    try Client.require(response)
  }

  /// Starts two loads for each stalled name: one that times out after a second, one that is cancelled before.
  private func stall(_ session: URLSession) async throws -> (timeout: Int, cancel: Int) {
    try await Task.sleep(for: .milliseconds(200))
    return try await withThrowingTaskGroup(of: (timeout: Int, cancel: Int).self) { group in
      for number in 0..<options.count {
        group.addTask { (try await timedOut("stalled-\(number).example", session), 0) }
        group.addTask { (0, try await cancelled("stalled-\(number).example", session)) }
      }
      return try await group.reduce((timeout: 0, cancel: 0)) {
        (max($0.timeout, $1.timeout), max($0.cancel, $1.cancel))
      }
    }
  }

  private func timedOut(_ host: String, _ session: URLSession) async throws -> Int {
    guard let url = URL(string: "http://\(host)/") else { throw Failure("\(host) is not a valid host name") }
    let begun = monotonicNanoseconds()
    _ = try? await session.data(for: URLRequest(url: url, timeoutInterval: 1))
    let taken = monotonicNanoseconds() - begun
    // A client that waits for the look-up reports that the host was not found. Only its time matters here.
    guard taken > 900_000_000 else { throw Failure("the look-up of \(host) is not stalled") }
    return taken
  }

  private func cancelled(_ host: String, _ session: URLSession) async throws -> Int {
    guard let url = URL(string: "http://\(host)/") else { throw Failure("\(host) is not a valid host name") }
    let load = Task { _ = try await session.data(from: url) }
    try await Task.sleep(for: .milliseconds(500))
    let begun = monotonicNanoseconds()
    load.cancel()
    _ = await load.result
    return monotonicNanoseconds() - begun
  }
}
