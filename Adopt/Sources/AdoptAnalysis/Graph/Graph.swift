/// The control flow graph of a function, as far as it matters to one handler.
///
/// Statements that do not affect the handler have no step.
struct Graph {
  struct Step {
    var event: Event
    /// The offset of the step in the file.
    var offset: Int
    var next: [Int] = []
  }

  enum Event {
    case pass
    /// Information for the reader of a path.
    case note(Remark)
    /// A call of the handler, as an index into `calls`.
    case call(Int)
    /// The handler leaves the visible code, and is assumed to be called.
    case leavesVisibleCode
    /// On paths that called the handler, it is ignored from here on, because that call happens later than the following
    /// code.
    case ignoreIfCalled
    /// The handler is passed on as the handler of another function.
    case passOn
    /// The result of a test. The path ends if it contradicts what is known.
    case assume(variable: Int, Truth)
    /// The same without a test in the code. The path also ends if tests of the variable are not remembered.
    case suppose(variable: Int, Truth)
    case assign(variable: Int, Truth)
    /// The exit of the function, or of a closure that is followed.
    case leave(Exit)
    case exit
    /// The end of the function with an error that counts as a call.
    case throwOut
    /// Another value takes the place of a stored continuation.
    case replace(Truth)
    /// From here on, only one of several callers calls the handler, as after a test of a flag.
    case latch
    /// The result of a test whether the property stores a continuation now.
    case holds(Truth)
    /// A name stands for the stored continuation from here on.
    case alias
    /// The property or collection no longer stores the continuation.
    case clear
    /// The property gets a case of its enum that carries no continuation.
    case leaveState
    /// An element leaves the collection, and belongs to the code from here on.
    case take
    /// A property stores the continuation, whose function may also resume it by its own name.
    case store
  }

  enum Remark: Equatable {
    case isTrue, isFalse, guardFails, isNil(String), isNotNil(String), taken, loopSkipped, loopEntered,
      loopAgain
    case throwsHere, selfIsGone, entersCatch, called, absent(String)
    /// A weakly captured name is nil.
    case isGone(String)
    case leavesProperty, takenOut, isStored

    /// Whether it says that the object that a closure captured is gone.
    var isAboutOwner: Bool {
      switch self {
      case .selfIsGone, .isGone: true
      default: false
      }
    }
  }

  /// The exit of a function or closure.
  enum Exit: Equatable {
    case returns, ends, throwsOut
    /// The same exits, but of a closure that is followed.
    case closureReturns, closureEnds, closureThrows

    var isOfClosure: Bool {
      switch self {
      case .returns, .ends, .throwsOut: false
      case .closureReturns, .closureEnds, .closureThrows: true
      }
    }
  }

  struct Variable {
    var name: String
    /// The number of tests and calls that use its value.
    var uses = 0
    /// Whether nil is possible for certain before any test.
    var isOptional = false
    /// The expression that provides its value, for messages.
    var origin = ""
    /// Whether its initial value decides the result of a test.
    var startsKnown = false
    /// Whether it is a parameter of the function or of a closure in it.
    var isParameter = false
    /// Whether a closure captures it weakly, so that it may be nil when the closure runs.
    var isWeak = false
    /// The offsets of the assignments that became steps.
    var assignments: Set<Int> = []
    /// The number of assignments in the text.
    var writtenAssignments = 0

    /// Whether all its assignments are steps.
    var isKnown: Bool { assignments.count >= writtenAssignments }
  }

  /// The variable that stands for the handler itself.
  static let handler = 0

  var steps: [Step] = []
  var calls: [CallSite] = []
  var variables: [Variable] = []
  var entry = 0
  /// The steps of the store that is to be ignored.
  var ignoredStores: [Int] = []
  /// The reason why the graph could not be built.
  var obstacle: String?
}
