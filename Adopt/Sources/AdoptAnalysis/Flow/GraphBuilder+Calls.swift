import SwiftSyntax

extension GraphBuilder {
  /// An argument of a call, including trailing closures.
  struct Argument {
    let label: String?
    let expression: ExprSyntax
    let isTrailing: Bool
  }

  mutating func lower(_ call: FunctionCallExprSyntax) {
    let callee = call.calledExpression.bare
    if isHandlerCall(callee) {
      lower(handlerCall: call)
      return
    }
    let access = callee.as(MemberAccessExprSyntax.self)
    let reference = access?.declName ?? callee.as(DeclReferenceExprSyntax.self)
    let name = reference?.baseName.text ?? ""
    if access == nil, case .function(let function)? = lookUp(name) {
      lower(arguments: call, name: name)
      guard current != nil else { return }
      inline(function, at: call.startOffset)
      return
    }
    if let closure = callee.as(ClosureExprSyntax.self) {
      lower(arguments: call, name: "")
      if mentions.touch(closure) { inline(closure, execution: .once) }
      return
    }
    if let base = access?.base {
      if name == "toggle", let flag = base.plainName, case .variable(let index)? = lookUp(flag) {
        assign(index, .unknown, at: call.startOffset)
        return
      }
      lower(base)
    } else if reference == nil {
      lower(call.calledExpression)
    }
    guard current != nil else { return }
    lower(
      arguments: call, name: name,
      chained: Self.isValueUsed(call) ? nil : Self.chainedName(call.calledExpression))
    if known.neverReturning.contains(name),
      access == nil || access?.base?.is(DeclReferenceExprSyntax.self) == true
    {
      current = nil
    }
  }

  private func isHandlerCall(_ callee: ExprSyntax) -> Bool {
    if let access = callee.as(MemberAccessExprSyntax.self), let base = access.base {
      let wanted = subject.isContinuation ? "resume" : "callAsFunction"
      return access.declName.baseName.text == wanted && refersToHandler(base)
    }
    return !subject.isContinuation && refersToHandler(callee)
  }

  private mutating func lower(handlerCall call: FunctionCallExprSyntax) {
    for argument in Self.arguments(of: call) { lower(argument.expression) }
    guard current != nil else { return }
    var site = CallSite(syntax: call, offset: call.startOffset)
    site.arguments = checkedArguments(of: call)
    graph.calls.append(site)
    emit(.call(graph.calls.count - 1), at: site.offset)
  }

  /// Returns the arguments of a call of a handler that takes optional values and an error.
  mutating func checkedArguments(of call: FunctionCallExprSyntax) -> [CallSite.Argument] {
    guard takesNothing, call.trailingClosure == nil, call.arguments.count >= 2 else { return [] }
    return call.arguments.map { argument in
      let value = argument.expression
      if value.is(NilLiteralExprSyntax.self) { return .none }
      if let name = value.plainName, case .variable(let index)? = lookUp(name) {
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

  private static func arguments(of call: FunctionCallExprSyntax) -> [Argument] {
    var arguments = call.arguments.map {
      Argument(label: $0.label?.text, expression: $0.expression, isTrailing: false)
    }
    if let closure = call.trailingClosure {
      arguments.append(Argument(label: nil, expression: ExprSyntax(closure), isTrailing: true))
    }
    for trailing in call.additionalTrailingClosures {
      arguments.append(
        Argument(label: trailing.label.text, expression: ExprSyntax(trailing.closure), isTrailing: true))
    }
    return arguments
  }

  private mutating func lower(
    arguments call: FunctionCallExprSyntax, name: String, chained: String? = nil
  ) {
    let arguments = Self.arguments(of: call)
    var closures: [Argument] = []
    var passedOn: [Argument] = []
    for argument in arguments {
      guard current != nil else { return }
      if argument.expression.is(ClosureExprSyntax.self) {
        if mentions.touch(argument.expression) { closures.append(argument) }
      } else if refersToHandler(argument.expression) {
        passedOn.append(argument)
      } else {
        lower(argument.expression)
      }
    }
    guard current != nil else { return }
    let areAlternatives = Self.areAlternatives(among: arguments)
    let executions = areAlternatives ? [] : closures.map { execution(of: $0, in: call, name: name) }
    let isRunner =
      areAlternatives && !closures.isEmpty
      || !executions.isEmpty && executions.allSatisfy { $0 != .onceStarted && $0 != .unknown }
    if isRunner {
      hasThrown = true
    } else if isTrying {
      raise(at: call.startOffset, isCall: true)
    }
    guard !closures.isEmpty || !passedOn.isEmpty, current != nil else { return }
    var skipped: Int?
    if let chained {
      skipped = lowerSkippedCall(call, ifNil: chained)
    }
    for argument in passedOn {
      let isHandler = argument.label.map { HandlerName.strength(of: $0) != .none } ?? false
      emit(isHandler ? .passOn : .leavesVisibleCode, at: argument.expression.startOffset)
    }
    if areAlternatives {
      lower(alternatives: closures, among: arguments)
    } else {
      lower(
        closures: closures, executions: executions,
        sequence: call.calledExpression.as(MemberAccessExprSyntax.self)?.base)
    }
    if skipped != nil { join([current, skipped], at: call.endPosition.utf8Offset) }
  }

  /// Returns the path on which a call is skipped because its optional receiver is nil.
  ///
  /// Only parameters and `self` are considered: callers may pass nil. Whether other values can be nil at this point
  /// depends on code elsewhere.
  private mutating func lowerSkippedCall(_ call: FunctionCallExprSyntax, ifNil name: String) -> Int? {
    let fork = current
    let offset = call.startOffset
    if name == "self" {
      emit(.note(.selfIsGone), at: offset)
      emit(.leave(.closureReturns), at: offset)
      defer { current = fork }
      return current
    }
    guard case .variable(let index)? = lookUp(name), graph.variables[index].isParameter,
      graph.variables[index].assignments.isEmpty
    else { return nil }
    graph.variables[index].uses += 2
    emit(.suppose(variable: index, .no), at: offset)
    emit(.note(.isNil(name)), at: offset)
    let skipped = current
    current = fork
    emit(.assume(variable: index, .yes), at: offset)
    return skipped
  }

  private mutating func lower(closures: [Argument], executions: [ClosureExecution], sequence: ExprSyntax?) {
    for (argument, execution) in zip(closures, executions) {
      guard current != nil, let closure = argument.expression.as(ClosureExprSyntax.self) else { return }
      if execution == .unknown || executions.contains(.unknown) {
        emit(.leavesVisibleCode, at: closure.startOffset)
      } else {
        inline(closure, execution: execution, sequence: sequence)
      }
    }
  }

  /// Follows `success:failure:` closures, of which one runs. A closure that does not mention the handler does not call
  /// it.
  private mutating func lower(alternatives closures: [Argument], among arguments: [Argument]) {
    let fork = current
    var tails: [Int?] = []
    for argument in arguments {
      guard let closure = argument.expression.as(ClosureExprSyntax.self) else { continue }
      current = fork
      emit(.note(.taken), at: closure.startOffset)
      inline(closure, execution: .once)
      tails.append(current)
    }
    join(tails, at: closures.last?.expression.endPosition.utf8Offset ?? 0)
  }

  private static func areAlternatives(among arguments: [Argument]) -> Bool {
    let closures = arguments.filter { $0.expression.is(ClosureExprSyntax.self) }
    guard closures.count == 2, let second = closures[1].label?.lowercased() else { return false }
    let first = closures[0].label?.lowercased() ?? "success"
    return first.contains("success") && (second.contains("fail") || second.contains("error"))
  }

  private func execution(
    of argument: Argument, in call: FunctionCallExprSyntax, name: String
  ) -> ClosureExecution {
    if options.callsOnce.contains(name) { return .once }
    if isResponse(argument, of: call, name: name) { return .onceWithResponse }
    if ClosureExecution.returningNames.contains(name), Self.isValueUsed(call) { return .unknown }
    if name == "withTaskCancellationHandler" {
      return argument.label == nil || argument.label == "operation" ? .once : .unknown
    }
    if name == "scheduledTimer", call.arguments.contains(where: Self.isNotRepeating) { return .once }
    if ClosureExecution.unknownNames.contains(name) || argument.label == "receiveCompletion" {
      return .unknown
    }
    if ClosureExecution.swallowingNames.contains(name) { return .onceSwallowing }
    if ClosureExecution.onceNames.contains(name) { return .once }
    let once = ClosureExecution.makesObject(name) ? ClosureExecution.onceStarted : .once
    if ClosureExecution.manyNames.contains(name) { return .many }
    if let label = argument.label { return HandlerName.strength(of: label) == .strong ? once : .unknown }
    guard argument.isTrailing, let closure = argument.expression.as(ClosureExprSyntax.self) else {
      return .unknown
    }
    if known.takesHandler.contains(name) || HandlerName.strength(of: name) == .strong { return .once }
    if ClosureExecution.ignoresError(closure, of: name) { return .once }
    return ClosureExecution.takesOutcome(closure) && !ClosureExecution.storesClosure(name) ? once : .unknown
  }

  /// Returns whether Alamofire calls a closure when a request has finished.
  private func isResponse(_ argument: Argument, of call: FunctionCallExprSyntax, name: String) -> Bool {
    known.importsAlamofire && ClosureExecution.responseNames.contains(name)
      && call.calledExpression.is(MemberAccessExprSyntax.self)
      && (argument.label ?? "completionHandler") == "completionHandler"
  }

  /// Returns whether the function itself uses the result of a call.
  private static func isValueUsed(_ call: FunctionCallExprSyntax) -> Bool {
    var parent = call.parent
    while let node = parent {
      if node.is(TryExprSyntax.self) || node.is(AwaitExprSyntax.self) {
        parent = node.parent
      } else {
        return !node.is(CodeBlockItemSyntax.self) && !node.is(ReturnStmtSyntax.self)
      }
    }
    return false
  }

  private static func isNotRepeating(_ argument: LabeledExprSyntax) -> Bool {
    argument.label?.text == "repeats" && argument.expression.truth == .no
  }

  /// Returns the name before the first `?` of a callee. The call is only made if that value is not nil.
  private static func chainedName(_ callee: ExprSyntax) -> String? {
    var expression = callee
    for _ in 0..<64 {
      if let access = expression.as(MemberAccessExprSyntax.self), let base = access.base {
        expression = base
      } else if let chained = expression.as(OptionalChainingExprSyntax.self) {
        if let name = chained.expression.plainName { return name }
        expression = chained.expression
      } else {
        return nil
      }
    }
    return nil
  }
}
