import SwiftSyntax

extension GraphBuilder {
  mutating func lower(while statement: WhileStmtSyntax, label: String?) {
    loopDepth += 1
    defer { loopDepth -= 1 }
    let offset = statement.positionAfterSkippingLeadingTrivia.utf8Offset
    let head = graph.step(.pass, at: offset)
    let exit = graph.step(.pass, at: statement.endPosition.utf8Offset)
    graph.go(to: head)
    graph.resume(at: head)
    let outerNames = names.count
    let (entered, left) = branch(on: statement.conditions, isGuard: false)
    graph.current = left
    graph.go(to: exit)
    graph.current = entered
    loopBody(
      statement.body.statements,
      label: label, exit: exit, next: head)
    graph.go(to: head)
    names.removeNames(after: outerNames)
    graph.resume(at: exit)
  }

  mutating func lower(repeat statement: RepeatStmtSyntax, label: String?) {
    loopDepth += 1
    defer { loopDepth -= 1 }
    let head = graph.step(.pass, at: statement.positionAfterSkippingLeadingTrivia.utf8Offset)
    let test = graph.step(.pass, at: statement.condition.position.utf8Offset)
    let exit = graph.step(.pass, at: statement.endPosition.utf8Offset)
    graph.go(to: head)
    graph.resume(at: head)
    loopBody(
      statement.body.statements,
      label: label, exit: exit, next: test)
    graph.go(to: test)
    graph.resume(at: test)
    let (again, left) = branch(on: statement.condition)
    graph.current = again
    graph.emit(.note(.loopAgain), at: statement.condition.positionAfterSkippingLeadingTrivia.utf8Offset)
    graph.go(to: head)
    graph.current = left
    graph.go(to: exit)
    graph.resume(at: exit)
  }

  mutating func lower(for statement: ForStmtSyntax, label: String?) {
    let offset = statement.positionAfterSkippingLeadingTrivia.utf8Offset
    if subject.isStored, takeAll(statement.sequence) || elements(of: statement.sequence) {
      lower(elementsOf: statement, label: label)
      return
    }
    if names.isRelevant(statement.sequence) { lower(statement.sequence) }
    guard graph.current != nil else { return }
    loopDepth += 1
    defer { loopDepth -= 1 }
    let head = graph.step(.pass, at: offset)
    let inside = graph.step(.pass, at: offset)
    let exit = graph.step(.pass, at: statement.endPosition.utf8Offset)
    if isKnownToBeFilled(statement.sequence) {
      graph.emit(.note(.loopEntered), at: offset)
      graph.go(to: inside)
    } else {
      graph.go(to: head)
    }
    graph.resume(at: head)
    if statement.tryKeyword != nil { raise(at: offset, isCall: true) }
    let fork = graph.current
    graph.emit(.note(.loopSkipped), at: offset)
    graph.go(to: exit)
    graph.current = fork
    graph.emit(.note(.loopEntered), at: offset)
    graph.go(to: inside)
    graph.resume(at: inside)
    if countsIterations(statement.body.statements) { graph.emit(.leavesVisibleCode, at: offset) }
    let outerNames = names.count
    names.declareNames(in: statement.pattern)
    if let condition = statement.whereClause?.condition {
      let (passed, failed) = branch(on: condition)
      graph.current = failed
      graph.go(to: head)
      graph.current = passed
    }
    loopBody(
      statement.body.statements,
      label: label, exit: exit, next: head)
    graph.go(to: head)
    names.removeNames(after: outerNames)
    graph.resume(at: exit)
  }

  mutating func loopBody(_ body: CodeBlockItemListSyntax, label: String?, exit: Int, next: Int) {
    exits.openTarget(label: label, onBreak: exit, onContinue: next)
    lower(block: body)
    exits.closeTarget()
  }

  // MARK: - Iterations

  /// Returns whether the function already tested before whether a sequence is empty. It has handled that case then.
  func isKnownToBeFilled(_ sequence: ExprSyntax) -> Bool {
    if sequence.isNeverEmpty { return true }
    let before = file.text(in: subject.range.lowerBound..<sequence.startOffset)
    var expression = sequence
    for _ in 0..<8 {
      let text = expression.trimmedDescription
      if [".isEmpty", ".count", ".first"].contains(where: { before.contains(text + $0) }) { return true }
      if let call = expression.as(FunctionCallExprSyntax.self) {
        expression = call.calledExpression
      } else if let base = expression.as(MemberAccessExprSyntax.self)?.base {
        expression = base
      } else {
        return false
      }
    }
    return false
  }

  /// Returns whether a loop counts its iterations and calls in one of them, such as the last. That this iteration comes
  /// is assumed.
  func countsIterations(_ body: CodeBlockItemListSyntax) -> Bool {
    guard names.mayMentionHandler(body) else { return false }
    var pending = [Syntax(body)]
    while let node = pending.popLast() {
      if let test = node.as(IfExprSyntax.self), names.mayMentionHandler(test.body),
        test.conditions.contains(where: CallSite.comparesCount)
      {
        return true
      }
      if let items = node.as(CodeBlockItemListSyntax.self), countIterations(items, in: body) { return true }
      for child in node.children(viewMode: .sourceAccurate) where names.mayMentionHandler(child) {
        pending.append(child)
      }
    }
    return false
  }

  /// Returns whether a `guard` skips all iterations of a loop but one, and the handler is only mentioned after it.
  private func countIterations(_ items: CodeBlockItemListSyntax, in body: CodeBlockItemListSyntax) -> Bool {
    for item in items {
      guard let test = item.item.as(GuardStmtSyntax.self),
        test.conditions.contains(where: CallSite.comparesCount), !names.mayMentionHandler(test.body),
        Self.skipsIteration(test, in: body)
      else { continue }
      return items.contains { $0.position > item.position && names.mayMentionHandler($0) }
    }
    return false
  }

  /// Returns whether a `guard` that fails ends an iteration only: with `continue`, or with `return` from a closure.
  private static func skipsIteration(_ test: GuardStmtSyntax, in body: CodeBlockItemListSyntax) -> Bool {
    guard let last = test.body.statements.last?.item else { return false }
    if last.is(ContinueStmtSyntax.self) { return true }
    guard last.is(ReturnStmtSyntax.self) else { return false }
    var node = Syntax(test)
    while let parent = node.parent {
      if parent.is(ClosureExprSyntax.self) || parent.is(FunctionDeclSyntax.self) { return true }
      if node.id == Syntax(body).id { return false }
      node = parent
    }
    return false
  }
}
