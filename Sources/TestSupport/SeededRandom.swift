/// A random number generator that gives the same numbers for the same seed on every machine (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Any seed is valid, including 0.
  public init(_ seed: UInt64) { state = seed }

  /// Returns the next number. All values of `UInt64` are equally likely.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Draws a sequence of events of `kinds` kinds, to test a state machine with events in any order.
  ///
  /// - Parameter event: Receives the kind of the event, and the generator for further numbers.
  public static func draw(
    _ count: Int, eventsOf kinds: Int, seed: UInt64,
    _ event: (_ kind: Int, _ random: inout SeededRandom) throws -> Void
  ) rethrows {
    var random = SeededRandom(seed)
    for _ in 0..<count { try event(Int.random(in: 0..<kinds, using: &random), &random) }
  }
}
