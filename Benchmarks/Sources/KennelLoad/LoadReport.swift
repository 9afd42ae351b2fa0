import Foundation

/// How often one kind of action was done, how it ended, and how long it took.
package struct ActionTally: Sendable {
  /// The statuses of the responses.
  package private(set) var statuses: [Int: Int] = [:]
  /// The actions without a response, by what happened.
  package private(set) var failures: [String: Int] = [:]
  package private(set) var times = LatencyHistogram()

  package init() {}

  package mutating func record(status: Int, time: Duration) {
    statuses[status, default: 0] += 1
    times.record(time)
  }

  package mutating func record(failure: String, time: Duration) {
    failures[failure, default: 0] += 1
    times.record(time)
  }

  package mutating func add(_ other: ActionTally) {
    statuses.merge(other.statuses, uniquingKeysWith: +)
    failures.merge(other.failures, uniquingKeysWith: +)
    times.add(other.times)
  }
}

/// The result of a load, as text and as JSON.
package struct LoadReport: Sendable, Equatable, Codable {
  /// One row of the table.
  package struct Row: Sendable, Equatable, Codable {
    package var action: String
    package var count: Int
    package var rate: Double
    package var errors: Int
    package var p50: Double
    package var p90: Double
    package var p99: Double
    package var maximum: Double
    /// All statuses of responses; what happened instead for actions without a response.
    package var outcomes: [String: Int]
  }

  /// The result of the comparison of hearts at one address.
  package struct Hearts: Sendable, Equatable, Codable {
    package var address: String
    /// The posts whose hearts were compared.
    package var posts: Int
    /// The posts with another count than the answered changes give.
    package var wrong: [Int64]

    package init(address: String, posts: Int, wrong: [Int64]) {
      (self.address, self.posts, self.wrong) = (address, posts, wrong)
    }
  }

  package var addresses: [String] = []
  package var people = 0
  package var seed: UInt64 = 0
  package var seconds = 0.0
  /// The actions a second that were wanted; nil for as many as possible.
  package var wantedRate: Double?
  /// Whether Ctrl-C ended the load.
  package var isInterrupted = false
  package var rows: [Row] = []
  package var events: EventSummary?
  package var hearts: [Hearts] = []
  /// Why a check at the end could not be made.
  package var problems: [String] = []
  /// The processor time of this program, in seconds.
  package var clientProcessorSeconds = 0.0

  package init() {}

  /// Makes the rows of the table, and their sum.
  package mutating func setRows(_ tallies: [ActionKind: ActionTally]) {
    var sum = ActionTally()
    rows = ActionKind.allCases.compactMap { kind in
      guard let tally = tallies[kind], tally.times.count > 0 else { return nil }
      sum.add(tally)
      return row(kind.rawValue, tally)
    }
    if !rows.isEmpty { rows.append(row("all", sum)) }
  }

  private func row(_ name: String, _ tally: ActionTally) -> Row {
    let failed = tally.statuses.filter { $0.key >= 400 }.values.reduce(0, +)
    var outcomes = tally.failures
    for (status, count) in tally.statuses { outcomes[String(status)] = count }
    return Row(
      action: name, count: tally.times.count, rate: seconds > 0 ? Double(tally.times.count) / seconds : 0,
      errors: failed + tally.failures.values.reduce(0, +), p50: tally.times.milliseconds(0.5),
      p90: tally.times.milliseconds(0.9), p99: tally.times.milliseconds(0.99),
      maximum: tally.times.maximumMilliseconds, outcomes: outcomes)
  }

  /// Whether all checks passed. Errors of single actions are reported, and are not a failed check.
  package var isExact: Bool {
    (events?.isExact ?? true) && hearts.allSatisfy(\.wrong.isEmpty) && problems.isEmpty
  }

  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  package var text: String {
    let pace = wantedRate.map { String(format: "%g actions a second", $0) } ?? "as fast as possible"
    var lines = [
      "\(people) people, seed \(seed), \(String(format: "%.1f", seconds)) s, \(pace)"
        + (isInterrupted ? ", interrupted" : ""),
      "", Self.columns(["action", "count", "a second", "errors", "p50 ms", "p90 ms", "p99 ms", "max ms"]),
    ]
    for row in rows {
      lines.append(
        Self.columns(
          [row.action, "\(row.count)", String(format: "%.1f", row.rate), "\(row.errors)"]
            + [row.p50, row.p90, row.p99, row.maximum].map { String(format: "%.2f", $0) }))
    }
    lines.append("")
    for row in rows.dropLast() {
      let outcomes = row.outcomes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      lines.append("\(row.action): " + outcomes.joined(separator: ", "))
    }
    if let events { lines += Self.lines(events) }
    for check in hearts {
      lines.append(
        check.wrong.isEmpty
          ? "hearts: \(check.posts) posts exact at \(check.address)"
          : "hearts: \(check.wrong.count) of \(check.posts) posts wrong at \(check.address): "
            + check.wrong.prefix(20).map(String.init).joined(separator: ", "))
    }
    lines += problems.map { "problem: \($0)" }
    lines.append(String(format: "processor time of this program: %.2f s", clientProcessorSeconds))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ events: EventSummary) -> [String] {
    let verdict = events.isExact ? "each event once and in order" : "NOT each event once and in order"
    return [
      "listeners: \(events.listeners), \(events.events) events, \(events.deliveries) deliveries: \(verdict)",
      "  gaps \(events.gaps), repetitions \(events.repetitions), order errors \(events.orderErrors), "
        + "loss notices \(events.lossNotices), ended streams \(events.ended), "
        + "unreported changes \(events.unreportedChanges), wrong counts \(events.wrongCounts)",
    ]
  }

  private static func columns(_ cells: [String]) -> String {
    zip(cells, [-10, 9, 10, 8, 10, 10, 10, 10])
      .map { cell, width in
        let padding = String(repeating: " ", count: max(0, abs(width) - cell.count))
        return width < 0 ? cell + padding : padding + cell
      }
      .joined(separator: " ")
  }
}
