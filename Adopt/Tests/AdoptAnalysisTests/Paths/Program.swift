/// The control flow of a random function. Numbers identify the elements that are on separate lines.
struct Program {
  indirect enum Statement {
    case call(Int)
    case work
    case leave(Int)
    case raise(Int)
    case attempt(Int)
    case ignoredAttempt
    case stop
    case branch(Condition, [Statement], otherwise: [Statement]?)
    case check(Condition, [Statement])
    case choose([Case])
    case whileLoop(Int, Condition, [Statement])
    case repeatLoop(Int, [Statement], Condition)
    case forLoop(Int, Condition?, [Statement])
    case block(Int, [Statement])
    case guarded(Int, [Statement], catches: [[Statement]], isExhaustive: Bool)
    case later([Statement])
    case breakOut(Int, isLabelled: Bool)
    case continueLoop(Int, isLabelled: Bool)
    case closure(Closure, end: Int, [Statement])
    case set(Int, Bool)
    case helper
    case conditional([[Statement]], hasElse: Bool)
    case ternary(Condition, Int)
    case ifHandler([Statement], otherwise: [Statement]?)
  }

  struct Case {
    var condition: Condition?
    var body: [Statement]
    var fallsThrough = false
  }

  enum Closure {
    case async, task, locked, tryLocked
  }

  indirect enum Condition {
    case opaque
    case throwing(Int)
    /// A parameter, which has the same value each time.
    case stable(Int)
    case flag(Int)
    case always
    case not(Condition)
    case and(Condition, Condition)
    case or(Condition, Condition)
  }

  static let stableCount = 2
  static let flagCount = 2

  var isOptional = false
  var canThrow = false
  var helper: [Statement]?
  var helperEnd = 0
  var end = 0
  var body: [Statement] = []
}

/// A small, fast random number generator with the same results on all platforms.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
