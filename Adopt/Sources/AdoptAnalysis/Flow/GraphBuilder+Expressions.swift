import SwiftSyntax

extension GraphBuilder {
  /// Adds the steps of evaluating an expression, in order.
  mutating func lower(_ expression: ExprSyntax) {
    guard names.isRelevant(expression) else {
      if isTrying, expression.mayThrow { raise(at: expression.startOffset, isCall: true) }
      return
    }
    let label = label
    self.label = nil
    deeper(expression.position.utf8Offset) { builder in
      switch expression.as(ExprSyntaxEnum.self) {
      case .functionCallExpr(let call): builder.lower(call)
      case .declReferenceExpr(let reference): builder.lower(reference)
      case .memberAccessExpr(let access):
        if builder.refersToHandler(expression) {
          builder.graph.emit(.leavesVisibleCode, at: expression.startOffset)
        } else if builder.readsCount(access) || builder.readsOtherMember(access) {
          break
        } else if let base = access.base {
          builder.lower(base)
        }
      case .tryExpr(let attempt): builder.lower(attempt)
      case .sequenceExpr(let sequence):
        builder.trying(sequence.startsWithTry) { $0.lower(Array(sequence.elements)[...]) }
      case .ifExpr(let statement):
        builder.trying(false) { $0.lower(if: statement, label: label) }
      case .switchExpr(let statement):
        builder.trying(false) { $0.lower(switch: statement, label: label) }
      case .closureExpr(let closure):
        if builder.names.mayMentionHandler(closure) {
          builder.graph.emit(.leavesVisibleCode, at: closure.startOffset)
        }
      case .inOutExpr(let passed):
        if let name = passed.expression.plainName, case .variable(let index)? = builder.names.lookUp(name) {
          builder.graph.assign(index, .unknown, at: passed.startOffset)
        } else {
          builder.lower(passed.expression)
        }
      case .awaitExpr(let awaited): builder.lower(awaited.expression)
      case .keyPathExpr, .typeExpr, .simpleStringLiteralExpr, .regexLiteralExpr: break
      case .postfixIfConfigExpr(let conditional):
        if let base = conditional.base { builder.lower(base) }
        builder.lower(conditional: conditional.config)
      default: builder.lowerChildren(of: Syntax(expression))
      }
    }
  }

  /// Lowers the expressions in a node, in source order.
  mutating func lowerChildren(of node: Syntax) {
    for child in node.children(viewMode: .sourceAccurate) where names.isRelevant(child) {
      guard graph.current != nil, !graph.isBlocked else { return }
      if let expression = child.as(ExprSyntax.self) {
        lower(expression)
      } else if !child.is(TokenSyntax.self), !child.is(TypeSyntax.self) {
        deeper(child.position.utf8Offset) { $0.lowerChildren(of: child) }
      }
    }
  }

  private mutating func lower(_ reference: DeclReferenceExprSyntax) {
    switch names.lookUp(reference.baseName.text) {
    case .handler, .place, .holder, .duty: graph.emit(.leavesVisibleCode, at: reference.startOffset)
    // The receiver of the function may call it.
    case .function: graph.emit(.leavesVisibleCode, at: reference.startOffset)
    case .variable, .response, .latch, .other, nil: break
    }
  }

  mutating func trying(_ isTrying: Bool, _ body: (inout GraphBuilder) -> Void) {
    let outer = self.isTrying
    self.isTrying = isTrying || outer
    body(&self)
    self.isTrying = outer
  }

  mutating func trying(_ isTrying: Bool, _ body: (inout GraphBuilder) -> Tails) -> Tails {
    let outer = self.isTrying
    self.isTrying = isTrying || outer
    defer { self.isTrying = outer }
    return body(&self)
  }

  private mutating func lower(_ attempt: TryExprSyntax) {
    let outer = (isTrying, hasThrown, exits.catcher)
    let offset = attempt.startOffset
    isTrying = true
    hasThrown = false
    switch attempt.questionOrExclamationMark?.tokenKind {
    case .postfixQuestionMark:
      if names.isRelevant(attempt.expression) {
        let after = graph.step(.pass, at: attempt.endPosition.utf8Offset)
        exits.catchErrors(at: after)
        lower(attempt.expression)
        graph.go(to: after)
        graph.resume(at: after)
      }
    case .exclamationMark:
      exits.catcher = nil
      lower(attempt.expression)
    default:
      lower(attempt.expression)
      if !hasThrown { raise(at: offset, isCall: true) }
    }
    (isTrying, hasThrown, exits.catcher) = outer
    hasThrown = true
  }

  // MARK: - Sequences

  mutating func lower(_ elements: ArraySlice<ExprSyntax>) {
    guard let first = elements.first, let last = elements.last else { return }
    if elements.count == 1 {
      lower(first)
    } else if let sign = elements.firstIndex(where: { $0.is(AssignmentExprSyntax.self) }) {
      lower(assignment: elements[..<sign], value: elements[(sign + 1)...])
    } else if let mark = elements.firstIndex(where: { $0.is(UnresolvedTernaryExprSyntax.self) }),
      let ternary = elements[mark].as(UnresolvedTernaryExprSyntax.self), mark > elements.startIndex
    {
      let (yes, no) = branch(on: elements[..<mark])
      graph.current = yes
      graph.emit(.note(.isTrue), at: first.startOffset)
      lower(ternary.thenExpression)
      let tail = graph.current
      graph.current = no
      graph.emit(.note(.isFalse), at: first.startOffset)
      deeper(first.startOffset) { $0.lower(elements[(mark + 1)...]) }
      graph.join([tail, graph.current], at: last.endPosition.utf8Offset)
    } else if elements.contains(where: \.isShortCircuitOperator) {
      lower(shortCircuits: elements)
    } else {
      for element in elements {
        guard graph.current != nil else { return }
        lower(element)
      }
    }
  }

  /// Each operand after the first may be evaluated or not.
  private mutating func lower(shortCircuits elements: ArraySlice<ExprSyntax>) {
    var skipped: [Int?] = []
    for element in elements {
      guard graph.current != nil else { break }
      if element.isShortCircuitOperator {
        skipped.append(graph.current)
      } else {
        lower(element)
      }
    }
    graph.join(skipped + [graph.current], at: elements.last?.endPosition.utf8Offset ?? 0)
  }

  private mutating func lower(assignment target: ArraySlice<ExprSyntax>, value: ArraySlice<ExprSyntax>) {
    if let start = target.first?.startOffset, start == ignoredStore {
      graph.emitIgnoredStore(at: start)
      return
    }
    if let left = target.first, store(value, in: left) { return }
    if let left = target.first, let closure = value.first?.as(ClosureExprSyntax.self), value.count == 1,
      runsForEachEvent(closure, assignedTo: left)
    {
      inline(event: closure)
      return
    }
    deeper(value.first?.startOffset ?? 0) { $0.lower(value) }
    guard graph.current != nil, let left = target.first else { return }
    let offset = left.startOffset
    let truth = value.count == 1 ? value.first.map(\.truth) ?? .unknown : .unknown
    if subject.isStored, refersToHandler(left) {
      emit(replacing: left, with: value, at: offset)
    } else if let name = left.plainName, case .variable(let index)? = names.lookUp(name) {
      graph.assign(index, truth, at: offset)
    } else {
      lower(left)
    }
  }

  // MARK: - Recognizing the handler

  func refersToHandler(_ expression: ExprSyntax) -> Bool {
    let bare = expression.bare
    if let name = bare.plainName { return names.isHandler(name) }
    guard let ownership = subject.ownership else { return false }
    if let element = bare.as(SubscriptCallExprSyntax.self) {
      return refersToHandler(element.calledExpression)
    }
    guard let access = bare.as(MemberAccessExprSyntax.self), let base = access.base else { return false }
    let name = access.declName.baseName.text
    if isHolder(base) { return name == subject.name }
    if ownership.payload.members.contains(name), refersToHandler(base) { return true }
    let place = ownership.isBoxed ? ownership.holder : ownership.holder == nil ? subject.name : nil
    return name == place && base.bare.plainName == "self"
  }
}
