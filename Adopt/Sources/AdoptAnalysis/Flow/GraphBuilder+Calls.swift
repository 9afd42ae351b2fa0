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
      arguments: call, name: name, dropsWithSelf: access != nil && Self.dependsOnSelf(call.calledExpression))
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
    arguments call: FunctionCallExprSyntax, name: String, dropsWithSelf: Bool = false
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
      || !runs.isEmpty && runs.allSatisfy { $0 == .once || $0 == .many || $0 == .onceSwallowing }
    if isRunner {
      hasThrown = true
    } else if isTrying {
      raise(at: call.startOffset, isCall: true)
    }
    guard !closures.isEmpty || !handedOn.isEmpty, let fork = current else { return }
    var skipped: Int?
    if dropsWithSelf {
      emit(.note(.selfIsGone), at: call.startOffset)
      emit(.leave(.closureReturns), at: call.startOffset)
      skipped = current
      current = fork
    }
    for argument in handedOn {
      let isHandler = argument.label.map { HandlerName.strength(of: $0) != .none } ?? false
      emit(isHandler ? .handOn : .escape, at: argument.expression.startOffset)
    }
    if areAlternatives {
      lower(alternatives: closures, among: arguments)
    } else {
      lower(closures: closures, runs: runs)
    }
    if dropsWithSelf { join([current, skipped], at: call.endPosition.utf8Offset) }
  }

  private mutating func lower(closures: [Argument], runs: [ClosureRun]) {
    for (argument, run) in zip(closures, runs) {
      guard current != nil, let closure = argument.expression.as(ClosureExprSyntax.self) else { return }
      if run == .unknown || runs.contains(.unknown) {
        emit(.escape, at: closure.startOffset)
      } else {
        inline(closure, run: run)
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
    if ClosureRun.returningNames.contains(name), Self.isValueUsed(call) { return .unknown }
    if name == "withTaskCancellationHandler" {
      return argument.label == nil || argument.label == "operation" ? .once : .unknown
    }
    if name == "scheduledTimer", call.arguments.contains(where: Self.isNotRepeating) { return .once }
    if ClosureRun.unknownNames.contains(name) || argument.label == "receiveCompletion" { return .unknown }
    if ClosureRun.swallowingNames.contains(name) { return .onceSwallowing }
    if ClosureRun.onceNames.contains(name) { return .once }
    if ClosureRun.manyNames.contains(name) { return .many }
    if let label = argument.label { return HandlerName.strength(of: label) == .strong ? .once : .unknown }
    guard argument.isTrailing, let closure = argument.expression.as(ClosureExprSyntax.self) else {
      return .unknown
    }
    if known.takesHandler.contains(name) || HandlerName.strength(of: name) == .strong { return .once }
    return ClosureRun.tellsOutcome(closure) && !ClosureRun.isKeeper(name) ? .once : .unknown
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

  /// Whether `self?` decides if a call is made at all.
  private static func dependsOnSelf(_ callee: ExprSyntax) -> Bool {
    var expression = callee
    for _ in 0..<64 {
      if let access = expression.as(MemberAccessExprSyntax.self), let base = access.base {
        expression = base
      } else if let chained = expression.as(OptionalChainingExprSyntax.self) {
        if name(chained.expression) == "self" { return true }
        expression = chained.expression
      } else {
        return false
      }
    }
    return false
  }
}
