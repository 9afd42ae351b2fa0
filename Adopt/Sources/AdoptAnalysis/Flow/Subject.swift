import SwiftSyntax

/// A handler, and the code that has to call it.
struct Subject {
  enum Kind {
    case parameter(Handler)
    /// The continuation that the closure of `withCheckedContinuation` gets.
    case continuation
    /// A continuation that a property stores. Functions may resume it at most once.
    case stored
  }

  let kind: Kind
  let name: String
  /// The name of the function, such as `fetchThumbnail(for:completion:)`.
  let function: String
  let statements: CodeBlockItemListSyntax
  /// The offset of its declaration.
  let offset: Int
  /// The range of the code that may mention it.
  let range: Range<Int>
  /// The offset of the end of the code.
  let end: Int
  let canThrow: Bool
  /// Whether a `return` without a value is valid in the function.
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
