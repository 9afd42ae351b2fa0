// The plans and checks of kennel-load.
import Foundation
import Testing

@testable import KennelLoad

struct LoadPlanTests {
  private func actions(seed: UInt64, person: Int, mix: ActionMix = .everyone) -> [PlannedAction] {
    Array(ActionPlan(seed: seed, person: person, mix: mix).prefix(200))
  }

  @Test func `an equal seed gives a person equal actions, and another seed or person other ones`() {
    #expect(actions(seed: 7, person: 3) == actions(seed: 7, person: 3))
    #expect(actions(seed: 7, person: 3) != actions(seed: 8, person: 3))
    #expect(actions(seed: 7, person: 3) != actions(seed: 7, person: 4))
    // Neighbours do not have the same actions one step later.
    #expect(actions(seed: 7, person: 3).dropFirst() != actions(seed: 7, person: 4).dropLast())
  }

  @Test func `kinds of actions are as frequent as their weights`() throws {
    let mix = try #require(ActionMix("page=1,heart=3,comment=0"))
    let kinds = ActionPlan(seed: 1, person: 0, mix: mix).prefix(4_000).map(\.kind)
    #expect(Set(kinds) == [.page, .heart])
    #expect((2_850...3_150).contains(kinds.count { $0 == .heart }))
  }

  @Test(arguments: [
    "", "page", "page=", "page=-1", "page=1,page=2", "cat=1", "page=0", "page=1,", "page=1=2", "page=1000001",
  ])
  func `an invalid mix is refused`(text: String) { #expect(ActionMix(text) == nil) }

  @Test func `planned actions of all people are evenly distributed`() {
    let starts = (0..<4).flatMap { person in
      let schedule = ActionSchedule(rate: 8, person: person, people: 4)
      return (0..<3).map { schedule.start(of: $0) }
    }
    #expect(starts.sorted() == (0..<12).map { .milliseconds(125 * $0) })
  }

  @Test func `a choice selects a post of any number of posts`() {
    #expect(PlannedAction(kind: .heart, choice: .max, isGiven: true).index(in: 10) == 5)
    #expect(PlannedAction(kind: .heart, choice: 3, isGiven: true).index(in: 1) == 0)
  }

  @Test(arguments: [
    ("http://127.0.0.1:8080", true), ("https://localhost/", true), ("http://[::1]:80", true),
    ("http://127.9.9.9", true), ("http://192.168.1.1", false), ("http://127.0.0.1.example", false),
    ("http://dogs.example", false), ("http://127.1", false),
  ])
  func `only addresses of this machine are loopback addresses`(text: String, isLoopback: Bool) throws {
    #expect(try #require(LoadAddress(text)).isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "dogs", "ftp://127.0.0.1", "http://", "http://127.0.0.1/path", "http://a:b@127.0.0.1",
    "http://127.0.0.1?x",
  ])
  func `an invalid address is refused`(text: String) { #expect(LoadAddress(text) == nil) }
}

struct LatencyHistogramTests {
  @Test func `percentiles are exact within two percent`() {
    var histogram = LatencyHistogram()
    for number in 1...1_000 { histogram.record(.milliseconds(number)) }
    #expect(histogram.count == 1_000)
    #expect(abs(histogram.milliseconds(0.5) - 500) <= 10)
    #expect(abs(histogram.milliseconds(0.99) - 990) <= 20)
    #expect(histogram.milliseconds(1) == 1_000)
    #expect(histogram.maximumMilliseconds == 1_000)
  }

  @Test func `short, long and negative durations are counted`() {
    var histogram = LatencyHistogram()
    #expect(histogram.milliseconds(0.5) == 0)
    histogram.record(.microseconds(127))
    #expect(histogram.milliseconds(0.5) == 0.127)
    histogram.record(.microseconds(-1))
    #expect(histogram.milliseconds(0.5) == 0)
    histogram.record(.seconds(Int64.max))
    #expect(histogram.maximumMilliseconds == Double(UInt64(1) << 40) / 1_000)
    #expect(histogram.milliseconds(1) == histogram.maximumMilliseconds)
  }

  @Test func `a sum of histograms counts the durations of both`() {
    var (one, other, both) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
    for number in 1...50 {
      one.record(.microseconds(number * 13))
      other.record(.microseconds(number * 1_700))
      both.record(.microseconds(number * 13))
      both.record(.microseconds(number * 1_700))
    }
    one.add(other)
    #expect(one == both)
  }
}

struct EventCheckTests {
  private func check(after start: Int64 = 10, _ ids: [Int64]) -> EventCheck {
    var check = EventCheck(after: start)
    for id in ids { _ = check.receive(id) }
    return check
  }

  @Test func `listeners that receive each event once and in order are exact`() {
    let summary = EventSummary([check([11, 12, 15]), check(after: 12, [15])])
    #expect(summary.isExact)
    #expect(summary.events == 3)
    #expect(summary.deliveries == 4)
  }

  @Test func `an event that only other listeners received is a gap`() {
    let summary = EventSummary([check([11, 12, 13]), check([11, 13])])
    #expect(summary.gaps == 1)
    #expect(!summary.isExact)
  }

  @Test func `events after the last one that counts are no gaps`() {
    #expect(EventSummary([check([11, 12, 13]), check([11, 12])], through: 12).isExact)
    #expect(!EventSummary([check([11, 12, 13]), check([11, 12])], through: 13).isExact)
  }

  @Test func `repetitions, also of events before the start, are counted`() {
    let summary = EventSummary([check([11, 12, 11, 10])])
    #expect(summary.repetitions == 2)
    #expect(summary.deliveries == 4)
    #expect(!summary.isExact)
  }

  @Test func `an event after a later one is an order error, and no gap`() {
    let summary = EventSummary([check([11, 13, 12]), check([11, 12, 13])])
    #expect(summary.orderErrors == 1)
    #expect(summary.gaps == 0)
  }

  @Test func `a notice of lost events is not exact`() {
    var check = check([11])
    check.receiveLossNotice()
    #expect(!EventSummary([check]).isExact)
  }

  @Test func `a listener with too many missing events stops`() {
    var check = EventCheck(after: 0)
    let results = (1...EventCheck.maximumPieces + 1).map { check.receive(Int64($0) * 2) }
    #expect(results.dropLast().allSatisfy { $0 })
    #expect(results.last == false)
  }

  @Test func `ranges contain the same numbers as a set`() {
    var random = SeededRandom(5)
    for _ in 0..<50 {
      var (one, other) = (IdentifierRanges(), IdentifierRanges())
      var (oneSet, otherSet) = (Set<Int64>(), Set<Int64>())
      for _ in 0..<60 {
        let (first, second) = (
          Int64.random(in: 0..<80, using: &random), Int64.random(in: 0..<80, using: &random)
        )
        #expect(one.insert(first) == oneSet.insert(first).inserted)
        #expect(other.insert(second) == otherSet.insert(second).inserted)
      }
      one.formUnion(other)
      oneSet.formUnion(otherSet)
      #expect(one.count == oneSet.count)
      #expect(one.count(after: 20, through: 60) == oneSet.count { (21...60).contains($0) })
    }
  }
}

struct HeartLedgerTests {
  private func ledger() -> HeartLedger {
    var ledger = HeartLedger()
    ledger.begin(1, count: 5)
    ledger.begin(1, person: 0, isGiven: true)
    ledger.begin(1, person: 1, isGiven: false)
    return ledger
  }

  @Test func `answered changes give one count`() {
    var ledger = ledger()
    ledger.change(1, person: 0, isGiven: false)
    ledger.change(1, person: 1, isGiven: true)
    ledger.change(1, person: 1, isGiven: false)
    #expect(ledger.expected() == [1: 4...4])
  }

  @Test func `a change without an answer allows both counts, until the next answer`() {
    var ledger = ledger()
    ledger.change(1, person: 0, isGiven: nil)
    ledger.change(1, person: 1, isGiven: nil)
    #expect(ledger.expected() == [1: 4...6])
    ledger.change(1, person: 1, isGiven: true)
    #expect(ledger.expected() == [1: 5...6])
  }

  @Test func `ledgers of people are merged`() {
    var (all, one) = (ledger(), ledger())
    one.change(1, person: 1, isGiven: true)
    one.change(1, person: 0, isGiven: false)
    all.merge(one, of: 1)
    #expect(all.expected() == [1: 6...6])
  }
}

struct LoadReportTests {
  @Test func `a report lists actions, statuses and failed checks`() throws {
    var report = LoadReport()
    (report.people, report.seconds, report.wantedRate) = (2, 2, 50)
    var hearts = ActionTally()
    hearts.record(status: 200, time: .milliseconds(2))
    hearts.record(status: 503, time: .milliseconds(4))
    hearts.record(failure: "URLError -1001", time: .milliseconds(30))
    report.setRows([.heart: hearts])
    #expect(report.rows.map(\.action) == ["heart", "all"])
    #expect(report.rows.first?.errors == 2)
    #expect(report.rows.first?.rate == 1.5)
    #expect(report.isExact)
    #expect(report.text.contains("heart: 200: 1, 503: 1, URLError -1001: 1"))
    #expect(report.text.contains("2 people, seed 0, 2.0 s, 50 actions a second"))

    report.hearts = [.init(address: "http://127.0.0.1:1", posts: 9, wrong: [4])]
    #expect(!report.isExact)
    #expect(report.text.contains("1 of 9 posts wrong at http://127.0.0.1:1: 4"))
    let decoded = try JSONDecoder().decode(LoadReport.self, from: Data(report.json().utf8))
    #expect(decoded == report)
  }
}
