/// The ways control can take through one function, as far as they matter to one handler.
///
/// Statements without any bearing on the handler leave no step behind.
struct Graph {
  struct Step {
    var event: Event
    /// Where it happens in the file.
    var offset: Int
    var next: [Int] = []
  }

  enum Event {
    case pass
    /// Something the reader of a path wants to know.
    case note(Remark)
    /// An index of `calls`.
    case call(Int)
    /// Out of sight, and trusted from here on.
    case escape
    /// A path on which it was called is trusted from here on, as the call comes later than what follows.
    case trustIfCalled
    /// Out of sight as the handler of another function.
    case handOn
    /// What a test has found out; the path ends if it cannot be so.
    case assume(variable: Int, Truth)
    /// The same, but nobody has tested: the path ends unless what tests find out of it is remembered.
    case suppose(variable: Int, Truth)
    case assign(variable: Int, Truth)
    /// The way out of the function, or of a closure that is looked into.
    case leave(Leave)
    case exit
    /// Another value takes the place of a stored continuation.
    case replace(Truth)
  }

  /// Of a flag: true or false; of an optional: there or nil.
  enum Truth: UInt8 {
    case unknown, yes, no
  }

  enum Remark: Equatable {
    case isTrue, isFalse, guardFails, isNil(String), isThere(String), taken, loopSkipped, loopEntered,
      loopAgain
    case throwsHere, selfIsGone, entersCatch, called, absent(String)
  }

  enum Leave: Equatable {
    case returns, ends, throwsOut
    /// The same out of a closure that is looked into.
    case closureReturns, closureEnds, closureThrows

    var isInner: Bool {
      switch self {
      case .returns, .ends, .throwsOut: false
      case .closureReturns, .closureEnds, .closureThrows: true
      }
    }
  }

  struct Variable {
    var name: String
    /// By how many tests and calls its value is used.
    var uses = 0
    /// Whether nil is certainly possible where nothing has been tested.
    var isOptional = false
    /// What gave it, for messages.
    var origin = ""
    /// Whether it is declared with a value that tells a test's result.
    var startsKnown = false
    /// Whether the function or a closure in it was given it.
    var isParameter = false
    /// Where the assignments are that became steps, and how many there are in the text.
    var assignments: Set<Int> = []
    var writtenAssignments = 0

    /// Whether nothing changes it out of sight.
    var isKnown: Bool { assignments.count >= writtenAssignments }
  }

  /// The variable that stands for the handler itself.
  static let handler = 0

  var steps: [Step] = []
  var calls: [CallSite] = []
  var variables: [Variable] = []
  var entry = 0
  /// Where a store is that was asked to be passed by.
  var ignoredStores: [Int] = []
  /// Why it could not be built.
  var obstacle: String?
}
