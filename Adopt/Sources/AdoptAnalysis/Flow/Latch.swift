import SwiftSyntax

/// Recognizes tests that only one of several callers passes, so that a handler is called once.
enum Latch {
  /// Names of methods that return whether the caller is the first.
  private static let claims: Set<String> = [
    "claim", "tryClaim", "claimOnce", "tryResume", "tryFinish", "tryComplete", "tryFire", "tryCall",
    "resumeOnce",
    "finishOnce", "callOnce", "markFinished", "markDone", "markCompleted", "markResumed", "setDone",
    "testAndSet",
    "exchange", "compareExchange", "compareAndExchange", "compareAndSwap", "shouldResume", "shouldCall",
    "shouldFinish", "takeTurn", "isFirst", "fireOnce", "consume", "tryConsume", "tryTake",
  ]

  /// Functions that run a closure under a lock and return its result.
  private static let locks: Set<String> = [
    "withLock", "withLockUnchecked", "withLockedValue", "withCriticalRegion", "sync", "withMutex",
    "withValue",
    "mutate", "read", "write",
  ]

  /// Returns whether an expression is such a test: a call of `claim()`, or a closure under a lock that sets a flag.
  static func isClaim(_ expression: ExprSyntax) -> Bool {
    var expression = expression
    for _ in 0..<6 {
      if let awaited = expression.as(AwaitExprSyntax.self) {
        expression = awaited.expression
      } else if let attempt = expression.as(TryExprSyntax.self) {
        expression = attempt.expression
      } else if let prefix = expression.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
        expression = prefix.expression
      } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
        let only = tuple.elements.first
      {
        expression = only.expression
      } else if let access = expression.as(MemberAccessExprSyntax.self), let base = access.base,
        ["exchanged", "0", "original"].contains(access.declName.baseName.text)
      {
        expression = base
      } else {
        break
      }
    }
    guard let call = expression.as(FunctionCallExprSyntax.self) else { return false }
    let callee = call.calledExpression.bare
    let name = callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? callee.plainName ?? ""
    if claims.contains(name) { return true }
    guard locks.contains(name),
      let closure = call.trailingClosure ?? call.arguments.last?.expression.as(ClosureExprSyntax.self)
    else { return false }
    return setsFlag(closure)
  }

  /// Returns whether a closure assigns a Boolean, or inserts into a set.
  private static func setsFlag(_ closure: ClosureExprSyntax) -> Bool {
    var before: (String, String) = ("", "")
    for token in closure.statements.tokens(viewMode: .sourceAccurate) {
      if token.text == "true" || token.text == "false", before.1 == "=" { return true }
      if ["toggle", "insert"].contains(token.text), before.1 == "." { return true }
      before = (before.1, token.text)
    }
    return false
  }

  /// Returns whether `let first = !called` keeps the earlier value of a flag that is then set.
  static func keepsFlag(_ value: ExprSyntax, names: NameTable) -> Bool {
    var value = value
    if let prefix = value.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
      value = prefix.expression
    }
    guard let name = value.ownName else { return false }
    return names.assignsLiteral(to: name)
  }

  /// Returns whether a test of a flag of `self` belongs to a latch: the function or closure around it also calls the
  /// handler itself, and sets the flag.
  static func testsFlag(_ flag: ExprSyntax, names: NameTable, isCall: (Syntax) -> Bool) -> Bool {
    guard let name = flag.ownName, names.assignsLiteral(to: name) else { return false }
    var node = flag.parent
    while let current = node {
      let body =
        current.as(ClosureExprSyntax.self)?.statements
        ?? current.as(FunctionDeclSyntax.self)?.body?.statements
      if let body { return contains(body, isCall) && assigns(name, in: body) }
      node = current.parent
    }
    return false
  }

  private static func contains(_ body: CodeBlockItemListSyntax, _ isWanted: (Syntax) -> Bool) -> Bool {
    var pending = [Syntax(body)]
    while let node = pending.popLast() {
      if isWanted(node) { return true }
      if node.is(ClosureExprSyntax.self) || node.is(FunctionDeclSyntax.self) { continue }
      pending.append(contentsOf: node.children(viewMode: .sourceAccurate))
    }
    return false
  }

  private static func assigns(_ name: String, in body: CodeBlockItemListSyntax) -> Bool {
    contains(body) { node in
      guard let sequence = node.as(SequenceExprSyntax.self), sequence.elements.count == 3,
        sequence.elements.dropFirst().first?.is(AssignmentExprSyntax.self) == true
      else { return false }
      return sequence.elements.first?.ownName == name
        && sequence.elements.last?.is(BooleanLiteralExprSyntax.self) == true
    }
  }
}
