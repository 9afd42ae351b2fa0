import SwiftSyntax

extension GraphBuilder {
  /// Follows a closure that runs, and then continues after it.
  ///
  /// - Parameter sequence: The sequence for whose elements the closure runs, if any.
  mutating func inline(
    _ closure: ClosureExprSyntax, execution: ClosureExecution, sequence: ExprSyntax? = nil
  ) {
    guard graph.current != nil else { return }
    let exit = graph.step(.pass, at: closure.endPosition.utf8Offset)
    if execution == .many {
      loopDepth += 1
      defer { loopDepth -= 1 }
      let head = graph.step(.pass, at: closure.startOffset)
      let round = graph.step(.pass, at: closure.startOffset)
      if let sequence, isKnownToBeFilled(sequence) {
        graph.emit(.note(.loopEntered), at: closure.startOffset)
        graph.go(to: round)
      } else {
        graph.go(to: head)
      }
      graph.resume(at: head)
      let fork = graph.current
      graph.emit(.note(.loopSkipped), at: closure.startOffset)
      graph.go(to: exit)
      graph.current = fork
      graph.emit(.note(.loopEntered), at: closure.startOffset)
      graph.go(to: round)
      graph.resume(at: round)
      if countsIterations(closure.statements) { graph.emit(.leavesVisibleCode, at: closure.startOffset) }
      inside(exit: head, end: closure.rightBrace.startOffset, counts: false, swallows: false) {
        $0.declareNames(of: closure)
        $0.lower(block: closure.statements)
      }
    } else {
      inside(
        exit: exit, end: closure.rightBrace.startOffset, counts: true, swallows: execution == .onceSwallowing
      ) {
        $0.declareNames(of: closure)
        if execution == .onceWithResponse { $0.declareResponse(of: closure) }
        $0.lower(block: closure.statements)
      }
    }
    graph.resume(at: exit)
    if execution == .onceStarted { graph.emit(.ignoreIfCalled, at: closure.endPosition.utf8Offset) }
  }

  mutating func inline(_ function: NameTable.LocalFunction, at offset: Int) {
    // Recursive and deeply nested calls are not followed.
    guard !inlined.contains(function.id), inlined.count < Self.maximumInlinedFunctions else {
      graph.emit(.leavesVisibleCode, at: offset)
      return
    }
    inlined.append(function.id)
    loopDepth += 1
    let hidden = function.isMethod ? names.hideNames(after: typeNameCount) : nil
    if function.isMethod { methodDepth += 1 }
    defer {
      loopDepth -= 1
      if function.isMethod { methodDepth -= 1 }
      if let hidden { names.restore(hidden) }
    }
    let exit = graph.step(.pass, at: function.end)
    inside(exit: exit, end: function.end, counts: !function.isMethod, swallows: false) {
      for name in function.parameters { $0.declare(parameter: name) }
      $0.lower(block: function.statements)
    }
    inlined.removeLast()
    graph.resume(at: exit)
  }

  /// Runs `body` as the code of a closure: `break` and `continue` cannot leave it, and `return` ends it.
  mutating func inside(
    exit: Int, end: Int, counts: Bool, swallows: Bool, _ body: (inout GraphBuilder) -> Void
  ) {
    let outer = (names.count, label, isTrying, hasThrown)
    label = nil
    isTrying = false
    let hidden = exits.openRegion(exit: exit, counts: counts, swallowsErrors: swallows)
    deeper(end, body)
    leave(.ends, at: end)
    exits.closeRegion(restoring: hidden)
    names.removeNames(after: outer.0)
    (_, label, isTrying, hasThrown) = outer
  }

  mutating func declareNames(of closure: ClosureExprSyntax) {
    for item in closure.signature?.capture?.items ?? [] {
      if item.specifier?.specifier.text == "weak", item.name.text != "self" {
        if let index = declareVariable(item.name.text) { graph.variables[index].isWeak = true }
        continue
      }
      guard let value = item.initializer?.value, refersToHandler(value) else { continue }
      makeRelevant(item.name.text, isHandler: true)
      names.declare(item.name.text, .handler)
    }
    let parameters = closure.parameterNames
    if parameters.isEmpty, subject.name == "$0" { names.declare("$0", .other) }
    for name in parameters { declare(parameter: name) }
  }
}
