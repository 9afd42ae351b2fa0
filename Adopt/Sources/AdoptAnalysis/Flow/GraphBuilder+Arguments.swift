import SwiftSyntax

extension GraphBuilder {
  /// Returns the arguments of a call of a handler that takes optional values and an error.
  mutating func checkedArguments(of call: FunctionCallExprSyntax) -> [CallSite.Argument] {
    guard takesNothing, call.trailingClosure == nil, call.arguments.count >= 2 else { return [] }
    return call.arguments.map { argument in
      let value = argument.expression
      if value.is(NilLiteralExprSyntax.self) { return .none }
      if let name = Self.name(value), case .variable(let index)? = lookUp(name) {
        graph.variables[index].uses += 1
        return .variable(index)
      }
      if let origin = Self.whyOptional(value) { return .maybe(origin) }
      return .other
    }
  }

  /// Whether all values are optional, so that a call can have neither a value nor an error.
  private var takesNothing: Bool {
    guard case .valuesAndError(let values, _)? = subject.handler?.shape else { return false }
    return values.allSatisfy { $0.type.wrappedOptional != nil }
  }

  /// Returns the expression that makes a value optional for certain, in the form for a message.
  static func whyOptional(_ expression: ExprSyntax) -> String? {
    if let attempt = expression.as(TryExprSyntax.self) {
      return attempt.questionOrExclamationMark?.tokenKind == .postfixQuestionMark ? brief(expression) : nil
    }
    if let awaited = expression.as(AwaitExprSyntax.self) { return whyOptional(awaited.expression) }
    if let sequence = expression.as(SequenceExprSyntax.self) {
      guard sequence.elements.count == 3,
        let cast = sequence.elements.dropFirst().first?.as(UnresolvedAsExprSyntax.self),
        cast.questionOrExclamationMark?.tokenKind == .postfixQuestionMark
      else { return nil }
      return brief(expression)
    }
    if let call = expression.as(FunctionCallExprSyntax.self) {
      guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
        let labels = failable[name], let label = call.arguments.first?.label?.text, labels.contains(label)
      else { return nil }
      return brief(expression)
    }
    return nil
  }

  /// Failable initializers, by their types and first labels.
  private static let failable: [String: Set<String>] = [
    "UIImage": ["data", "named", "contentsOfFile", "systemName"],
    "NSImage": ["data", "named", "contentsOf", "contentsOfFile"],
    "CIImage": ["data", "contentsOf", "image"],
    "URL": ["string"],
    "URLComponents": ["string", "url"],
    "Data": ["base64Encoded"],
    "String": ["data", "bytes", "validatingUTF8", "validating"],
    "UUID": ["uuidString"],
    "HTTPURLResponse": ["url"],
  ]
}
