import SwiftSyntax

/// What a check of a stored continuation needs to know about its property and its type.
struct Ownership {
  enum Kind {
    case optional, collection
    /// A value behind a lock, such as `Mutex`.
    case box
  }

  let kind: Kind
  /// The other functions of the type that mention the property, by name.
  let methods: [(name: String, function: NameTable.LocalFunction)]
  /// The names of functions of the type that cannot be followed, because several have the name.
  let opaque: Set<String>
  /// Whether it is an error that the property still stores a continuation that was resumed.
  let reportsKept: Bool
}

extension GraphBuilder {
  private static let takingNames: Set<String> = [
    "take", "removeFirst", "removeLast", "popFirst", "popLast", "removeValue", "remove",
  ]
  private static let lockNames: Set<String> = [
    "withLock", "withLockUnchecked", "withLockedValue", "withCriticalRegion", "sync", "withValue", "mutate",
    "write",
  ]
  private static let countNames: Set<String> = [
    "count", "isEmpty", "keys", "capacity", "indices", "underestimatedCount",
  ]

  mutating func declareMethods(_ ownership: Ownership) {
    for name in ownership.opaque {
      makeRelevant(name, isHandler: true)
      names.declare(name, .duty)
    }
    for (name, function) in ownership.methods {
      makeRelevant(name, isHandler: true)
      names.declare(name, .function(function))
    }
    typeNameCount = names.count + 1
  }

  // MARK: - Expressions that stand for the continuation

  /// Returns whether an expression is the property, or an element of it.
  func isPlace(_ expression: ExprSyntax) -> Bool {
    let bare = expression.bare
    if let element = bare.as(SubscriptCallExprSyntax.self) { return isPlace(element.calledExpression) }
    if let name = bare.plainName {
      if case .place? = names.lookUp(name) { return true }
      return false
    }
    return bare.is(MemberAccessExprSyntax.self) && refersToHandler(bare)
  }

  /// Returns the call if it takes the continuation out of its property and returns it.
  func isTaker(_ expression: ExprSyntax) -> FunctionCallExprSyntax? {
    guard subject.isStored else { return nil }
    var expression = expression.bare
    if let awaited = expression.as(AwaitExprSyntax.self) { expression = awaited.expression.bare }
    guard let call = expression.as(FunctionCallExprSyntax.self) else { return nil }
    let callee = call.calledExpression.bare
    if let access = callee.as(MemberAccessExprSyntax.self), let base = access.base {
      let name = access.declName.baseName.text
      if Self.takingNames.contains(name), isPlace(base) { return call }
      if Self.lockNames.contains(name), let closure = call.lastClosure {
        return returnsContinuation(closure, isBox: isPlace(base)) ? call : nil
      }
    }
    return method(callee)?.returnsContinuation == true ? call : nil
  }

  private func method(_ callee: ExprSyntax) -> NameTable.LocalFunction? {
    guard let name = callee.ownName, case .function(let function)? = names.lookUp(name), function.isMethod
    else {
      return nil
    }
    return function
  }

  /// Returns whether a closure under a lock returns the continuation that it reads.
  private func returnsContinuation(_ closure: ClosureExprSyntax, isBox: Bool) -> Bool {
    var sources: Set<String> = [subject.name]
    if isBox { sources.formUnion(closure.parameterNames.isEmpty ? ["$0"] : closure.parameterNames) }
    var results: [ExprSyntax] = []
    if closure.statements.count == 1, case .expr(let only)? = closure.statements.first?.item {
      results = [only]
    }
    for item in closure.statements {
      if let variable = item.item.as(VariableDeclSyntax.self) {
        for binding in variable.bindings {
          if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let source = binding.initializer?.value.bare.ownName, sources.contains(source)
          {
            sources.insert(name)
          }
        }
      } else if let value = item.item.as(ReturnStmtSyntax.self)?.expression {
        results.append(value)
      }
    }
    return results.contains { result in
      var result = result.bare
      if let call = result.as(FunctionCallExprSyntax.self),
        let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        Self.takingNames.contains(access.declName.baseName.text), let base = access.base
      {
        result = base.bare
      }
      return result.ownName.map(sources.contains) ?? false
    }
  }

  func readsCount(_ access: MemberAccessExprSyntax) -> Bool {
    guard subject.isStored, let base = access.base, refersToHandler(base) else { return false }
    return Self.countNames.contains(access.declName.baseName.text)
  }

  // MARK: - Taking the continuation out

  mutating func lower(taking call: FunctionCallExprSyntax) {
    let callee = call.calledExpression.bare
    if let function = method(callee) {
      for argument in call.allArguments { lower(argument.expression) }
      inline(function, at: call.startOffset)
      graph.emit(.alias, at: call.startOffset)
    } else if let access = callee.as(MemberAccessExprSyntax.self), let base = access.base,
      Self.lockNames.contains(access.declName.baseName.text)
    {
      if let closure = call.lastClosure { inline(locked: closure, isBox: isPlace(base)) }
      graph.emit(.alias, at: call.startOffset)
    } else if subject.ownership?.kind == .collection {
      graph.emit(.take, at: call.startOffset)
      graph.emit(.note(.takenOut), at: call.startOffset)
    } else {
      graph.emit(.alias, at: call.startOffset)
      graph.emit(.clear, at: call.startOffset)
    }
  }

  /// Follows `let name = continuation`, or another expression that stands for the continuation.
  mutating func take(_ value: ExprSyntax, as name: String) -> Bool {
    if let call = isTaker(value) {
      lower(taking: call)
    } else if refersToHandler(value) || isElement(value) {
      graph.emit(.alias, at: value.startOffset)
    } else {
      return false
    }
    makeRelevant(name, isHandler: true)
    names.declare(name, .handler)
    return true
  }

  /// Follows `if let name = continuations.popLast()`.
  mutating func branch(taking value: ExprSyntax, bound: String) -> (
    yes: Int?, no: Int?, failure: Graph.Remark
  )? {
    guard let call = isTaker(value) else { return nil }
    lower(taking: call)
    let tails = assume(Graph.handler, at: value.startOffset)
    if bound != "_" { makeRelevant(bound, isHandler: true) }
    names.declare(bound, .handler)
    return (tails.yes, tails.no, .isNil(subject.name))
  }

  /// Returns a step at which a local name stands for the stored continuation.
  mutating func alias(_ step: Int?, at offset: Int) -> Int? {
    guard subject.isStored else { return step }
    let outer = graph.current
    graph.current = step
    graph.emit(.alias, at: offset)
    defer { graph.current = outer }
    return graph.current
  }

  /// Returns whether a `return` in a method or closure hands the continuation to the code that is followed.
  mutating func returnsOwned(_ expression: ExprSyntax) -> Bool {
    guard subject.isStored, methodDepth > 0 else { return false }
    if let call = isTaker(expression) {
      lower(taking: call)
      return true
    }
    guard refersToHandler(expression) else { return false }
    // The value is read before deferred blocks change the property.
    graph.emit(.alias, at: expression.startOffset)
    return true
  }

  // MARK: - Elements of collections

  /// Returns whether an expression is `first`, `last` or `values` of the collection.
  private func isElement(_ expression: ExprSyntax) -> Bool {
    guard let access = expression.bare.as(MemberAccessExprSyntax.self), let base = access.base else {
      return false
    }
    return ["first", "last", "values"].contains(access.declName.baseName.text) && refersToHandler(base)
  }

  /// Returns whether a loop over a sequence runs for the continuations of the collection.
  func elements(of sequence: ExprSyntax) -> Bool {
    refersToHandler(sequence) || isElement(sequence)
  }

  /// Follows a loop over all continuations as if there were one or none.
  mutating func lower(elementsOf statement: ForStmtSyntax, label: String?) {
    let exit = graph.step(.pass, at: statement.endPosition.utf8Offset)
    let tails = graph.fork(on: Graph.handler, at: statement.startOffset)
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

  private mutating func inline(elementsIn closure: ClosureExprSyntax) {
    let exit = graph.step(.pass, at: closure.endPosition.utf8Offset)
    let tails = graph.fork(on: Graph.handler, at: closure.startOffset)
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
  private mutating func inline(locked closure: ClosureExprSyntax, isBox: Bool) {
    guard graph.current != nil else { return }
    let exit = graph.step(.pass, at: closure.endPosition.utf8Offset)
    methodDepth += 1
    inside(exit: exit, end: closure.rightBrace.startOffset, counts: false, swallows: false) {
      $0.declareNames(of: closure)
      if isBox {
        let name = closure.parameterNames.first ?? "$0"
        $0.makeRelevant(name, isHandler: true)
        $0.names.declare(name, .place)
      }
      $0.lower(block: closure.statements)
    }
    methodDepth -= 1
    graph.resume(at: exit)
  }

  // MARK: - Calls and assignments

  /// Follows a call that changes who owns the continuation. Returns false for all other calls.
  mutating func lower(ownership call: FunctionCallExprSyntax, access: MemberAccessExprSyntax?, name: String)
    -> Bool
  {
    guard let access, let base = access.base else { return false }
    if base.bare.plainName == "self" {
      switch names.lookUp(name) {
      case .function(let function)? where function.isMethod:
        for argument in call.allArguments { lower(argument.expression) }
        inline(function, at: call.startOffset)
        return true
      case .duty?:
        graph.emit(.leavesVisibleCode, at: call.startOffset)
        return true
      default: return false
      }
    }
    if name == "forEach", elements(of: base), let closure = call.lastClosure {
      inline(elementsIn: closure)
      return true
    }
    guard isPlace(base) else { return false }
    if Self.lockNames.contains(name), let closure = call.lastClosure {
      inline(locked: closure, isBox: true)
    } else if name == "removeAll" {
      graph.emit(call.lastClosure == nil ? .clear : .leavesVisibleCode, at: call.startOffset)
    } else if ["append", "insert", "updateValue"].contains(name) {
      if call.arguments.contains(where: { refersToHandler($0.expression) }) {
        graph.emit(.leavesVisibleCode, at: call.startOffset)
      }
    } else if Self.takingNames.contains(name) {
      if isDiscarded(call) {
        graph.emit(.clear, at: call.startOffset)
      } else {
        lower(taking: call)
        if methodDepth == 0 { graph.emit(.leavesVisibleCode, at: call.startOffset) }
      }
    } else {
      return false
    }
    return true
  }

  /// Returns whether nothing uses the result of a call.
  private func isDiscarded(_ call: FunctionCallExprSyntax) -> Bool {
    if let elements = call.parent?.as(ExprListSyntax.self) {
      return elements.first?.is(DiscardAssignmentExprSyntax.self) == true
    }
    guard let item = call.parent?.as(CodeBlockItemSyntax.self),
      let items = item.parent?.as(CodeBlockItemListSyntax.self)
    else { return false }
    return items.count > 1 || methodDepth == 0
  }

  /// Follows an assignment to the property.
  mutating func emit(replacing target: ExprSyntax, with value: ArraySlice<ExprSyntax>, at offset: Int) {
    guard isPlace(target) else { return }
    let only = value.count == 1 ? value.first : nil
    let isEmpty =
      only?.truth == .no || only?.as(ArrayExprSyntax.self)?.elements.isEmpty == true
      || only?.as(DictionaryExprSyntax.self).map { $0.content.is(TokenSyntax.self) } == true
    if isEmpty {
      graph.emit(.clear, at: offset)
      graph.emit(.note(.leavesProperty), at: offset)
      return
    }
    graph.emit(.replace(.yes), at: offset)
    // The new continuation may also be resumed by its own name.
    if let name = only?.plainName, !names.isHandler(name) {
      makeRelevant(name, isHandler: true)
      names.declare(name, .handler)
    }
  }
}

extension FunctionCallExprSyntax {
  /// The closure that is the last argument.
  package var lastClosure: ClosureExprSyntax? {
    trailingClosure ?? arguments.last?.expression.as(ClosureExprSyntax.self)
  }
}
