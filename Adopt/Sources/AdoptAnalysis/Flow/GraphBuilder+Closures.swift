import SwiftSyntax

extension GraphBuilder {
  /// Goes on in a closure that runs, and then after it.
  ///
  /// - Parameter rounds: What it is run for each of, if it is.
  mutating func inline(_ closure: ClosureExprSyntax, run: ClosureRun, rounds: ExprSyntax? = nil) {
    guard current != nil else { return }
    let exit = step(.pass, at: closure.endPosition.utf8Offset)
    if run == .many {
      self.rounds += 1
      defer { self.rounds -= 1 }
      let head = step(.pass, at: closure.startOffset)
      let round = step(.pass, at: closure.startOffset)
      if let rounds, isKnownToBeFilled(rounds) {
        emit(.note(.loopEntered), at: closure.startOffset)
        go(to: round)
      } else {
        go(to: head)
      }
      resume(at: head)
      let fork = current
      emit(.note(.loopSkipped), at: closure.startOffset)
      go(to: exit)
      current = fork
      emit(.note(.loopEntered), at: closure.startOffset)
      go(to: round)
      resume(at: round)
      if countsRounds(closure.statements) { emit(.escape, at: closure.startOffset) }
      inside(exit: head, end: closure.rightBrace.startOffset, counts: false, swallows: false) {
        $0.declareNames(of: closure)
        $0.lower(block: closure.statements)
      }
    } else {
      inside(
        exit: exit, end: closure.rightBrace.startOffset, counts: true, swallows: run == .onceSwallowing
      ) {
        $0.declareNames(of: closure)
        if run == .onceAnswered { $0.declareAnswer(of: closure) }
        $0.lower(block: closure.statements)
      }
    }
    resume(at: exit)
    if run == .onceStarted { emit(.trustIfCalled, at: closure.endPosition.utf8Offset) }
  }

  mutating func inline(_ function: LocalFunction, at offset: Int) {
    // One that calls itself, or calls that pile up, are out of sight.
    guard !inlined.contains(function.id), inlined.count < Self.mostInlined else {
      emit(.escape, at: offset)
      return
    }
    inlined.append(function.id)
    rounds += 1
    defer { rounds -= 1 }
    let exit = step(.pass, at: function.end)
    inside(exit: exit, end: function.end, counts: true, swallows: false) {
      for name in function.parameters { $0.declare(parameter: name) }
      $0.lower(block: function.statements)
    }
    inlined.removeLast()
    resume(at: exit)
  }

  /// Runs `body` as the code of a closure: jumps do not leave it, and a return ends it.
  private mutating func inside(
    exit: Int, end: Int, counts: Bool, swallows: Bool, _ body: (inout GraphBuilder) -> Void
  ) {
    let outer = (names.count, targets, falls, catcher, label, isTrying, hasThrown)
    targets = []
    falls = []
    label = nil
    isTrying = false
    if swallows {
      catcher = Catcher(step: exit, scopes: scopes.count, leave: .closureThrows, offset: end)
    }
    regions.append(
      Region(exit: exit, scopes: scopes.count, isInner: true, endOffset: end, counts: counts))
    deeper(end, body)
    leave(.ends, at: end)
    regions.removeLast()
    names.removeLast(names.count - outer.0)
    (_, targets, falls, catcher, label, isTrying, hasThrown) = outer
  }

  private mutating func declareNames(of closure: ClosureExprSyntax) {
    for item in closure.signature?.capture?.items ?? [] {
      guard let value = item.initializer?.value, refersToHandler(value) else { continue }
      makeInteresting(item.name.text, isHandler: true)
      declare(item.name.text, .handler)
    }
    let parameters = closure.parameterNames
    if parameters.isEmpty, subject.name == "$0" { declare("$0", .other) }
    for name in parameters { declare(parameter: name) }
  }
}
