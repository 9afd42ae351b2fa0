import SwiftSyntax

/// What a finished request of Alamofire tells, by its members: a value or an error, one of the two and never both.
struct Answer {
  /// Yes of success.
  let variable: Int
  /// The members that a constant was given already: `["result"]` of `let result = response.result`.
  var path: [String] = []

  /// Whether a member is true, or not nil, where the request succeeded.
  private static let members: [[String]: Bool] = [
    ["value"]: true, ["result", "value"]: true, ["result", "isSuccess"]: true,
    ["error"]: false, ["result", "error"]: false, ["result", "isFailure"]: false,
  ]

  var meansSuccess: Bool? { Self.members[path] }
}

extension GraphBuilder {
  /// The answer that an expression is, or is a member of.
  func answer(_ expression: ExprSyntax) -> Answer? {
    var path: [String] = []
    var expression = expression
    while let access = Self.bare(expression).as(MemberAccessExprSyntax.self), let base = access.base {
      guard path.count < 3 else { return nil }
      path.insert(access.declName.baseName.text, at: 0)
      expression = base
    }
    guard let name = Self.name(Self.bare(expression)), case .answer(var answer)? = meaning(of: name) else {
      return nil
    }
    answer.path += path
    return answer
  }

  /// The variable whose value decides whether an expression is true, or not nil, and whether it is so if that is yes.
  func decision(_ expression: ExprSyntax) -> (variable: Int, isYes: Bool)? {
    if let name = Self.name(expression), case .variable(let index)? = meaning(of: name) {
      return (index, true)
    }
    guard let answer = answer(expression), let meansSuccess = answer.meansSuccess else { return nil }
    return (answer.variable, meansSuccess)
  }

  /// What it means that the result of an answer matches a pattern.
  struct Match {
    let variable: Int
    /// Whether the variable is yes then.
    let isYes: Bool
    /// Whether it matches whenever that is so.
    let isWhole: Bool
  }

  /// Nil where nothing is known of what matches.
  func match(_ expression: ExprSyntax, with pattern: PatternSyntax) -> Match? {
    guard let answer = answer(expression), answer.path == ["result"] else { return nil }
    var pattern = pattern
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    guard var expression = pattern.as(ExpressionPatternSyntax.self)?.expression else { return nil }
    var isWhole = true
    if let call = expression.as(FunctionCallExprSyntax.self) {
      isWhole = call.arguments.allSatisfy { Self.takesAll($0.expression) }
      expression = call.calledExpression
    }
    switch expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text {
    case "success": return Match(variable: answer.variable, isYes: true, isWhole: isWhole)
    case "failure": return Match(variable: answer.variable, isYes: false, isWhole: isWhole)
    default: return nil
    }
  }

  private static func takesAll(_ expression: ExprSyntax) -> Bool {
    if expression.is(DiscardAssignmentExprSyntax.self) { return true }
    guard var pattern = expression.as(PatternExprSyntax.self)?.pattern else { return false }
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    return pattern.is(IdentifierPatternSyntax.self) || pattern.is(WildcardPatternSyntax.self)
  }

  /// Follows what a closure finds out about the answer it is given.
  mutating func declareAnswer(of closure: ClosureExprSyntax) {
    let names = closure.parameterNames
    let name = names.first ?? "$0"
    guard names.count <= 1, name != subject.name, name != "_", let index = declareVariable(name) else {
      return
    }
    declare(name, .answer(Answer(variable: index)))
  }
}
