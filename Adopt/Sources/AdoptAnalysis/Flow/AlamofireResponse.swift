import SwiftSyntax

/// The response of a finished Alamofire request. Its members show that it has either a value or an error, never both.
struct AlamofireResponse {
  /// The variable that is `yes` if the request succeeded.
  let variable: Int
  /// The members that a constant already stands for: `["result"]` for `let result = response.result`.
  var path: [String] = []

  /// Whether a member is true, or not nil, if the request succeeded.
  private static let members: [[String]: Bool] = [
    ["value"]: true, ["result", "value"]: true, ["result", "isSuccess"]: true,
    ["error"]: false, ["result", "error"]: false, ["result", "isFailure"]: false,
  ]

  var meansSuccess: Bool? { Self.members[path] }
}

extension GraphBuilder {
  /// Returns the response that an expression is, or is a member of.
  func response(_ expression: ExprSyntax) -> AlamofireResponse? {
    var path: [String] = []
    var expression = expression
    while let access = expression.bare.as(MemberAccessExprSyntax.self), let base = access.base {
      guard path.count < 3 else { return nil }
      path.insert(access.declName.baseName.text, at: 0)
      expression = base
    }
    guard let name = expression.bare.plainName, case .response(var response)? = names.lookUp(name) else {
      return nil
    }
    response.path += path
    return response
  }

  /// Returns the variable that decides whether an expression is true or not nil, and whether it is so if the variable
  /// is `yes`.
  func decision(_ expression: ExprSyntax) -> (variable: Int, isYes: Bool)? {
    if let name = expression.plainName, case .variable(let index)? = names.lookUp(name) {
      return (index, true)
    }
    if subject.isStored, let access = expression.as(MemberAccessExprSyntax.self),
      access.declName.baseName.text == "isEmpty", let base = access.base, refersToHandler(base)
    {
      return (Graph.handler, false)
    }
    guard let response = response(expression), let meansSuccess = response.meansSuccess else { return nil }
    return (response.variable, meansSuccess)
  }

  /// What is known if the result of a response matches a pattern.
  struct Match {
    let variable: Int
    /// Whether the variable is `yes` if the pattern matches.
    let isYes: Bool
    /// Whether the pattern matches whenever the variable has that value.
    let isExhaustive: Bool
  }

  /// Returns what a match means, or nil if nothing is known.
  func match(_ expression: ExprSyntax, with pattern: PatternSyntax) -> Match? {
    guard let response = response(expression), response.path == ["result"] else { return nil }
    var pattern = pattern
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    guard var expression = pattern.as(ExpressionPatternSyntax.self)?.expression else { return nil }
    var isExhaustive = true
    if let call = expression.as(FunctionCallExprSyntax.self) {
      isExhaustive = call.arguments.allSatisfy { Self.takesAll($0.expression) }
      expression = call.calledExpression
    }
    switch expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text {
    case "success": return Match(variable: response.variable, isYes: true, isExhaustive: isExhaustive)
    case "failure": return Match(variable: response.variable, isYes: false, isExhaustive: isExhaustive)
    default: return nil
    }
  }

  private static func takesAll(_ expression: ExprSyntax) -> Bool {
    if expression.is(DiscardAssignmentExprSyntax.self) { return true }
    guard var pattern = expression.as(PatternExprSyntax.self)?.pattern else { return false }
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    return pattern.is(IdentifierPatternSyntax.self) || pattern.is(WildcardPatternSyntax.self)
  }

  /// Follows what a closure tests about the response that it gets.
  mutating func declareResponse(of closure: ClosureExprSyntax) {
    let parameters = closure.parameterNames
    let name = parameters.first ?? "$0"
    guard parameters.count <= 1, name != subject.name, name != "_", let index = declareVariable(name) else {
      return
    }
    names.declare(name, .response(AlamofireResponse(variable: index)))
  }
}
