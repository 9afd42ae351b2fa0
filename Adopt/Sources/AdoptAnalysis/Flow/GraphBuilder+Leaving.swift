import SwiftSyntax

extension GraphBuilder {
  /// Leaves the current function or closure.
  mutating func leave(_ exit: Graph.Exit, at offset: Int) {
    guard let region = regions.last, graph.current != nil else { return }
    var event = Graph.Event.leave(exit)
    if region.isNested {
      event = region.counts ? .leave(exit == .returns ? .closureReturns : .closureEnds) : .pass
    }
    graph.emit(event, at: offset)
    guard graph.current != nil else { return }
    graph.go(to: unwind(to: region.scopes, then: region.exit))
  }

  /// Returns whether a statement returns nil instead of a value such as a task. This means that nothing was started,
  /// and callers may call the handler themselves.
  func returnsNilForTask(_ statement: ReturnStmtSyntax) -> Bool {
    guard subject.handler != nil, !subject.returnsVoid, regions.last?.isNested == false else { return false }
    return statement.expression?.is(NilLiteralExprSyntax.self) ?? false
  }

  /// Adds a path on which an error is thrown here. The other path continues.
  mutating func raise(at offset: Int, isCall: Bool) {
    hasThrown = true
    guard let catcher, let from = graph.current, !graph.isBlocked else { return }
    if isCall { graph.emit(.note(.throwsHere), at: offset) }
    if let exit = catcher.exit { graph.emit(.leave(exit), at: offset) }
    graph.go(to: unwind(to: catcher.scopes, then: catcher.step))
    graph.resume(at: from)
  }

  mutating func lower(break statement: BreakStmtSyntax) {
    let target: Target?
    if let label = statement.label?.text {
      target = targets.last { $0.label == label }
    } else {
      target = targets.last { $0.takesPlainBreak }
    }
    guard let target else {
      graph.current = nil
      return
    }
    jump(to: target.onBreak, scopes: target.scopes)
  }

  mutating func lower(continue statement: ContinueStmtSyntax) {
    let label = statement.label?.text
    let target = targets.last { $0.onContinue != nil && (label == nil || $0.label == label) }
    guard let target, let step = target.onContinue else {
      graph.current = nil
      return
    }
    jump(to: step, scopes: target.scopes)
  }

  mutating func fallThrough() {
    guard let target = fallthroughTargets.last else {
      graph.current = nil
      return
    }
    jump(to: target.onBreak, scopes: target.scopes)
  }

  private mutating func jump(to step: Int, scopes: Int) {
    guard graph.current != nil else { return }
    graph.go(to: unwind(to: scopes, then: step))
  }

  /// Returns the first step on the way to `destination`, out of all scopes but the first `count`.
  ///
  /// On the way, the deferred blocks of these scopes run, the last one first. Paths with the same end share these
  /// steps.
  mutating func unwind(to count: Int, then destination: Int) -> Int {
    var next = destination
    guard count < scopes.count else { return next }
    for index in count..<scopes.count {
      for (position, deferred) in scopes[index].deferred.enumerated() {
        guard names.isRelevant(deferred.range) else { continue }
        let key = Key(deferred: deferred.id, step: next)
        if let known = unwound[key] {
          next = known
          continue
        }
        next = lower(deferred: deferred, scope: index, position: position, then: next)
        unwound[key] = next
        if graph.isBlocked { return next }
      }
    }
    return next
  }

  private mutating func lower(deferred: Deferred, scope: Int, position: Int, then next: Int) -> Int {
    let first = graph.step(.pass, at: deferred.range.lowerBound)
    let outside = (graph.current, scopes, targets, fallthroughTargets, catcher, label, isTrying)
    let hidden = names.hideNames(after: deferred.names)
    scopes.removeLast(scopes.count - scope - 1)
    scopes[scope].deferred.removeLast(scopes[scope].deferred.count - position)
    targets = []
    fallthroughTargets = []
    catcher = nil
    isTrying = false
    graph.resume(at: first)
    deeper(deferred.range.lowerBound) { $0.lower(block: deferred.body) }
    graph.go(to: next)
    (graph.current, scopes, targets, fallthroughTargets, catcher, label, isTrying) = outside
    names.restore(hidden)
    return first
  }
}
