/// Knows the hearts that people gave and removed, to compare them with the counts of the server. A pure value.
///
/// Only answered changes are certain. After a request without an answer, both states are possible.
package struct HeartLedger: Sendable, Equatable {
  private struct Heart: Hashable {
    var person: Int
    var post: Int64
  }

  private struct State: Equatable {
    var wasGiven: Bool
    /// nil after a request without an answer.
    var isGiven: Bool?
  }

  /// The counts before the load, with the hearts of everyone.
  private var counts: [Int64: Int] = [:]
  private var hearts: [Heart: State] = [:]

  package init() {}

  package var posts: [Int64] { counts.keys.sorted() }

  /// Records the count of a post before the load.
  package mutating func begin(_ post: Int64, count: Int) { counts[post] = count }

  /// Records whether a person had given a heart before the load.
  package mutating func begin(_ post: Int64, person: Int, isGiven: Bool) {
    hearts[Heart(person: person, post: post)] = State(wasGiven: isGiven, isGiven: isGiven)
  }

  /// Records a change. `isGiven` is nil if the server did not answer.
  package mutating func change(_ post: Int64, person: Int, isGiven: Bool?) {
    hearts[Heart(person: person, post: post)]?.isGiven = isGiven
  }

  /// Takes over the hearts that another ledger has for one person.
  package mutating func merge(_ other: HeartLedger, of person: Int) {
    for (heart, state) in other.hearts where heart.person == person { hearts[heart] = state }
  }

  /// Returns the counts that are possible after the load: one count, if every change was answered.
  package func expected() -> [Int64: ClosedRange<Int>] {
    var expected = counts.mapValues { $0...$0 }
    for (heart, state) in hearts {
      guard let range = expected[heart.post] else { continue }
      let before = state.wasGiven ? 1 : 0
      let least = state.isGiven.map { $0 ? 1 : 0 } ?? 0
      let most = state.isGiven.map { $0 ? 1 : 0 } ?? 1
      expected[heart.post] = range.lowerBound + least - before...range.upperBound + most - before
    }
    return expected
  }
}
