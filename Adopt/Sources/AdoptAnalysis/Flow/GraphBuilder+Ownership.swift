import SwiftSyntax

/// What a check of a stored continuation needs to know about its property and its type.
struct Ownership {
  enum Kind {
    case optional, collection
    /// A value behind a lock, such as `Mutex`.
    case box
    /// An enum of which some cases carry a continuation.
    case state
  }

  let kind: Kind
  let payload: ContinuationPayload
  /// The property that contains the struct of which the subject is a member. Nil if the subject is a property.
  let holder: String?
  /// The other stored members of that struct.
  let otherMembers: Set<String>
  /// Whether that struct is behind a lock.
  let isBoxed: Bool
  /// The other functions of the type that mention the property, by name.
  let methods: [(name: String, function: NameTable.LocalFunction)]
  /// The names of functions of the type that cannot be followed, because several have the name.
  let opaque: Set<String>
  /// Whether it is an error that the property still stores a continuation that was resumed.
  let reportsKept: Bool
  /// Whether the continuation can be resumed with any error, as far as its type is written.
  let takesAnyError: Bool
}

extension GraphBuilder {
  static let takingNames: Set<String> = [
    "take", "removeFirst", "removeLast", "popFirst", "popLast", "removeValue", "remove",
  ]
  private static let lockNames: Set<String> = [
    "withLock", "withLockUnchecked", "withLockedValue", "withCriticalRegion", "sync", "withValue", "mutate",
    "write",
  ]
  private static let countNames: Set<String> = [
    "count", "isEmpty", "keys", "capacity", "indices", "underestimatedCount",
  ]
  private static let searchNames: Set<String> = ["firstIndex", "lastIndex", "index", "contains"]

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
    if let base = continuationBase(of: bare) { return isPlace(base) }
    return bare.is(MemberAccessExprSyntax.self) && refersToHandler(bare)
  }

  /// Returns the call if it takes the continuation out of its property and returns it.
  func isTaker(_ expression: ExprSyntax) -> FunctionCallExprSyntax? {
    guard subject.isStored else { return nil }
    var expression = expression.bare
    if let awaited = expression.as(AwaitExprSyntax.self) { expression = awaited.expression.bare }
    while let base = continuationBase(of: expression) { expression = base.bare }
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
    guard take(value) else { return false }
    makeRelevant(name, isHandler: true)
    names.declare(name, .handler)
    return true
  }

  mutating func take(_ value: ExprSyntax) -> Bool {
    if let call = isTaker(value) {
      lower(taking: call)
    } else if refersToHandler(value) || isElement(value) {
      graph.emit(.alias, at: value.startOffset)
    } else {
      return false
    }
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
    return (tails.yes, tails.no, .isNil(subject.shownName))
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
    if name == "forEach", let closure = call.lastClosure, takeAll(base) || elements(of: base) {
      inline(elementsIn: closure, of: base)
      return true
    }
    guard isPlace(base) else { return false }
    if Self.searchNames.contains(name) {
      for argument in call.allArguments where !argument.expression.is(ClosureExprSyntax.self) {
        lower(argument.expression)
      }
    } else if Self.lockNames.contains(name), let closure = call.lastClosure {
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
        if methodDepth == 0 || !isResult(call) { graph.emit(.leavesVisibleCode, at: call.startOffset) }
      }
    } else {
      return false
    }
    return true
  }

  /// Returns whether a call is a statement of its own, and so the result of a closure with only this statement. As a
  /// part of another value, such as a tuple, the continuation cannot be followed.
  private func isResult(_ call: FunctionCallExprSyntax) -> Bool {
    var node = Syntax(call)
    while let parent = node.parent {
      if parent.is(CodeBlockItemSyntax.self) { return true }
      let isPart =
        parent.is(OptionalChainingExprSyntax.self) || parent.is(ForceUnwrapExprSyntax.self)
        || parent.as(ExprSyntax.self).flatMap { continuationBase(of: $0) }?.id == node.as(ExprSyntax.self)?.id
      guard isPart else { return false }
      node = parent
    }
    return false
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
    if subject.ownership?.payload.isState == true {
      emit(state: only, at: offset)
      return
    }
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
    declareStored(only)
  }

  /// Declares the names of a value that a property stores from here on.
  mutating func declareStored(_ value: ExprSyntax?) {
    if let name = value?.plainName, !names.isHandler(name) {
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
