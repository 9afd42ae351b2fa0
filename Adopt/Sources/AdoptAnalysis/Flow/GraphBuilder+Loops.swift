import SwiftSyntax

extension GraphBuilder {
  mutating func lower(while statement: WhileStmtSyntax, label: String?) {
    loopDepth += 1
    defer { loopDepth -= 1 }
    let offset = statement.positionAfterSkippingLeadingTrivia.utf8Offset
    let head = step(.pass, at: offset)
    let exit = step(.pass, at: statement.endPosition.utf8Offset)
    go(to: head)
    current = isBlocked ? nil : head
    let names = names.count
    let (entered, left) = branch(on: statement.conditions, isGuard: false)
    current = left
    go(to: exit)
    current = entered
    loopBody(
      statement.body.statements,
      Target(label: label, onBreak: exit, onContinue: head, takesPlainBreak: true, scopes: scopes.count))
    go(to: head)
    self.names.removeLast(self.names.count - names)
    resume(at: exit)
  }

  mutating func lower(repeat statement: RepeatStmtSyntax, label: String?) {
    loopDepth += 1
    defer { loopDepth -= 1 }
    let head = step(.pass, at: statement.positionAfterSkippingLeadingTrivia.utf8Offset)
    let test = step(.pass, at: statement.condition.position.utf8Offset)
    let exit = step(.pass, at: statement.endPosition.utf8Offset)
    go(to: head)
    current = isBlocked ? nil : head
    loopBody(
      statement.body.statements,
      Target(label: label, onBreak: exit, onContinue: test, takesPlainBreak: true, scopes: scopes.count))
    go(to: test)
    resume(at: test)
    let (again, left) = branch(on: statement.condition)
    current = again
    emit(.note(.loopAgain), at: statement.condition.positionAfterSkippingLeadingTrivia.utf8Offset)
    go(to: head)
    current = left
    go(to: exit)
    resume(at: exit)
  }

  mutating func lower(for statement: ForStmtSyntax, label: String?) {
    let offset = statement.positionAfterSkippingLeadingTrivia.utf8Offset
    if interest.touch(statement.sequence) { lower(statement.sequence) }
    guard current != nil else { return }
    loopDepth += 1
    defer { loopDepth -= 1 }
    let head = step(.pass, at: offset)
    let inside = step(.pass, at: offset)
    let exit = step(.pass, at: statement.endPosition.utf8Offset)
    if isKnownToBeFilled(statement.sequence) {
      emit(.note(.loopEntered), at: offset)
      go(to: inside)
    } else {
      go(to: head)
    }
    current = isBlocked ? nil : head
    if statement.tryKeyword != nil { raise(at: offset, isCall: true) }
    let fork = current
    emit(.note(.loopSkipped), at: offset)
    go(to: exit)
    current = fork
    emit(.note(.loopEntered), at: offset)
    go(to: inside)
    resume(at: inside)
    if countsIterations(statement.body.statements) { emit(.leavesVisibleCode, at: offset) }
    let names = names.count
    declareNames(in: Syntax(statement.pattern))
    if let condition = statement.whereClause?.condition {
      let (passed, failed) = branch(on: condition)
      current = failed
      go(to: head)
      current = passed
    }
    loopBody(
      statement.body.statements,
      Target(label: label, onBreak: exit, onContinue: head, takesPlainBreak: true, scopes: scopes.count))
    go(to: head)
    self.names.removeLast(self.names.count - names)
    resume(at: exit)
  }

  private mutating func loopBody(_ body: CodeBlockItemListSyntax, _ target: Target) {
    targets.append(target)
    lower(block: body)
    targets.removeLast()
  }

  /// Continues at a step that other steps lead to.
  mutating func resume(at step: Int) {
    current = isBlocked ? nil : step
  }

  // MARK: - Iterations

  /// Returns whether the function already tested before whether a sequence is empty. It has handled that case then.
  func isKnownToBeFilled(_ sequence: ExprSyntax) -> Bool {
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
    guard mentions.touch(body) else { return false }
    var pending = [Syntax(body)]
    while let node = pending.popLast() {
      if let test = node.as(IfExprSyntax.self), mentions.touch(test.body),
        test.conditions.contains(where: CallSite.comparesCount)
      {
        return true
      }
      for child in node.children(viewMode: .sourceAccurate) where mentions.touch(child) {
        pending.append(child)
      }
    }
    return false
  }
}
