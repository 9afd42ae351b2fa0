import SwiftSyntax

extension GraphBuilder {
  mutating func lower(_ call: FunctionCallExprSyntax) {
    let callee = call.calledExpression.bare
    if isHandlerCall(callee) {
      lower(handlerCall: call)
      return
    }
    let access = callee.as(MemberAccessExprSyntax.self)
    let reference = access?.declName ?? callee.as(DeclReferenceExprSyntax.self)
    let name = reference?.baseName.text ?? ""
    if subject.isStored, lower(ownership: call, access: access, name: name) { return }
    if changesKeeper(access) {
      lower(keeper: call)
      return
    }
    if access == nil, case .duty? = names.lookUp(name) {
      graph.emit(.leavesVisibleCode, at: call.startOffset)
      return
    }
    if access == nil, case .function(let function)? = names.lookUp(name) {
      lower(arguments: call, name: name)
      guard graph.current != nil else { return }
      inline(function, at: call.startOffset)
      return
    }
    if let closure = callee.as(ClosureExprSyntax.self) {
      lower(arguments: call, name: "")
      if names.mayMentionHandler(closure) { inline(closure, execution: .once) }
      return
    }
    if let base = access?.base {
      if name == "toggle", let flag = base.plainName, case .variable(let index)? = names.lookUp(flag) {
        graph.assign(index, .unknown, at: call.startOffset)
        return
      }
      lower(base)
    } else if reference == nil {
      lower(call.calledExpression)
    }
    guard graph.current != nil else { return }
    lower(
      arguments: call, name: name,
      chained: call.isValueUsed ? nil : call.chainedName)
    // The base of `.abort()` is a type that is not written.
    guard access == nil || access?.base != nil else { return }
    if classifier.known.neverReturns(
      name, base: access?.base, isLocal: access == nil && names.lookUp(name) != nil)
    {
      graph.current = nil
    }
  }

  func isHandlerCall(_ callee: ExprSyntax) -> Bool {
    if let access = callee.as(MemberAccessExprSyntax.self), let base = access.base {
      let wanted = subject.isContinuation ? "resume" : "callAsFunction"
      return access.declName.baseName.text == wanted && (refersToHandler(base) || isTaker(base) != nil)
    }
    return !subject.isContinuation && refersToHandler(callee)
  }

  private mutating func lower(handlerCall call: FunctionCallExprSyntax) {
    for argument in call.allArguments { lower(argument.expression) }
    guard graph.current != nil else { return }
    var site = CallSite(syntax: call, offset: call.startOffset)
    site.isForEachEvent = eventDepth > 0
    if subject.isStored, let base = call.calledExpression.bare.as(MemberAccessExprSyntax.self)?.base {
      if let taker = isTaker(base) { lower(taking: taker) }
      site.isThroughProperty = isPlace(base)
    }
    guard graph.current != nil else { return }
    site.arguments = checkedArguments(of: call)
    graph.emit(call: site)
  }

  /// Returns the arguments of a call of a handler that takes optional values and an error.
  mutating func checkedArguments(of call: FunctionCallExprSyntax) -> [CallSite.Argument] {
    guard takesNothing, call.trailingClosure == nil, call.arguments.count >= 2 else { return [] }
    return call.arguments.map { argument in
      let value = argument.expression
      if value.is(NilLiteralExprSyntax.self) { return .none }
      if let name = value.plainName, case .variable(let index)? = names.lookUp(name) {
        graph.variables[index].uses += 1
        return .variable(index)
      }
      if let origin = value.optionalOrigin { return .maybe(origin) }
      return .other
    }
  }

  /// Whether all values are optional, so that a call can have neither a value nor an error.
  private var takesNothing: Bool {
    guard case .valuesAndError(let values, _)? = subject.handler?.shape else { return false }
    return values.allSatisfy { $0.type.wrappedOptional != nil }
  }

  // MARK: - Other functions

  private mutating func lower(
    arguments call: FunctionCallExprSyntax, name: String, chained: String? = nil
  ) {
    let arguments = call.allArguments
    var closures: [CallArgument] = []
    var passedOn: [CallArgument] = []
    for argument in arguments {
      guard graph.current != nil else { return }
      if argument.expression.is(ClosureExprSyntax.self) {
        if names.mayMentionHandler(argument.expression) { closures.append(argument) }
      } else if refersToHandler(argument.expression) {
        passedOn.append(argument)
      } else {
        lower(argument.expression)
      }
    }
    guard graph.current != nil else { return }
    let areAlternatives = CallClassifier.areAlternatives(among: arguments)
    let executions =
      areAlternatives ? [] : closures.map { classifier.execution(of: $0, in: call, name: name) }
    let isRunner =
      areAlternatives && !closures.isEmpty
      || !executions.isEmpty && executions.allSatisfy { $0 != .onceStarted && $0 != .unknown }
    if isRunner {
      hasThrown = true
    } else if isTrying {
      raise(at: call.startOffset, isCall: true)
    }
    guard !closures.isEmpty || !passedOn.isEmpty, graph.current != nil else { return }
    if passedOn.isEmpty, closures.count == 1, let closure = closures[0].expression.as(ClosureExprSyntax.self),
      runsForEachEvent(closure, passedTo: name, in: call)
    {
      inline(event: closure)
      return
    }
    var skipped: Int?
    if let chained {
      skipped = lowerSkippedCall(call, ifNil: chained)
    }
    for argument in passedOn {
      let isHandler = argument.label.map { HandlerName.strength(of: $0) != .none } ?? false
      graph.emit(isHandler ? .passOn : .leavesVisibleCode, at: argument.expression.startOffset)
    }
    if areAlternatives {
      lower(alternatives: closures, among: arguments)
    } else {
      lower(
        closures: closures, executions: executions,
        sequence: call.calledExpression.as(MemberAccessExprSyntax.self)?.base)
    }
    if skipped != nil { graph.join([graph.current, skipped], at: call.endPosition.utf8Offset) }
  }

  /// Returns the path on which a call is skipped because its optional receiver is nil.
  ///
  /// Only parameters and `self` are considered: callers may pass nil. Whether other values can be nil at this point
  /// depends on code elsewhere.
  private mutating func lowerSkippedCall(_ call: FunctionCallExprSyntax, ifNil name: String) -> Int? {
    let fork = graph.current
    let offset = call.startOffset
    if name == "self" {
      graph.emit(.note(.selfIsGone), at: offset)
      graph.emit(.leave(.closureReturns), at: offset)
      defer { graph.current = fork }
      return graph.current
    }
    guard case .variable(let index)? = names.lookUp(name),
      graph.variables[index].isParameter || graph.variables[index].isWeak,
      graph.variables[index].assignments.isEmpty
    else { return nil }
    graph.variables[index].uses += 2
    graph.emit(.suppose(variable: index, .no), at: offset)
    graph.emit(.note(graph.variables[index].isWeak ? .isGone(name) : .isNil(name)), at: offset)
    if graph.variables[index].isWeak { graph.emit(.leave(.closureReturns), at: offset) }
    let skipped = graph.current
    graph.current = fork
    graph.emit(.assume(variable: index, .yes), at: offset)
    return skipped
  }

  private mutating func lower(closures: [CallArgument], executions: [ClosureExecution], sequence: ExprSyntax?)
  {
    for (argument, execution) in zip(closures, executions) {
      guard graph.current != nil, let closure = argument.expression.as(ClosureExprSyntax.self) else { return }
      if execution == .unknown || executions.contains(.unknown) {
        graph.emit(.leavesVisibleCode, at: closure.startOffset)
      } else {
        inline(closure, execution: execution, sequence: sequence)
      }
    }
  }

  /// Follows `success:failure:` closures, of which one runs. A closure that does not mention the handler does not call
  /// it.
  private mutating func lower(alternatives closures: [CallArgument], among arguments: [CallArgument]) {
    let fork = graph.current
    var tails: [Int?] = []
    for argument in arguments {
      guard let closure = argument.expression.as(ClosureExprSyntax.self) else { continue }
      graph.current = fork
      graph.emit(.note(.taken), at: closure.startOffset)
      inline(closure, execution: .once)
      tails.append(graph.current)
    }
    graph.join(tails, at: closures.last?.expression.endPosition.utf8Offset ?? 0)
  }
}
