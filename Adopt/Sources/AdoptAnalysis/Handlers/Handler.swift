import SwiftSyntax

/// A closure parameter that its function has to call exactly once.
package struct Handler: Sendable {
  package let parameter: FunctionParameterSyntax
  /// The position in the parameter clause.
  package let index: Int
  /// The argument label, or nil for `_`.
  package let label: String?
  /// The name of the parameter in the body.
  package let name: String
  /// The closure's type, or nil if the type is a name that is declared elsewhere.
  package let type: FunctionTypeSyntax?
  /// The type alias that `type` comes from, or nil if the type is written at the parameter.
  package let alias: TypeAliasDeclSyntax?
  package let isOptional: Bool
  package let isEscaping: Bool
  /// The attributes of the closure's type, without `@`: `escaping`, `MainActor`, `Sendable`…
  package let attributes: [String]
  /// The values that the handler takes, or nil if `type` is nil.
  package let shape: HandlerShape?
  /// The second parameter of a `success:failure:` pair.
  package let failureParameter: FunctionParameterSyntax?
}

/// The arguments that a handler takes.
package enum HandlerShape: Sendable {
  /// A `Result`. The failure is nil if only the success type is written, as an alias of `Result` may allow.
  case result(success: TypeSyntax, failure: TypeSyntax?)
  /// Values, and an optional error at the end.
  case valuesAndError(values: [TupleTypeElementSyntax], error: TupleTypeElementSyntax)
  /// One or more values.
  case values([TupleTypeElementSyntax])
  case nothing
  /// Only an optional error.
  case error(TupleTypeElementSyntax)
  /// Two closures, one of which is called.
  case successFailure(success: [TupleTypeElementSyntax], failure: [TupleTypeElementSyntax])
}
