import SwiftSyntax

extension GraphBuilder {
  /// An argument, trailing closures among them.
  struct Argument {
    let label: String?
    let expression: ExprSyntax
    let isTrailing: Bool
  }

  mutating func lower(_ call: FunctionCallExprSyntax) {
    let callee = Self.bare(call.calledExpression)
    if isHandlerCall(callee) {
      lower(handlerCall: call)
      return
    }
    let access = callee.as(MemberAccessExprSyntax.self)
    let reference = access?.declName ?? callee.as(DeclReferenceExprSyntax.self)
    let name = reference?.baseName.text ?? ""
    if access == nil, case .function(let function)? = meaning(of: name) {
      lower(arguments: call, name: name)
      guard current != nil else { return }
      inline(function, at: call.startOffset)
      return
    }
    if let closure = callee.as(ClosureExprSyntax.self) {
      lower(arguments: call, name: "")
      if mentions.touch(closure) { inline(closure, run: .once) }
      return
    }
    if let base = access?.base {
      if name == "toggle", let flag = Self.name(base), case .variable(let index)? = meaning(of: flag) {
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
    site.arguments = judgedArguments(of: call)
    graph.calls.append(site)
    emit(.call(graph.calls.count - 1), at: site.offset)
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
    var handedOn: [Argument] = []
    for argument in arguments {
      guard current != nil else { return }
      if argument.expression.is(ClosureExprSyntax.self) {
        if mentions.touch(argument.expression) { closures.append(argument) }
      } else if refersToHandler(argument.expression) {
        handedOn.append(argument)
      } else {
        lower(argument.expression)
      }
    }
    guard current != nil else { return }
    let areAlternatives = Self.areAlternatives(among: arguments)
    let runs = areAlternatives ? [] : closures.map { run(of: $0, in: call, name: name) }
    let isRunner =
      areAlternatives && !closures.isEmpty
      || !runs.isEmpty && runs.allSatisfy { $0 != .onceStarted && $0 != .unknown }
    if isRunner {
      hasThrown = true
    } else if isTrying {
      raise(at: call.startOffset, isCall: true)
    }
    guard !closures.isEmpty || !handedOn.isEmpty, current != nil else { return }
    var skipped: Int?
    if let chained {
      skipped = skip(call, ifAbsent: chained)
    }
    for argument in handedOn {
      let isHandler = argument.label.map { HandlerName.strength(of: $0) != .none } ?? false
      emit(isHandler ? .handOn : .escape, at: argument.expression.startOffset)
    }
    if areAlternatives {
      lower(alternatives: closures, among: arguments)
    } else {
      lower(
        closures: closures, runs: runs,
        rounds: call.calledExpression.as(MemberAccessExprSyntax.self)?.base)
    }
    if skipped != nil { join([current, skipped], at: call.endPosition.utf8Offset) }
  }

  /// Where a call is not made, as what it is a call of is not there. What a property or a value that somebody made may be
  /// at that point is a matter of contracts elsewhere; a parameter is what the caller says.
  private mutating func skip(_ call: FunctionCallExprSyntax, ifAbsent name: String) -> Int? {
    let fork = current
    let offset = call.startOffset
    if name == "self" {
      emit(.note(.selfIsGone), at: offset)
      emit(.leave(.closureReturns), at: offset)
      defer { current = fork }
      return current
    }
    guard case .variable(let index)? = meaning(of: name), graph.variables[index].isParameter,
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

  private mutating func lower(closures: [Argument], runs: [ClosureRun], rounds: ExprSyntax?) {
    for (argument, run) in zip(closures, runs) {
      guard current != nil, let closure = argument.expression.as(ClosureExprSyntax.self) else { return }
      if run == .unknown || runs.contains(.unknown) {
        emit(.escape, at: closure.startOffset)
      } else {
        inline(closure, run: run, rounds: rounds)
      }
    }
  }

  /// Of `success:failure:` one runs. The one that does not mention the handler does not call it.
  private mutating func lower(alternatives closures: [Argument], among arguments: [Argument]) {
    let fork = current
    var tails: [Int?] = []
    for argument in arguments {
      guard let closure = argument.expression.as(ClosureExprSyntax.self) else { continue }
      current = fork
      emit(.note(.taken), at: closure.startOffset)
      inline(closure, run: .once)
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

  private func run(of argument: Argument, in call: FunctionCallExprSyntax, name: String) -> ClosureRun {
    if options.callsOnce.contains(name) { return .once }
    if isResponse(argument, of: call, name: name) { return .onceAnswered }
    if ClosureRun.returningNames.contains(name), Self.isValueUsed(call) { return .unknown }
    if name == "withTaskCancellationHandler" {
      return argument.label == nil || argument.label == "operation" ? .once : .unknown
    }
    if name == "scheduledTimer", call.arguments.contains(where: Self.isNotRepeating) { return .once }
    if ClosureRun.unknownNames.contains(name) || argument.label == "receiveCompletion" { return .unknown }
    if ClosureRun.swallowingNames.contains(name) { return .onceSwallowing }
    if ClosureRun.onceNames.contains(name) { return .once }
    let once = ClosureRun.makesObject(name) ? ClosureRun.onceStarted : .once
    if ClosureRun.manyNames.contains(name) { return .many }
    if let label = argument.label { return HandlerName.strength(of: label) == .strong ? once : .unknown }
    guard argument.isTrailing, let closure = argument.expression.as(ClosureExprSyntax.self) else {
      return .unknown
    }
    if known.takesHandler.contains(name) || HandlerName.strength(of: name) == .strong { return .once }
    if ClosureRun.ignoresError(closure, of: name) { return .once }
    return ClosureRun.tellsOutcome(closure) && !ClosureRun.isKeeper(name) ? once : .unknown
  }

  /// Whether a closure is called by Alamofire when a request has finished.
  private func isResponse(_ argument: Argument, of call: FunctionCallExprSyntax, name: String) -> Bool {
    known.importsAlamofire && ClosureRun.responseNames.contains(name)
      && call.calledExpression.is(MemberAccessExprSyntax.self)
      && (argument.label ?? "completionHandler") == "completionHandler"
  }

  /// Whether something looks at what a call returns, and stays in the same function.
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
    argument.label?.text == "repeats" && truth(argument.expression) == .no
  }

  /// The name before the first `?` of a callee: whether it is there decides if a call is made at all.
  private static func chainedName(_ callee: ExprSyntax) -> String? {
    var expression = callee
    for _ in 0..<64 {
      if let access = expression.as(MemberAccessExprSyntax.self), let base = access.base {
        expression = base
      } else if let chained = expression.as(OptionalChainingExprSyntax.self) {
        if let name = name(chained.expression) { return name }
        expression = chained.expression
      } else {
        return nil
      }
    }
    return nil
  }
}
