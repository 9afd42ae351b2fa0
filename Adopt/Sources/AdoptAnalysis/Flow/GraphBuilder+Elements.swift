import SwiftSyntax

extension GraphBuilder {
  /// Returns whether an expression is `first`, `last` or `values` of the collection.
  func isElement(_ expression: ExprSyntax) -> Bool {
    var expression = expression.bare
    while let base = continuationBase(of: expression) { expression = base.bare }
    guard let access = expression.as(MemberAccessExprSyntax.self), let base = access.base else {
      return false
    }
    return ["first", "last", "values"].contains(access.declName.baseName.text) && refersToHandler(base)
  }

  /// Returns whether a loop over a sequence runs for the continuations of the collection.
  func elements(of sequence: ExprSyntax) -> Bool {
    refersToHandler(sequence) || isElement(sequence)
  }

  /// Follows a sequence that takes all continuations out of their collection, such as `waiters.withLock { … }`. Returns
  /// false for all other expressions.
  mutating func takeAll(_ sequence: ExprSyntax) -> Bool {
    guard subject.ownership?.kind == .collection, let call = isTaker(sequence) else { return false }
    lower(taking: call)
    return true
  }

  /// Splits the path on whether there are continuations. A property that was emptied before has none.
  private mutating func forkOnElements(of sequence: ExprSyntax, at offset: Int) -> Tails {
    var place = sequence.bare
    if isElement(place), let base = place.as(MemberAccessExprSyntax.self)?.base { place = base }
    return isPlace(place) ? graph.forkOnPlace(at: offset) : graph.fork(on: Graph.handler, at: offset)
  }

  /// Follows a loop over all continuations as if there were one or none.
  mutating func lower(elementsOf statement: ForStmtSyntax, label: String?) {
    let exit = graph.step(.pass, at: statement.endPosition.utf8Offset)
    let tails = forkOnElements(of: statement.sequence, at: statement.startOffset)
    graph.current = tails.no
    graph.go(to: exit)
    graph.current = tails.yes
    graph.emit(.note(.loopEntered), at: statement.startOffset)
    graph.emit(.alias, at: statement.startOffset)
    let outerNames = names.count
    declare(elements: statement.pattern)
    if let condition = statement.whereClause?.condition {
      let (passed, failed) = branch(on: condition)
      graph.current = failed
      graph.go(to: exit)
      graph.current = passed
    }
    loopBody(statement.body.statements, label: label, exit: exit, next: exit)
    graph.go(to: exit)
    names.removeNames(after: outerNames)
    graph.resume(at: exit)
  }

  private mutating func declare(elements pattern: PatternSyntax) {
    var pending = [Syntax(pattern)]
    while let node = pending.popLast() {
      if let name = node.as(IdentifierPatternSyntax.self)?.identifier.text {
        makeRelevant(name, isHandler: true)
        names.declare(name, .handler)
      } else {
        pending.append(contentsOf: node.children(viewMode: .sourceAccurate))
      }
    }
  }

  mutating func inline(elementsIn closure: ClosureExprSyntax, of sequence: ExprSyntax) {
    let exit = graph.step(.pass, at: closure.endPosition.utf8Offset)
    let tails = forkOnElements(of: sequence, at: closure.startOffset)
    graph.current = tails.no
    graph.go(to: exit)
    graph.current = tails.yes
    graph.emit(.note(.loopEntered), at: closure.startOffset)
    graph.emit(.alias, at: closure.startOffset)
    inside(exit: exit, end: closure.rightBrace.startOffset, counts: false, swallows: false) {
      $0.declareNames(of: closure)
      for name in closure.parameterNames.isEmpty ? ["$0"] : closure.parameterNames {
        $0.makeRelevant(name, isHandler: true)
        $0.names.declare(name, .handler)
      }
      $0.lower(block: closure.statements)
    }
    graph.resume(at: exit)
  }

  // MARK: - Locks

  /// Follows a closure that runs under a lock. The parameter of a box's closure stands for the property.
  mutating func inline(locked closure: ClosureExprSyntax, isBox: Bool) {
    guard graph.current != nil else { return }
    let exit = graph.step(.pass, at: closure.endPosition.utf8Offset)
    methodDepth += 1
    inside(exit: exit, end: closure.rightBrace.startOffset, counts: false, swallows: false) {
      $0.declareNames(of: closure)
      if isBox {
        let name = closure.parameterNames.first ?? "$0"
        $0.makeRelevant(name, isHandler: true)
        $0.names.declare(name, $0.subject.ownership?.holder == nil ? .place : .holder)
      }
      // A closure with only one expression returns its value.
      if closure.statements.count == 1, case .expr(let only)? = closure.statements.first?.item,
        $0.refersToHandler(only), $0.returnsOwned(only)
      {
        return
      }
      $0.lower(block: closure.statements)
    }
    methodDepth -= 1
    graph.resume(at: exit)
  }

  /// Returns whether a closure under a lock returns the continuation that it reads.
  func returnsContinuation(_ closure: ClosureExprSyntax, isBox: Bool) -> Bool {
    var sources: Set<String> = [subject.name]
    var holders: Set<String> = []
    if isBox {
      let parameters = closure.parameterNames.isEmpty ? ["$0"] : closure.parameterNames
      if subject.ownership?.holder == nil { sources.formUnion(parameters) } else { holders = Set(parameters) }
    }
    sources.formUnion(carriedNames(in: Syntax(closure.statements)))
    func isSource(_ expression: ExprSyntax) -> Bool {
      var expression = expression.bare
      while let base = continuationBase(of: expression) { expression = base.bare }
      if let element = expression.as(SubscriptCallExprSyntax.self) {
        expression = element.calledExpression.bare
      }
      if let name = expression.ownName { return sources.contains(name) }
      guard let access = expression.as(MemberAccessExprSyntax.self), let base = access.base?.plainName else {
        return false
      }
      return holders.contains(base) && access.declName.baseName.text == subject.name
    }
    var results: [ExprSyntax] = []
    if closure.statements.count == 1, case .expr(let only)? = closure.statements.first?.item {
      results = [only]
    }
    for item in closure.statements {
      if let variable = item.item.as(VariableDeclSyntax.self) {
        for binding in variable.bindings {
          if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let source = binding.initializer?.value, isSource(source)
          {
            sources.insert(name)
          }
        }
      }
    }
    results += returnedValues(in: Syntax(closure.statements))
    return results.contains { result in
      let bare = result.bare
      if let call = bare.as(FunctionCallExprSyntax.self),
        let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        Self.takingNames.contains(access.declName.baseName.text), let base = access.base
      {
        return isSource(base)
      }
      return isSource(bare)
    }
  }

  /// Returns the values of the `return` statements of a closure, without those of closures in it.
  private func returnedValues(in node: Syntax) -> [ExprSyntax] {
    var found: [ExprSyntax] = []
    var pending = [node]
    while let node = pending.popLast() {
      if node.is(ClosureExprSyntax.self) || node.is(FunctionDeclSyntax.self) { continue }
      if let value = node.as(ReturnStmtSyntax.self)?.expression { found.append(value) }
      pending += node.children(viewMode: .sourceAccurate)
    }
    return found
  }
}
