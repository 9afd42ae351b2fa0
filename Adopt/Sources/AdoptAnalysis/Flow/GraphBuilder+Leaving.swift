import SwiftSyntax

extension GraphBuilder {
  /// Leaves the current function or closure.
  mutating func leave(_ exit: Graph.Exit, at offset: Int) {
    guard let region = exits.region, graph.current != nil else { return }
    var event = Graph.Event.leave(exit)
    if region.isNested {
      event = region.counts ? .leave(exit == .returns ? .closureReturns : .closureEnds) : .pass
    }
    graph.emit(event, at: offset)
    guard graph.current != nil else { return }
    leave(to: region.destination)
  }

  /// Returns whether a statement returns nil instead of a value such as a task, or false. This means that nothing was
  /// started, or that the request is not handled here, and callers may call the handler themselves.
  func returnsNilForTask(_ statement: ReturnStmtSyntax) -> Bool {
    guard !classifier.options.coversAlternatives, subject.handler != nil, !subject.returnsVoid,
      exits.region?.isNested == false
    else { return false }
    if subject.returnsBool, let value = statement.expression, value.is(BooleanLiteralExprSyntax.self),
      value.truth == .no
    {
      return true
    }
    return statement.expression?.is(NilLiteralExprSyntax.self) ?? false
  }

  /// Adds a path on which an error is thrown here. The other path continues.
  mutating func raise(at offset: Int, isCall: Bool) {
    hasThrown = true
    guard let catcher = exits.catcher, let from = graph.current, !graph.isBlocked else { return }
    if isCall { graph.emit(.note(.throwsHere), at: offset) }
    if let exit = catcher.exit { graph.emit(.leave(exit), at: offset) }
    leave(to: catcher.destination)
    graph.resume(at: from)
  }

  /// Leaves all scopes that are not open at a destination. Without a destination, the code does not compile.
  mutating func leave(to destination: ExitStack.Destination?) {
    if let destination, graph.current != nil {
      graph.go(to: firstStep(to: destination))
    } else {
      graph.current = nil
    }
  }

  /// Returns the first step on the way to a destination, on which the deferred blocks run.
  private mutating func firstStep(to destination: ExitStack.Destination) -> Int {
    var next = destination.step
    for block in exits.deferredBlocks(beyond: destination.depth) where names.isRelevant(block.range) {
      if let known = exits.firstStep(of: block, before: next) {
        next = known
        continue
      }
      let first = lower(deferred: block, then: next)
      exits.setFirstStep(first, of: block, before: next)
      next = first
      if graph.isBlocked { return next }
    }
    return next
  }

  private mutating func lower(deferred block: ExitStack.DeferredBlock, then next: Int) -> Int {
    let first = graph.step(.pass, at: block.range.lowerBound)
    let outside = (graph.current, label, isTrying)
    let hidden = (names: names.hideNames(after: block.names), exits: exits.open(block))
    isTrying = false
    graph.resume(at: first)
    deeper(block.range.lowerBound) { $0.lower(block: block.body) }
    graph.go(to: next)
    exits.closeBlock(restoring: hidden.exits)
    names.restore(hidden.names)
    (graph.current, label, isTrying) = outside
    return first
  }
}
