/// One action of a person.
package struct PlannedAction: Sendable, Hashable {
  package var kind: ActionKind
  /// Selects the post; any number.
  package var choice: UInt64
  /// Whether a heart is given or removed.
  package var isGiven: Bool

  /// The selected element of `count` elements; `count` must be positive.
  package func index(in count: Int) -> Int { Int(choice % UInt64(count)) }
}

/// The actions of one person. The same seed, person and mix give the same actions, independent of the responses.
package struct ActionPlan: Sendable, Sequence, IteratorProtocol {
  private let mix: ActionMix
  private var random: SeededRandom

  package init(seed: UInt64, person: Int, mix: ActionMix) {
    self.mix = mix
    // The first number of a generator, so that neighbouring people do not get the same numbers one step later.
    var start = SeededRandom(seed &+ UInt64(truncatingIfNeeded: person) &* 0xd134_2543_de82_ef95)
    random = SeededRandom(start.next())
  }

  /// Returns the next action. A plan never ends.
  package mutating func next() -> PlannedAction? {
    var rest = Int.random(in: 0..<mix.total, using: &random)
    var kind = ActionKind.page
    for entry in mix.weights {
      kind = entry.kind
      if rest < entry.weight { break }
      rest -= entry.weight
    }
    return PlannedAction(kind: kind, choice: random.next(), isGiven: Bool.random(using: &random))
  }
}

/// When the actions of one person are to start, if all people together start a given number of actions a second.
package struct ActionSchedule: Sendable, Equatable {
  private let interval: Duration
  private let first: Duration

  /// - Parameters:
  ///   - rate: the actions of all people a second; positive.
  ///   - person: the number of the person, from 0. People start one after another, and not together.
  package init(rate: Double, person: Int, people: Int) {
    first = .seconds(Double(person) / rate)
    interval = .seconds(Double(people) / rate)
  }

  /// Returns the time from the start of the load to the start of an action.
  package func start(of action: Int) -> Duration { first + interval * action }
}
