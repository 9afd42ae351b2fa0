import SwiftSyntax

/// Finds the error that a path has at a place: of a `catch`, of `if let error`, or of `case .failure(let error)`.
enum ErrorInScope {
  static func name(at node: Syntax) -> String? {
    var child = node
    while let parent = child.parent {
      if parent.is(FunctionDeclSyntax.self) || parent.is(InitializerDeclSyntax.self) { return nil }
      if let clause = parent.as(CatchClauseSyntax.self), child.id == clause.body.id,
        let name = name(of: clause)
      {
        return name
      }
      if let test = parent.as(IfExprSyntax.self), child.id == test.body.id,
        let name = test.conditions.lazy.compactMap(name).first
      {
        return name
      }
      if let one = parent.as(SwitchCaseSyntax.self), child.id == one.statements.id,
        case .case(let label) = one.label, label.caseItems.count == 1, let item = label.caseItems.first,
        let name = failure(item.pattern)
      {
        return name
      }
      child = parent
    }
    return nil
  }

  private static func name(of clause: CatchClauseSyntax) -> String? {
    guard let item = clause.catchItems.first else { return "error" }
    guard clause.catchItems.count == 1 else { return nil }
    guard let pattern = item.pattern else { return "error" }
    return pattern.as(ValueBindingPatternSyntax.self)?.pattern.as(IdentifierPatternSyntax.self)?.identifier
      .text
  }

  private static func name(of condition: ConditionElementSyntax) -> String? {
    switch condition.condition {
    case .optionalBinding(let binding):
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        name.lowercased().hasSuffix("error")
      else { return nil }
      return name
    case .matchingPattern(let condition): return failure(condition.pattern)
    default: return nil
    }
  }

  /// Returns the name that `.failure(let error)` binds.
  private static func failure(_ pattern: PatternSyntax) -> String? {
    var pattern = pattern
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    guard
      let call = pattern.as(ExpressionPatternSyntax.self)?.expression.as(FunctionCallExprSyntax.self),
      call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "failure",
      call.arguments.count == 1,
      var inner = call.arguments.first?.expression.as(PatternExprSyntax.self)?.pattern
    else { return nil }
    if let binding = inner.as(ValueBindingPatternSyntax.self) { inner = binding.pattern }
    return inner.as(IdentifierPatternSyntax.self)?.identifier.text
  }
}
