import SwiftSyntax

/// Continuations that are only a part of what a property stores: in a struct, a tuple, or a case of an enum.
extension GraphBuilder {
  private var payload: ContinuationPayload? { subject.ownership?.payload }

  /// Returns `value` of `value.continuation`, if that member is the continuation.
  func continuationBase(of expression: ExprSyntax) -> ExprSyntax? {
    guard let payload, let access = expression.as(MemberAccessExprSyntax.self),
      payload.members.contains(access.declName.baseName.text)
    else { return nil }
    return access.base
  }

  /// Returns whether an expression is the struct of which the subject is a member.
  func isHolder(_ expression: ExprSyntax) -> Bool {
    guard let ownership = subject.ownership, let holder = ownership.holder else { return false }
    let bare = expression.bare
    if let name = bare.plainName {
      if case .holder? = names.lookUp(name) { return true }
      return false
    }
    return !ownership.isBoxed && bare.ownName == holder
  }

  /// Returns whether a member is stored beside the continuation.
  func readsOtherMember(_ access: MemberAccessExprSyntax) -> Bool {
    guard let ownership = subject.ownership, let base = access.base else { return false }
    let name = access.declName.baseName.text
    if ownership.payload.otherMembers.contains(name) { return refersToHandler(base) }
    return ownership.otherMembers.contains(name) && isHolder(base)
  }

  // MARK: - Tuples

  /// Declares the names of a tuple pattern such as `(id, continuation)`.
  mutating func declareTaken(_ pattern: PatternSyntax) {
    guard let position = payload?.position, let elements = Self.tupleElements(pattern) else {
      names.declareNames(in: pattern)
      return
    }
    for (index, element) in elements.enumerated() {
      guard let element else { continue }
      if index == position, let name = element.as(IdentifierPatternSyntax.self)?.identifier.text {
        makeRelevant(name, isHandler: true)
        names.declare(name, .handler)
      } else {
        names.declareNames(in: element)
      }
    }
  }

  /// Returns the patterns in a tuple pattern. In `if let (id, continuation) = …`, it is parsed as an expression.
  private static func tupleElements(_ pattern: PatternSyntax) -> [PatternSyntax?]? {
    if let tuple = pattern.as(TuplePatternSyntax.self) { return tuple.elements.map(\.pattern) }
    guard let tuple = pattern.as(ExpressionPatternSyntax.self)?.expression.as(TupleExprSyntax.self) else {
      return nil
    }
    return tuple.elements.map { $0.expression.as(PatternExprSyntax.self)?.pattern }
  }

  /// Follows `let (id, continuation) = …`.
  mutating func take(_ value: ExprSyntax, as pattern: PatternSyntax) -> Bool {
    guard subject.isStored, payload?.position != nil, Self.tupleElements(pattern) != nil, take(value)
    else { return false }
    declareTaken(pattern)
    return true
  }

  // MARK: - Cases of enums

  private struct StatePattern {
    let name: String
    /// The names that its values are bound to, by position.
    let bound: [String?]
    /// Whether it matches each value of the case.
    let takesAll: Bool
  }

  /// Returns whether an expression is an enum that stores the continuation.
  func isState(_ expression: ExprSyntax) -> Bool {
    subject.isStored && payload?.isState == true && isPlace(expression)
  }

  private static func statePattern(_ pattern: PatternSyntax) -> StatePattern? {
    var pattern = pattern
    if let binding = pattern.as(ValueBindingPatternSyntax.self) { pattern = binding.pattern }
    guard let expression = pattern.as(ExpressionPatternSyntax.self)?.expression else { return nil }
    if let access = expression.as(MemberAccessExprSyntax.self) {
      return StatePattern(name: access.declName.baseName.text, bound: [], takesAll: true)
    }
    guard let call = expression.as(FunctionCallExprSyntax.self),
      let access = call.calledExpression.as(MemberAccessExprSyntax.self)
    else { return nil }
    var bound: [String?] = []
    var takesAll = true
    for argument in call.arguments {
      var inner = argument.expression.as(PatternExprSyntax.self)?.pattern
      if let binding = inner?.as(ValueBindingPatternSyntax.self) { inner = binding.pattern }
      let name = inner?.as(IdentifierPatternSyntax.self)?.identifier.text
      bound.append(name)
      let isWildcard =
        argument.expression.is(DiscardAssignmentExprSyntax.self)
        || inner?.is(WildcardPatternSyntax.self) == true
      if name == nil, !isWildcard { takesAll = false }
    }
    return StatePattern(name: access.declName.baseName.text, bound: bound, takesAll: takesAll)
  }

  /// Returns the name that a pattern binds the continuation to.
  private func carriedName(_ pattern: StatePattern) -> String? {
    guard let position = payload?.cases[pattern.name], position < pattern.bound.count else { return nil }
    return pattern.bound[position]
  }

  /// Returns the names that patterns in a node bind the continuation to.
  func carriedNames(in node: Syntax) -> Set<String> {
    guard payload?.isState == true else { return [] }
    var found: Set<String> = []
    var pending = [node]
    while let node = pending.popLast() {
      if let pattern = node.as(PatternSyntax.self).flatMap(Self.statePattern), let name = carriedName(pattern)
      {
        found.insert(name)
      }
      pending += node.children(viewMode: .sourceAccurate)
    }
    return found
  }

  /// Follows a pattern that tests the enum. Nil if the pattern is not one of its cases.
  mutating func branch(onState pattern: PatternSyntax, hasCondition: Bool) -> Tails? {
    guard let payload, let state = Self.statePattern(pattern) else { return nil }
    let offset = pattern.startOffset
    let fork = graph.current
    let isComplete = state.takesAll && !hasCondition
    if payload.otherCases.contains(state.name) {
      let tails = graph.forkOnPlace(at: offset)
      return (tails.no, isComplete && payload.otherCases.count == 1 ? tails.yes : fork)
    }
    guard payload.cases[state.name] != nil else { return nil }
    let tails = graph.forkOnPlace(at: offset)
    let yes = carriedName(state) == nil ? tails.yes : alias(tails.yes, at: offset)
    return (yes, isComplete && payload.cases.count == 1 ? tails.no : fork)
  }

  /// Follows a case of a `switch` with several patterns.
  mutating func enter(states patterns: [PatternSyntax]) {
    guard let payload, let first = patterns.first, graph.current != nil else { return }
    let states = patterns.compactMap(Self.statePattern)
    guard states.count == patterns.count else { return }
    if states.allSatisfy({ payload.otherCases.contains($0.name) }) {
      graph.emit(.holds(.no), at: first.startOffset)
    } else if states.allSatisfy({ payload.cases[$0.name] != nil }) {
      graph.emit(.holds(.yes), at: first.startOffset)
      if states.contains(where: { carriedName($0) != nil }) { graph.emit(.alias, at: first.startOffset) }
    }
  }

  /// Declares the names of a pattern that tests the enum.
  mutating func declareNames(ofState pattern: PatternSyntax) {
    names.declareNames(in: pattern)
    if let state = Self.statePattern(pattern), let name = carriedName(state) {
      makeRelevant(name, isHandler: true)
      names.declare(name, .handler)
    }
  }

  /// Returns the tails of `state == .idle` or `state != .idle`.
  mutating func branch(onState elements: ArraySlice<ExprSyntax>) -> Tails? {
    guard elements.count == 3, let left = elements.first, isState(left), let payload,
      let name = elements.last?.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
      payload.otherCases.contains(name),
      let sign = elements[elements.startIndex + 1].as(BinaryOperatorExprSyntax.self)?.operator.text,
      sign == "==" || sign == "!="
    else { return nil }
    let fork = graph.current
    let tails = graph.forkOnPlace(at: left.startOffset)
    let others = payload.otherCases.count == 1 ? tails.yes : fork
    return sign == "==" ? (tails.no, others) : (others, tails.no)
  }

  /// Follows an assignment of another case to the enum.
  mutating func emit(state value: ExprSyntax?, at offset: Int) {
    let call = value?.as(FunctionCallExprSyntax.self)
    guard let payload, let callee = call?.calledExpression ?? value,
      let name = callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    else {
      graph.emit(.leavesVisibleCode, at: offset)
      return
    }
    if payload.otherCases.contains(name) {
      graph.emit(.leaveState, at: offset)
      graph.emit(.note(.leavesProperty), at: offset)
    } else if let position = payload.cases[name], let call, position < call.arguments.count {
      graph.emit(.replace(.yes), at: offset)
      declareStored(Array(call.arguments)[position].expression)
    } else {
      graph.emit(.leavesVisibleCode, at: offset)
    }
  }
}
