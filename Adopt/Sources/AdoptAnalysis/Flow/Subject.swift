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
  /// What is known about the property that stores the continuation.
  var ownership: Ownership?
  /// The properties of the file that store continuations, by name. Only for continuations of `with…Continuation`.
  var keepers: Set<String> = []
  /// The other closure parameters that the function calls instead of the handler, such as `failure`.
  var duties: Set<String> = []
  /// Whether a `return false` of the function means that it does not handle the request.
  var returnsBool = false

  /// The name for messages, such as `state.continuation`.
  var shownName: String { ownership?.holder.map { "\($0).\(name)" } ?? name }

  /// The property that stores the continuation, for messages.
  var keeper: String? { keepers.count == 1 ? keepers.first : nil }

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
