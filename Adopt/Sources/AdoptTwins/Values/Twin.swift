import AdoptAnalysis

/// The async function that corresponds to a function with a completion handler.
package struct Twin: Sendable {
  /// The place of the name of the function with the handler.
  package let place: Place
  /// The byte range of the function with the handler.
  package let range: Range<Int>
  /// The name of the function with the handler.
  package let function: FunctionName
  /// The name of the twin.
  package let name: FunctionName
  /// The name of the type or protocol that both functions belong to. Empty for a global function.
  package let type: String
  /// The reason why the twin cannot be in another file, or nil if it can.
  package let reasonAgainstSeparate: String?
  /// Whether the function is a protocol requirement, whose twin must be in an extension.
  package let isRequirement: Bool
  /// Whether the twin returns a stream, because its function is a subscription.
  package var isStream = false
  /// Whether the twin passes on values that are not `Sendable`.
  package private(set) var passesUnsendableValues = false

  /// The helper declarations that the twin needs in its file.
  let support: Set<TwinSupport>
  /// The place where the twin is inserted.
  let insertion: Insertion
  /// The edit that makes the compiler suggest the twin to callers, or nil if it already does or should not.
  private(set) var renaming: FixIt.Edit?
  /// The conditions of the enclosing `#if` blocks as one condition, or nil for none.
  let condition: String?
  /// The header of the enclosing extension. Empty for a global function.
  let extensionHeader: String
  let style: FileStyle
  let sources: Sources

  /// The indentation of the declaration next to the twin.
  var base: String { insertion.base }

  struct Insertion: Sendable, Hashable {
    let offset: Int
    /// The number of bytes after `offset` to remove: spaces and a semicolon before code that needs its own line.
    var gap = 0
    let base: String
    /// The indentation of code that is moved to its own line.
    var rest = ""
    let follower: Follower

    enum Follower: Sendable {
      /// The end of the file, a blank line, or the end of a block.
      case space
      /// Another declaration, without a blank line.
      case nextLine
      /// Code on the same line, which needs its own line.
      case sameLine
    }
  }

  /// The text of the twin next to its function and in a separate extension, for `Sendable` and other values.
  struct Sources: Sendable {
    var inline: [Line]
    var inlineUnsendable: [Line]
    var separate: [Line]
    var separateUnsendable: [Line]
  }

  /// The declaration as it is written next to its function, without a line ending before or after it.
  package var text: String { lines(separate: false).text(base: isRequirement ? "" : base, style: style) }

  func lines(separate: Bool) -> [Line] {
    if separate { return passesUnsendableValues ? sources.separateUnsendable : sources.separate }
    return passesUnsendableValues ? sources.inlineUnsendable : sources.inline
  }

  /// Returns the twin for values that are not `Sendable`. Only the compiler knows whether values are `Sendable`.
  package func passingUnsendableValues() -> Twin {
    var twin = self
    twin.passesUnsendableValues = true
    return twin
  }

  /// Returns the twin without the attribute that makes the compiler suggest it.
  package func leavingFunctionUnmarked() -> Twin {
    var twin = self
    twin.renaming = nil
    return twin
  }
}
