import SwiftSyntax

/// Decides from the names and labels of a call how often its closures run, and whether an error leaves them.
struct CallClassifier {
  let options: CheckOptions
  let known: KnownFunctions

  func execution(
    of argument: CallArgument, in call: FunctionCallExprSyntax, name: String
  ) -> ClosureExecution {
    if options.callsOnce.contains(name) { return .once }
    if isResponse(argument, of: call, name: name) { return .onceWithResponse }
    if ClosureExecution.returningNames.contains(name), call.isValueUsed { return .unknown }
    if name == "withTaskCancellationHandler" {
      return argument.label == nil || argument.label == "operation" ? .once : .unknown
    }
    if name == "scheduledTimer", call.arguments.contains(where: Self.isNotRepeating) { return .once }
    if ClosureExecution.unknownNames.contains(name) || argument.label == "receiveCompletion" {
      return .unknown
    }
    if ClosureExecution.swallowingNames.contains(name) { return .onceSwallowing }
    if ClosureExecution.onceNames.contains(name) { return .once }
    let once = ClosureExecution.makesObject(name) ? ClosureExecution.onceStarted : .once
    if ClosureExecution.manyNames.contains(name) { return .many }
    if let label = argument.label { return HandlerName.strength(of: label) == .strong ? once : .unknown }
    guard argument.isTrailing, let closure = argument.expression.as(ClosureExprSyntax.self) else {
      return .unknown
    }
    if known.takesHandler.contains(name) || HandlerName.strength(of: name) == .strong { return .once }
    if ClosureExecution.ignoresError(closure, of: name) { return .once }
    return ClosureExecution.takesOutcome(closure) && !ClosureExecution.storesClosure(name) ? once : .unknown
  }

  /// Returns whether Alamofire calls a closure when a request has finished.
  private func isResponse(_ argument: CallArgument, of call: FunctionCallExprSyntax, name: String) -> Bool {
    known.importsAlamofire && ClosureExecution.responseNames.contains(name)
      && call.calledExpression.is(MemberAccessExprSyntax.self)
      && (argument.label ?? "completionHandler") == "completionHandler"
  }

  private static func isNotRepeating(_ argument: LabeledExprSyntax) -> Bool {
    argument.label?.text == "repeats" && argument.expression.truth == .no
  }

  /// Returns whether only one of a call's two closures runs, as with `success:failure:`.
  static func areAlternatives(among arguments: [CallArgument]) -> Bool {
    let closures = arguments.filter { $0.expression.is(ClosureExprSyntax.self) }
    guard closures.count == 2, let second = closures[1].label?.lowercased() else { return false }
    let first = closures[0].label?.lowercased() ?? "success"
    return first.contains("success") && (second.contains("fail") || second.contains("error"))
  }
}

/// An argument of a call, including trailing closures.
struct CallArgument {
  let label: String?
  let expression: ExprSyntax
  let isTrailing: Bool
}

extension FunctionCallExprSyntax {
  var allArguments: [CallArgument] {
    var arguments = self.arguments.map {
      CallArgument(label: $0.label?.text, expression: $0.expression, isTrailing: false)
    }
    if let closure = trailingClosure {
      arguments.append(CallArgument(label: nil, expression: ExprSyntax(closure), isTrailing: true))
    }
    for trailing in additionalTrailingClosures {
      arguments.append(
        CallArgument(label: trailing.label.text, expression: ExprSyntax(trailing.closure), isTrailing: true))
    }
    return arguments
  }

  /// Whether the code around the call uses its result. `return` does not count: then the caller uses it.
  var isValueUsed: Bool {
    var parent = self.parent
    while let node = parent {
      if node.is(TryExprSyntax.self) || node.is(AwaitExprSyntax.self) {
        parent = node.parent
      } else {
        return !node.is(CodeBlockItemSyntax.self) && !node.is(ReturnStmtSyntax.self)
      }
    }
    return false
  }

  /// The name before the first `?` of the callee. The call is only made if that value is not nil.
  var chainedName: String? {
    var expression = calledExpression
    for _ in 0..<64 {
      if let access = expression.as(MemberAccessExprSyntax.self), let base = access.base {
        expression = base
      } else if let chained = expression.as(OptionalChainingExprSyntax.self) {
        if let name = chained.expression.plainName { return name }
        expression = chained.expression
      } else {
        return nil
      }
    }
    return nil
  }
}
