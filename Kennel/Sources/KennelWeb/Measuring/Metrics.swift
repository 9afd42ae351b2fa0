import Foundation
import Synchronization

/// The counters for monitoring the server. Values from clients never become labels, so the number of labels is bounded.
final class Metrics: Sendable {
  enum Event: Int, Sendable, CaseIterable {
    case signInAccepted, signInRefused, photoTaken, photoRefused, quotaExceeded
  }

  /// The upper bounds of the histogram's buckets, in seconds.
  static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  struct Latency: Sendable {
    /// The number of requests per bucket. A bucket has the requests up to its bound and above the previous one. The
    /// last bucket has the requests above all bounds.
    var buckets = [Int](repeating: 0, count: Metrics.bounds.count + 1)
    var seconds = 0.0
    var count = 0
  }

  struct Snapshot: Sendable {
    /// The number of responses by status, for each route. The last element is for requests without a route.
    var statuses: [[Int: Int]]
    var latencies: [Latency]
    var events = [Int](repeating: 0, count: Event.allCases.count)
    var photoBytes = 0
  }

  /// The names of the routes, such as `GET /posts/{id}`.
  let routes: [String]
  let start: Date
  private let state: Mutex<Snapshot>

  init(routes: [String], start: Date) {
    self.routes = routes
    self.start = start
    state = Mutex(
      Snapshot(
        statuses: Array(repeating: [:], count: routes.count + 1),
        latencies: Array(repeating: Latency(), count: routes.count + 1)))
  }

  var snapshot: Snapshot { state.withLock { $0 } }

  /// - Parameter route: the index of the route, or nil if there is none.
  func record(route: Int?, status: Int, took duration: Duration) {
    let (integralSeconds, attoseconds) = duration.components
    let seconds = Double(integralSeconds) + Double(attoseconds) * 1e-18
    let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
    state.withLock { state in
      let index = route ?? routes.count
      state.statuses[index][status, default: 0] += 1
      state.latencies[index].buckets[bucket] += 1
      state.latencies[index].seconds += seconds
      state.latencies[index].count += 1
    }
  }

  func count(_ event: Event) { state.withLock { $0.events[event.rawValue] += 1 } }

  func countPhoto(bytes: Int) {
    state.withLock { state in
      state.events[Event.photoTaken.rawValue] += 1
      state.photoBytes += bytes
    }
  }
}

/// Metrics in Prometheus's text format 0.0.4.
struct PrometheusText: Sendable {
  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  private(set) var text = ""

  /// Describes the samples that follow.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// - Parameter labels: names and values, in order.
  mutating func sample(_ name: String, _ labels: [(String, String)] = [], is value: Int) {
    line(name, labels, String(value))
  }

  mutating func sample(_ name: String, _ labels: [(String, String)] = [], is value: Double) {
    line(name, labels, String(value))
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
    }
    text += " " + value + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
