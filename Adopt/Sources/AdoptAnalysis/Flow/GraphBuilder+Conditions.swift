import SwiftSyntax

extension GraphBuilder {
  /// Follows a list of conditions. The names that they bind stay in scope.
  mutating func branch(on conditions: ConditionElementListSyntax, isGuard: Bool) -> Tails {
    var failed: [Int?] = []
    let start = conditions.positionAfterSkippingLeadingTrivia.utf8Offset
    for element in conditions {
      guard graph.current != nil else { break }
      let offset = element.positionAfterSkippingLeadingTrivia.utf8Offset
      let (yes, no, remark) = branch(on: element)
      graph.current = no
      graph.emit(.note(isGuard && !remark.isAboutOwner ? .guardFails : remark), at: offset)
      failed.append(graph.current)
      graph.current = yes
    }
    if !isGuard { graph.emit(.note(.isTrue), at: start) }
    let passed = graph.current
    graph.join(failed, at: start)
    return (passed, graph.current)
  }

  private mutating func branch(
    on element: ConditionElementSyntax
  ) -> (yes: Int?, no: Int?, failure: Graph.Remark) {
    switch element.condition {
    case .expression(let expression):
      let tails = branch(on: expression)
      return (tails.yes, tails.no, expression.testsSelf ? .selfIsGone : .isFalse)
    case .availability: return (graph.current, graph.current, .isFalse)
    case .matchingPattern(let condition) where isState(condition.initializer.value):
      let tails = branch(on: condition.initializer.value, matching: condition.pattern)
      declareNames(ofState: condition.pattern)
      return (tails.yes, tails.no, .isFalse)
    case .matchingPattern(let condition):
      if names.isRelevant(condition.initializer.value) { lower(condition.initializer.value) }
      let tails = branch(on: condition.initializer.value, matching: condition.pattern)
      names.declareNames(in: condition.pattern)
      return (tails.yes, tails.no, .isFalse)
    case .optionalBinding(let binding): return branch(on: binding)
    @unknown default: return (graph.current, graph.current, .isFalse)
    }
  }

  private mutating func branch(
    on binding: OptionalBindingConditionSyntax
  ) -> (yes: Int?, no: Int?, failure: Graph.Remark) {
    let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    let isConstant = binding.bindingSpecifier.tokenKind == .keyword(.let)
    let value = binding.initializer?.value
    let source = value.flatMap(\.plainName) ?? (value == nil ? name : nil)
    if source == "self" {
      if let name { names.declare(name, .other) }
      return (graph.current, graph.current, .selfIsGone)
    }
    let bound = name ?? "_"
    let tested =
      value
      ?? binding.pattern.as(IdentifierPatternSyntax.self).map {
        ExprSyntax(DeclReferenceExprSyntax(baseName: $0.identifier))
      }
    if let tested, let response = response(tested), let meansSuccess = response.meansSuccess {
      let tails = assume(response.variable, at: binding.position.utf8Offset)
      names.declare(bound, .other)
      let remark = Graph.Remark.absent(" \(tested.brief)")
      return meansSuccess ? (tails.yes, tails.no, remark) : (tails.no, tails.yes, remark)
    }
    if let source, case .variable(let index)? = names.lookUp(source) {
      let tails = assume(index, at: binding.position.utf8Offset)
      names.declare(bound, isConstant ? .variable(index) : .other)
      return (tails.yes, tails.no, graph.variables[index].isWeak ? .isGone(source) : .isNil(source))
    }
    if subject.isStored, let value, let tails = branch(taking: value, bound: bound) {
      if name == nil { declareTaken(binding.pattern) }
      return tails
    }
    if let handler = source.map(names.isHandler) ?? value.map(refersToHandler), handler {
      let tested = value ?? source.map { ExprSyntax(DeclReferenceExprSyntax(baseName: .identifier($0))) }
      let isOfPlace = subject.isStored && tested.map(isPlace) == true
      let tails =
        isOfPlace
        ? graph.forkOnPlace(at: binding.position.utf8Offset)
        : assume(Graph.handler, at: binding.position.utf8Offset)
      if bound != "_" { makeRelevant(bound, isHandler: true) }
      names.declare(bound, .handler)
      if name == nil { declareTaken(binding.pattern) }
      return (alias(tails.yes, at: binding.position.utf8Offset), tails.no, .isNil(subject.shownName))
    }
    if let value, names.isRelevant(value) { lower(value) }
    if name != nil { names.declare(bound, .other) } else { names.declareNames(in: binding.pattern) }
    let origin = value.map { " \($0.brief)" } ?? ""
    return (graph.current, graph.current, name == nil ? .isFalse : .absent(origin))
  }

  /// Follows a pattern that may match.
  ///
  /// - Parameter hasCondition: Whether there is an additional condition, such as `where`.
  mutating func branch(
    on value: ExprSyntax, matching pattern: PatternSyntax, hasCondition: Bool = false
  ) -> Tails {
    if isState(value), let tails = branch(onState: pattern, hasCondition: hasCondition) { return tails }
    guard let match = match(value, with: pattern) else { return (graph.current, graph.current) }
    let fork = graph.current
    let tails = assume(match.variable, at: pattern.position.utf8Offset)
    let (yes, no) = match.isYes ? tails : (tails.no, tails.yes)
    return (yes, match.isExhaustive && !hasCondition ? no : fork)
  }

  /// Splits the path on whether a variable is true or not nil.
  mutating func assume(_ variable: Int, at offset: Int) -> Tails {
    guard graph.current != nil else { return (nil, nil) }
    // A test inside a loop counts as several uses.
    graph.variables[variable].uses += loopDepth > 0 ? 2 : 1
    return graph.fork(on: variable, at: offset)
  }

  // MARK: - Expressions

  mutating func branch(on expression: ExprSyntax) -> Tails {
    guard graph.current != nil, !graph.isBlocked else { return (nil, nil) }
    guard depth < Self.maximumDepth else {
      graph.stop("it is nested too deeply")
      return (nil, nil)
    }
    depth += 1
    defer { depth -= 1 }
    if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first, only.label == nil
    {
      return branch(on: only.expression)
    }
    if let awaited = expression.as(AwaitExprSyntax.self) { return branch(on: awaited.expression) }
    if let prefix = expression.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
      let tails = branch(on: prefix.expression)
      return (tails.no, tails.yes)
    }
    if let literal = expression.as(BooleanLiteralExprSyntax.self) {
      return literal.literal.tokenKind == .keyword(.true) ? (graph.current, nil) : (nil, graph.current)
    }
    if let sequence = expression.as(SequenceExprSyntax.self) {
      return trying(sequence.startsWithTry) { $0.branch(on: Array(sequence.elements)[...]) }
    }
    if isLatch(expression) {
      lower(expression)
      graph.emit(.latch, at: expression.startOffset)
      return (graph.current, graph.current)
    }
    if let (variable, isYes) = decision(expression) {
      let tails = assume(variable, at: expression.position.utf8Offset)
      return isYes ? tails : (tails.no, tails.yes)
    }
    lower(expression)
    return (graph.current, graph.current)
  }

  mutating func branch(on elements: ArraySlice<ExprSyntax>) -> Tails {
    guard graph.current != nil else { return (nil, nil) }
    if elements.count == 1, let only = elements.first { return branch(on: only) }
    if elements.contains(where: {
      $0.is(UnresolvedTernaryExprSyntax.self) || $0.is(AssignmentExprSyntax.self)
    }) {
      lower(elements)
      return (graph.current, graph.current)
    }
    // `||` has the lowest precedence.
    for (sign, decides) in [("||", true), ("&&", false)] {
      let operands = elements.split(atOperator: sign)
      if operands.count > 1 { return branch(on: operands, decidedBy: decides) }
    }
    if subject.isStored, elements.count == 3, let left = elements.first, isPlace(left),
      elements.last?.is(NilLiteralExprSyntax.self) == true,
      let sign = elements[elements.startIndex + 1].as(BinaryOperatorExprSyntax.self)?.operator.text
    {
      let tails = graph.forkOnPlace(at: left.startOffset)
      if sign == "!=" { return tails }
      if sign == "==" { return (tails.no, tails.yes) }
    }
    if let tails = branch(onState: elements) { return tails }
    if let (variable, isYes) = test(elements) {
      let tails = assume(variable, at: elements.first?.position.utf8Offset ?? 0)
      return isYes ? tails : (tails.no, tails.yes)
    }
    lower(elements)
    return (graph.current, graph.current)
  }

  /// Follows operands of which the first `decisive` one decides; the ones after it are not evaluated.
  private mutating func branch(on operands: [ArraySlice<ExprSyntax>], decidedBy decisive: Bool) -> Tails {
    var decided: [Int?] = []
    for operand in operands {
      let tails = branch(on: operand)
      decided.append(decisive ? tails.yes : tails.no)
      graph.current = decisive ? tails.no : tails.yes
    }
    let undecided = graph.current
    graph.join(decided, at: operands.first?.first?.position.utf8Offset ?? 0)
    return decisive ? (graph.current, undecided) : (undecided, graph.current)
  }

  /// Returns the variable of a comparison with `nil`, `true` or `false`, and whether the comparison holds if the
  /// variable is `yes`.
  private func test(_ elements: ArraySlice<ExprSyntax>) -> (variable: Int, isYes: Bool)? {
    guard elements.count == 3, let left = elements.first, let right = elements.last,
      let sign = elements[elements.startIndex + 1].as(BinaryOperatorExprSyntax.self)?.operator.text,
      sign == "==" || sign == "!="
    else { return nil }
    let isEqual = sign == "=="
    let decision = refersToHandler(left) ? (Graph.handler, true) : decision(left)
    guard let (variable, isYes) = decision else { return nil }
    switch right.truth {
    case .yes: return (variable, isEqual == isYes)
    case .no: return (variable, isEqual != isYes)
    case .unknown: return nil
    }
  }

  /// Returns whether a condition is true for only one of several callers.
  private func isLatch(_ expression: ExprSyntax) -> Bool {
    guard !subject.isStored else { return false }
    if Latch.isClaim(expression) { return !names.mayMentionHandler(expression) }
    guard let name = expression.ownName else { return false }
    switch names.lookUp(name) {
    case .latch?: return true
    case nil:
      return Latch.testsFlag(expression, names: names) { node in
        node.as(FunctionCallExprSyntax.self).map { isHandlerCall($0.calledExpression.bare) } ?? false
      }
    default: return false
    }
  }

  func isTest(_ expression: ExprSyntax) -> Bool {
    decision(expression) != nil
  }
}
