import SwiftSyntax

/// A parameter that its function has to call exactly once.
package struct Handler: Sendable {
  package let parameter: FunctionParameterSyntax
  /// Its position in the parameter clause.
  package let index: Int
  /// What callers write before the colon, nil for `_`.
  package let label: String?
  /// What the body calls it.
  package let name: String
  /// Nil if the type is a name that this file does not explain.
  package let type: FunctionTypeSyntax?
  /// The alias of this file that `type` comes from, if it was not written at the parameter.
  package let alias: TypeAliasDeclSyntax?
  package let isOptional: Bool
  package let isEscaping: Bool
  /// Of the closure's type, without `@`: `escaping`, `MainActor`, `Sendable`…
  package let attributes: [String]
  /// Nil if `type` is.
  package let shape: HandlerShape?
  /// For `success:failure:`, the parameter that takes the failure.
  package let failureParameter: FunctionParameterSyntax?
}

/// What a handler is called with.
package enum HandlerShape: Sendable {
  /// One `Result`; the failure is nil if only the success is written, as an alias of `Result` may have it.
  case result(success: TypeSyntax, failure: TypeSyntax?)
  /// Values, and an optional error in the end.
  case valuesAndError(values: [TupleTypeElementSyntax], error: TupleTypeElementSyntax)
  /// One value or several.
  case values([TupleTypeElementSyntax])
  case nothing
  /// An optional error alone.
  case error(TupleTypeElementSyntax)
  /// Two closures, of which one is called.
  case successFailure(success: [TupleTypeElementSyntax], failure: [TupleTypeElementSyntax])
}
