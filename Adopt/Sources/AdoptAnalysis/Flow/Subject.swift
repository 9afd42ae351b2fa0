import SwiftSyntax

/// One handler, and the code that has to call it.
struct Subject {
  enum Kind {
    case parameter(Handler)
    /// What the closure of `withCheckedContinuation` is given.
    case continuation
    /// One that a property keeps; its functions may call it once at most.
    case stored
  }

  let kind: Kind
  let name: String
  /// As `fetchThumbnail(for:completion:)`.
  let function: String
  let statements: CodeBlockItemListSyntax
  /// Where it is declared.
  let offset: Int
  /// What may mention it.
  let range: Range<Int>
  /// Where the code ends.
  let end: Int
  let canThrow: Bool
  /// Whether a `return` without a value may be added.
  let returnsVoid: Bool
  let parameters: [String]

  var isContinuation: Bool {
    if case .parameter = kind { return false }
    return true
  }

  var isStored: Bool {
    if case .stored = kind { return true }
    return false
  }

  var handler: Handler? {
    if case .parameter(let handler) = kind { return handler }
    return nil
  }
}
