import AdoptAnalysis

/// The async function that stands beside one with a completion handler.
package struct Twin: Sendable {
  /// Where the function with the handler is named.
  package let place: Place
  /// The bytes of the function with the handler.
  package let range: Range<Int>
  /// The name of the function with the handler.
  package let function: FunctionName
  /// The twin's own name.
  package let name: FunctionName
  /// The type, protocol or extension that both belong to; empty for a global function.
  package let type: String
  /// Why another file cannot have the twin; nil if it can.
  package let reasonAgainstSeparate: String?
  /// Whether the function is a protocol's requirement, whose twin needs an extension.
  package let isRequirement: Bool
  /// Whether it was told to pass on values that are not `Sendable`.
  package private(set) var passesUnsendableValues = false

  /// What it needs that the file has to declare.
  let support: Set<TwinSupport>
  /// Where it is inserted, in bytes.
  let insertion: Insertion
  /// What makes the compiler tell callers of the twin; nil where it does already, or is not to.
  private(set) var renaming: FixIt.Edit?
  /// The `#if` it is under, in one condition; nil for none.
  let condition: String?
  /// What the extension around it begins with; empty for a global function.
  let extensionHeader: String
  let style: FileStyle
  let sources: Sources

  /// The indentation of what it stands next to.
  var base: String { insertion.base }

  struct Insertion: Sendable, Hashable {
    let offset: Int
    /// How many bytes behind `offset` give way: blanks, and a semicolon, before what needs a line of its own.
    var gap = 0
    let base: String
    /// The indentation of what follows on a line of its own.
    var rest = ""
    let follower: Follower

    enum Follower: Sendable {
      /// The end, a blank line, or the end of a block.
      case space
      /// Another declaration, without a blank line.
      case nextLine
      /// Something on the same line, which needs one of its own.
      case sameLine
    }
  }

  /// The twin beside its function and in an extension elsewhere; for values that are `Sendable`, or are not.
  struct Sources: Sendable {
    var beside: [Line]
    var besideUnsendable: [Line]
    var separate: [Line]
    var separateUnsendable: [Line]
  }

  /// The declaration as it is written next to its function, without a line end before or after.
  package var text: String { lines(separate: false).text(base: isRequirement ? "" : base, style: style) }

  func lines(separate: Bool) -> [Line] {
    if separate { return passesUnsendableValues ? sources.separateUnsendable : sources.separate }
    return passesUnsendableValues ? sources.besideUnsendable : sources.beside
  }

  /// The same for values that are not `Sendable`. Only the compiler knows whether they are.
  package func passingUnsendableValues() -> Twin {
    var twin = self
    twin.passesUnsendableValues = true
    return twin
  }

  /// The same, but nobody is told of it.
  package func leavingFunctionUnmarked() -> Twin {
    var twin = self
    twin.renaming = nil
    return twin
  }
}

/// A function that gets no twin.
package struct Declined: Sendable, Hashable {
  package let place: Place
  package let function: FunctionName
  /// A sentence without its full stop, beginning in lower case: "it returns `Int` besides…".
  package let reason: String

  package init(place: Place, function: FunctionName, reason: String) {
    self.place = place
    self.function = function
    self.reason = reason
  }
}

/// A function that has its twin.
package struct ExistingTwin: Sendable, Hashable {
  package let place: Place
  package let function: FunctionName
  package let twin: String
}

/// What came of one file.
package struct TwinFile: Sendable {
  package var twins: [Twin] = []
  package var declined: [Declined] = []
  package var existing: [ExistingTwin] = []

  package init() {}
}

/// An async function by the name that tells it from others.
package struct AsyncFunction: Sendable, Hashable {
  /// As it is written: `Outer.Inner`; empty for a global function.
  package let type: String
  package let name: FunctionName

  package init(type: String, name: FunctionName) {
    self.type = type
    self.name = name
  }
}

/// What a caller may change about twins.
package struct TwinOptions: Sendable {
  /// For all functions; else only those with `@objc` are named as the importer does.
  package var usesImportedNames = false
  /// Whether the old functions say which twin they have.
  package var marksOldFunctions = true
  /// Whether twins that belong to no actor run where their caller does. Needs Swift 6.2.
  package var inheritsIsolation = false
  /// Async functions of other files, which may be twins of this file's.
  package var known: Set<AsyncFunction> = []
  /// What files call handlers' types, for others of their module.
  package var aliases = SharedAliases()

  package init() {}
}
