import SwiftSyntax

/// What is known about the value of a Boolean (true or false) or of an optional (not nil or nil).
enum Truth: UInt8 {
  case unknown, yes, no
}

extension ExprSyntax {
  /// The name that the expression consists of.
  package var plainName: String? {
    guard let reference = self.as(DeclReferenceExprSyntax.self), reference.argumentNames == nil else {
      return nil
    }
    return reference.baseName.text
  }

  /// The name of the local variable or member of `self` that the expression refers to: `name` or `self.name`.
  var ownName: String? {
    guard let access = self.as(MemberAccessExprSyntax.self) else { return plainName }
    guard let base = access.base, base.bare.plainName == "self" else { return nil }
    return access.declName.baseName.text
  }

  /// The expression inside `?`, `!`, parentheses and generic arguments, such as `Task` for `Task<Void, Never>`.
  package var bare: ExprSyntax {
    var expression = self
    while true {
      if let chained = expression.as(OptionalChainingExprSyntax.self) {
        expression = chained.expression
      } else if let forced = expression.as(ForceUnwrapExprSyntax.self) {
        expression = forced.expression
      } else if let specialized = expression.as(GenericSpecializationExprSyntax.self) {
        expression = specialized.expression
      } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
        let only = tuple.elements.first, only.label == nil
      {
        expression = only.expression
      } else {
        return expression
      }
    }
  }

  /// What a literal says: `true`, `false` or `nil`.
  var truth: Truth {
    if let literal = self.as(BooleanLiteralExprSyntax.self) {
      return literal.literal.tokenKind == .keyword(.true) ? .yes : .no
    }
    return self.is(NilLiteralExprSyntax.self) ? .no : .unknown
  }

  /// Whether the expression, without the expressions in it, may contain a call that throws.
  var mayThrow: Bool {
    switch kind {
    case .declReferenceExpr, .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr,
      .stringLiteralExpr, .simpleStringLiteralExpr, .closureExpr, .memberAccessExpr, .typeExpr, .keyPathExpr,
      .discardAssignmentExpr, .assignmentExpr, .binaryOperatorExpr, .superExpr, .inOutExpr,
      .unresolvedAsExpr, .unresolvedIsExpr, .optionalChainingExpr, .forceUnwrapExpr:
      false
    default: true
    }
  }

  /// Whether the expression is a sequence that has an element for certain: a closed range, a range of literals, or an
  /// array literal with elements.
  var isNeverEmpty: Bool {
    let expression = bare
    if let array = expression.as(ArrayExprSyntax.self) { return !array.elements.isEmpty }
    guard let sequence = expression.as(SequenceExprSyntax.self), sequence.elements.count == 3,
      let sign = sequence.elements.dropFirst().first?.as(BinaryOperatorExprSyntax.self)?.operator.text
    else { return false }
    if sign == "..." { return true }
    func number(_ expression: ExprSyntax?) -> Int? {
      expression?.as(IntegerLiteralExprSyntax.self).flatMap { Int($0.literal.text) }
    }
    guard sign == "..<", let start = number(sequence.elements.first), let end = number(sequence.elements.last)
    else { return false }
    return start < end
  }

  /// Whether the expression compares `self` with `nil`.
  var testsSelf: Bool {
    guard let sequence = self.as(SequenceExprSyntax.self), let first = sequence.elements.first else {
      return false
    }
    return first.plainName == "self" && sequence.elements.count == 3
      && sequence.elements.last?.is(NilLiteralExprSyntax.self) == true
  }

  /// Whether the expression is an operator whose right side is only evaluated for some values of its left side.
  var isShortCircuitOperator: Bool {
    guard let sign = self.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
    return sign == "||" || sign == "&&" || sign == "??"
  }

  /// A short form of the expression, for messages.
  var brief: String {
    let range = trimmedBytes
    guard range.count <= 60 else { return "the value" }
    let text = trimmedDescription
    return text.contains("\n") ? "the value" : "'\(text)'"
  }
}

extension SequenceExprSyntax {
  /// Whether `try` covers the complete sequence.
  var startsWithTry: Bool {
    guard let first = elements.first?.as(TryExprSyntax.self) else { return false }
    return first.questionOrExclamationMark == nil
  }
}

extension ArraySlice<ExprSyntax> {
  /// Returns the operands of an operator in a sequence of expressions.
  func split(atOperator sign: String) -> [ArraySlice<ExprSyntax>] {
    var parts: [ArraySlice<ExprSyntax>] = []
    var start = startIndex
    for index in indices where self[index].as(BinaryOperatorExprSyntax.self)?.operator.text == sign {
      if start < index { parts.append(self[start..<index]) }
      start = index + 1
    }
    if start < endIndex { parts.append(self[start...]) }
    return parts
  }
}

extension ClosureExprSyntax {
  package var parameterNames: [String] {
    switch signature?.parameterClause {
    case .simpleInput(let names): names.map(\.name.text)
    case .parameterClause(let clause): clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    default: []
    }
  }
}

extension ExprSyntax {
  /// The expression that makes the value optional for certain, in the form for a message.
  var optionalOrigin: String? {
    if let attempt = self.as(TryExprSyntax.self) {
      return attempt.questionOrExclamationMark?.tokenKind == .postfixQuestionMark ? brief : nil
    }
    if let awaited = self.as(AwaitExprSyntax.self) { return awaited.expression.optionalOrigin }
    if let sequence = self.as(SequenceExprSyntax.self) {
      guard sequence.elements.count == 3,
        let cast = sequence.elements.dropFirst().first?.as(UnresolvedAsExprSyntax.self),
        cast.questionOrExclamationMark?.tokenKind == .postfixQuestionMark
      else { return nil }
      return brief
    }
    if let call = self.as(FunctionCallExprSyntax.self) {
      guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
        let labels = Self.failableInitializers[name], let label = call.arguments.first?.label?.text,
        labels.contains(label)
      else { return nil }
      return brief
    }
    return nil
  }

  /// Failable initializers, by their types and first labels.
  private static let failableInitializers: [String: Set<String>] = [
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
