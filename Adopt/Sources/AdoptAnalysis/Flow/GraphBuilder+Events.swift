import SwiftSyntax

extension GraphBuilder {
  /// Words that show that a closure removes itself after an event.
  private static let removingWords: Set<String> = [
    "removeObserver", "invalidate", "cancel", "remove", "unsubscribe", "dispose", "stop", "removeListener",
    "detach",
    "unobserve", "removeHandler", "stopMonitoring", "removeValue", "removeAll", "finish", "close",
    "stopUpdatingLocation",
  ]

  /// Publishers' operators that let only one value through.
  private static let limitingWords: Set<String> = [
    "first", "prefix", "last", "output", "collect", "reduce", "count",
  ]

  /// Returns whether a property keeps a closure that resumes the continuation, and calls it for each event.
  func runsForEachEvent(_ closure: ClosureExprSyntax, assignedTo target: ExprSyntax) -> Bool {
    guard subject.isContinuation, !subject.isStored, names.mayMentionHandler(closure),
      let access = target.as(MemberAccessExprSyntax.self)
    else { return false }
    return ClosureExecution.isEventHandler(access.declName.baseName.text) && !removesItself(closure)
  }

  /// Returns whether a function keeps a closure that resumes the continuation, and calls it for each event.
  func runsForEachEvent(_ closure: ClosureExprSyntax, passedTo name: String, in call: FunctionCallExprSyntax)
    -> Bool
  {
    guard subject.isContinuation, !subject.isStored, ClosureExecution.repeatingNames.contains(name),
      !removesItself(closure)
    else { return false }
    if name == "scheduledTimer" {
      return call.arguments.contains { $0.label?.text == "repeats" && $0.expression.truth == .yes }
    }
    return !call.calledExpression.tokens(viewMode: .sourceAccurate).contains {
      Self.limitingWords.contains($0.text)
    }
  }

  private func removesItself(_ closure: ClosureExprSyntax) -> Bool {
    var before = ""
    for token in closure.statements.tokens(viewMode: .sourceAccurate) {
      if Self.removingWords.contains(token.text) || (token.text == "nil" && before == "=") { return true }
      before = token.text
    }
    return false
  }

  /// Follows a closure that runs any number of times, after the function has returned.
  mutating func inline(event closure: ClosureExprSyntax) {
    guard graph.current != nil else { return }
    let offset = closure.startOffset
    let head = graph.step(.pass, at: offset)
    graph.go(to: head)
    graph.resume(at: head)
    let fork = graph.current
    // Other events may come first, and other code may resume the continuation.
    graph.emit(.leavesVisibleCode, at: offset)
    graph.current = fork
    eventDepth += 1
    loopDepth += 1
    inside(exit: head, end: closure.rightBrace.startOffset, counts: false, swallows: false) {
      $0.declareNames(of: closure)
      $0.lower(block: closure.statements)
    }
    eventDepth -= 1
    loopDepth -= 1
    graph.current = nil
  }

  // MARK: - Properties that store the continuation as well

  /// Follows `self.continuation = continuation`, if the property is one that other functions resume.
  mutating func store(_ value: ArraySlice<ExprSyntax>, in target: ExprSyntax) -> Bool {
    guard keeper(target) != nil else { return false }
    if value.count == 1, let only = value.first, refersToHandler(only) {
      graph.emit(.store, at: target.startOffset)
      graph.emit(.note(.isStored), at: target.startOffset)
      return true
    }
    guard value.count == 1, value.first?.truth == .no || value.first?.is(ArrayExprSyntax.self) == true else {
      return false
    }
    graph.emit(.clear, at: target.startOffset)
    return true
  }

  /// Returns the name of the property that an expression refers to, if it stores continuations.
  private func keeper(_ expression: ExprSyntax) -> String? {
    guard !subject.keepers.isEmpty, ignoredStore == nil else { return nil }
    var expression = expression.bare
    if let element = expression.as(SubscriptCallExprSyntax.self) {
      expression = element.calledExpression.bare
    }
    guard let name = expression.ownName, subject.keepers.contains(name) else { return nil }
    if expression.is(MemberAccessExprSyntax.self) { return name }
    return names.lookUp(name) == nil ? name : nil
  }

  /// Returns whether a call such as `waiting.append(continuation)` or `waiting.removeLast()` changes such a property.
  func changesKeeper(_ access: MemberAccessExprSyntax?) -> Bool {
    guard !subject.isStored, let base = access?.base else { return false }
    return keeper(base) != nil
  }

  mutating func lower(keeper call: FunctionCallExprSyntax) {
    let name = call.calledExpression.bare.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? ""
    let isStoring = ["append", "insert", "updateValue"].contains(name)
    if isStoring, call.arguments.contains(where: { refersToHandler($0.expression) }) {
      graph.emit(.store, at: call.startOffset)
      graph.emit(.note(.isStored), at: call.startOffset)
    } else if ["removeAll", "removeValue", "removeLast", "removeFirst", "popLast", "remove"].contains(name) {
      graph.emit(.clear, at: call.startOffset)
    } else {
      graph.emit(.leavesVisibleCode, at: call.startOffset)
    }
  }
}
