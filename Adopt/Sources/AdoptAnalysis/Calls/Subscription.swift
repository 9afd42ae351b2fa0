import SwiftSyntax

/// The reason why a function does not call its handler exactly once: usually because it calls it for each event.
package struct Subscription: Sendable, Hashable {
  /// A clause in lower case without a full stop, such as "its name says that it observes".
  package let reason: String
  /// Whether the function only calls the handler in one of several cases, such as `whenSuccess(_:)`.
  package var isConditional = false

  /// Returns why a handler is called for each event, or nil if it is called once.
  ///
  /// A strong name such as `completion` outweighs most signs, because functions such as `subscribe(to:completion:)` call
  /// it when the subscription has begun.
  package static func find(of handler: Handler, in function: FunctionDeclSyntax, file: ParsedFile)
    -> Subscription?
  {
    let isStrong =
      max(
        handler.label.map(HandlerName.strength(of:)) ?? .none, HandlerName.strength(of: handler.name))
      == .strong
    let name = function.name.text
    if !isStrong, begins(name, with: "when"), outcomes.contains(where: name.hasSuffix) {
      return Subscription(
        reason: "its name '\(name)' says that it only calls its handler in one of several cases",
        isConditional: true)
    }
    if let reason = nameReason(name, isStrong: isStrong) { return Subscription(reason: reason) }
    if !isStrong, let reason = pairReason(name, file) { return Subscription(reason: reason) }
    if let reason = commentReason(function, isStrong: isStrong) { return Subscription(reason: reason) }
    guard let body = function.body else { return nil }
    let uses = WordFinder([handler.name]).find(in: file, range: body.byteRange)
    for offset in uses.offsets {
      guard let token = file.tree.token(at: AbsolutePosition(utf8Offset: offset)),
        let reference = token.parent?.as(DeclReferenceExprSyntax.self)
      else { continue }
      if let store = HandlerStore(of: reference),
        store.isKept(in: file, besides: function, isStrong: isStrong)
      {
        return Subscription(reason: "its handler is kept in '\(store.name)'")
      }
      if !isStrong, let reason = repetitionReason(reference, within: body) {
        return Subscription(reason: reason)
      }
    }
    return nil
  }

  // MARK: - Names and comments

  private static let verbs = ["observe", "listen", "watch"]
  private static let weakVerbs = [
    "on", "subscribe", "monitor", "whenever", "stream", "poll", "every", "forEach", "handleEvents",
  ]
  private static let addingVerbs = ["add", "register", "set", "install", "attach"]
  private static let addedNouns = [
    "Listener", "Observer", "Handler", "Callback", "Subscriber", "Action", "Hook",
  ]
  private static let startedNouns = [
    "Updates", "Monitoring", "Observing", "Listening", "Updating", "Watching", "Scanning", "Tracking",
    "Polling",
    "Measuring", "Streaming", "Ranging", "Discovery",
  ]

  private static func nameReason(_ name: String, isStrong: Bool) -> String? {
    let reason = "its name '\(name)' is that of a subscription"
    if verbs.contains(where: { begins(name, with: $0) }) { return reason }
    if isStrong { return nil }
    if weakVerbs.contains(where: { begins(name, with: $0) }) { return reason }
    if addingVerbs.contains(where: { begins(name, with: $0) }), addedNouns.contains(where: name.hasSuffix) {
      return reason
    }
    return begins(name, with: "start") && startedNouns.contains(where: name.hasSuffix) ? reason : nil
  }

  /// The ends of names of functions that only call their handler in one of several cases.
  private static let outcomes = ["Success", "Failure", "Succeeded", "Failed", "Error", "Value"]

  /// Returns whether the file has `stopHeading` for `startHeading`.
  private static func pairReason(_ name: String, _ file: ParsedFile) -> String? {
    guard begins(name, with: "start"), name != "start" else { return nil }
    let end = "stop" + name.dropFirst("start".count)
    return WordFinder([end]).find(in: file).isEmpty ? nil : "'\(end)' ends what it starts"
  }

  private static func begins(_ name: String, with verb: String) -> Bool {
    guard name.hasPrefix(verb) else { return false }
    return name.dropFirst(verb.count).first?.isUppercase ?? true
  }

  private static let weakWords = [
    "whenever", "each time", "every time", "on every", "on each", "for every", "repeatedly",
    "until it is removed",
    "registers a", "subscribes", "multiple times", "more than once",
  ]
  private static let strongWords = [
    "called whenever", "called each time", "called every time", "called multiple times",
    "called more than once",
    "called repeatedly", "called for every", "called for each",
  ]

  private static func commentReason(_ function: FunctionDeclSyntax, isStrong: Bool) -> String? {
    var text = ""
    for piece in function.leadingTrivia.pieces {
      switch piece {
      case .docLineComment(let line), .docBlockComment(let line): text += " " + line.lowercased()
      default: break
      }
    }
    guard !text.isEmpty, let word = (isStrong ? strongWords : weakWords).first(where: text.contains) else {
      return nil
    }
    return "its documentation says '\(word)'"
  }

  // MARK: - Repetition

  /// Returns why the code around a call of the handler runs for each event.
  private static func repetitionReason(_ reference: DeclReferenceExprSyntax, within body: CodeBlockSyntax)
    -> String?
  {
    guard let call = reference.calledFunction else { return nil }
    var child = Syntax(call)
    var isCounted = false
    while let node = child.parent, node.id != Syntax(body).id {
      if let items = node.as(CodeBlockItemListSyntax.self) {
        if leaves(items, after: child) { return nil }
        isCounted = isCounted || items.compareCount(before: child)
      }
      if node.is(ForStmtSyntax.self) || node.is(WhileStmtSyntax.self) {
        return isCounted ? nil : "it calls its handler in a loop"
      }
      if node.is(IfExprSyntax.self), child.is(CodeBlockSyntax.self), countsIteration(node) { return nil }
      if let closure = node.as(ClosureExprSyntax.self) {
        if let name = closure.receivingFunction, ClosureExecution.repeatingNames.contains(name) {
          return "it calls its handler for each event of '\(name)'"
        }
        if closure.isAssignedToMember { return "it calls its handler from a closure that a property keeps" }
      }
      child = node
    }
    return nil
  }

  private static func countsIteration(_ node: Syntax) -> Bool {
    node.as(IfExprSyntax.self)?.conditions.contains { condition in
      condition.tokens(viewMode: .sourceAccurate).contains { $0.text == "==" }
    } ?? false
  }

  /// Returns whether a statement after `child` leaves the loop.
  private static func leaves(_ items: CodeBlockItemListSyntax, after child: Syntax) -> Bool {
    items.contains { item in
      guard item.position >= child.position else { return false }
      return item.item.is(ReturnStmtSyntax.self) || item.item.is(BreakStmtSyntax.self)
    }
  }
}

/// The property or collection of `self` that a statement stores a handler in.
struct HandlerStore {
  let name: String
  let isCollection: Bool

  /// Returns the store if the handler is stored by `name = handler`, `name.append(handler)` or similar.
  init?(of reference: DeclReferenceExprSyntax) {
    if reference.calledFunction != nil { return nil }
    var node = Syntax(reference)
    for _ in 0..<12 {
      guard let parent = node.parent, !parent.is(ClosureExprSyntax.self), !parent.is(CodeBlockItemSyntax.self)
      else {
        return nil
      }
      if let sequence = parent.as(SequenceExprSyntax.self), sequence.elements.count == 3,
        let target = sequence.elements.first,
        sequence.elements.dropFirst().first?.is(AssignmentExprSyntax.self) == true,
        target.id != ExprSyntax(reference).id
      {
        if let name = target.ownName {
          (self.name, isCollection) = (name, false)
          return
        }
        if let name = target.as(SubscriptCallExprSyntax.self)?.calledExpression.ownName {
          (self.name, isCollection) = (name, true)
          return
        }
        return nil
      }
      if let call = parent.as(FunctionCallExprSyntax.self),
        let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        ["append", "insert", "add", "updateValue"].contains(access.declName.baseName.text),
        let base = access.base,
        let name = base.ownName
      {
        (self.name, isCollection) = (name, true)
        return
      }
      node = parent
    }
    return nil
  }

  /// Returns whether the stored handler stays after it was called.
  func isKept(in file: ParsedFile, besides function: FunctionDeclSyntax, isStrong: Bool) -> Bool {
    var isCalled = false
    for offset in WordFinder([name]).find(in: file).offsets where !function.byteRange.contains(offset) {
      let rest = file.text(in: (offset + name.utf8.count)..<(offset + name.utf8.count + 32))
      if isCollection {
        if Self.draining.contains(where: rest.hasPrefix), !isInRemoval(offset, file) { return false }
        isCalled = isCalled || isIterated(offset, rest, file)
      } else {
        if rest.hasPrefix(" = nil") || rest.hasPrefix(".take()") || rest.hasPrefix("= nil") { return false }
        isCalled = isCalled || rest.hasPrefix("?(") || rest.hasPrefix("(")
      }
    }
    return isCollection ? !isStrong || isCalled : !isStrong && isCalled
  }

  private static let draining = [
    ".removeAll()", ".removeAll(keeping", " = []", " = [:]", ".removeFirst()", ".popFirst()", ".popLast()",
    ".removeLast()", ".removeValue(",
  ]

  private func isIterated(_ offset: Int, _ rest: String, _ file: ParsedFile) -> Bool {
    if rest.hasPrefix(".forEach") || rest.hasPrefix(".values.forEach") { return true }
    let before = file.text(in: max(0, offset - 10)..<offset)
    return before.hasSuffix(" in ") || before.hasSuffix(" in self.")
  }

  /// Returns whether the function around a place only removes handlers, as `removeListener(_:)` does.
  private func isInRemoval(_ offset: Int, _ file: ParsedFile) -> Bool {
    var node = file.tree.token(at: AbsolutePosition(utf8Offset: offset))?.parent
    while let current = node {
      if let name = current.as(FunctionDeclSyntax.self)?.name.text.lowercased() {
        return [
          "remove", "unsubscribe", "unobserve", "cancel", "off", "stop", "unregister", "deregister", "reset",
          "clear",
        ]
        .contains { name.hasPrefix($0) }
      }
      if current.is(DeinitializerDeclSyntax.self) { return true }
      node = current.parent
    }
    return false
  }
}

extension DeclReferenceExprSyntax {
  /// The call whose callee is this name, as in `name(1)` and `name?(1)`.
  var calledFunction: FunctionCallExprSyntax? {
    var node = Syntax(self)
    while let parent = node.parent {
      if let call = parent.as(FunctionCallExprSyntax.self) {
        return call.calledExpression.id == node.as(ExprSyntax.self)?.id ? call : nil
      }
      guard parent.is(OptionalChainingExprSyntax.self) || parent.is(ForceUnwrapExprSyntax.self) else {
        return nil
      }
      node = parent
    }
    return nil
  }
}

extension ClosureExprSyntax {
  /// The name of the function that gets this closure as an argument.
  var receivingFunction: String? {
    var node = parent
    for _ in 0..<4 {
      if let call = node?.as(FunctionCallExprSyntax.self) {
        let callee = call.calledExpression.bare
        return callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? callee.plainName
      }
      node = node?.parent
    }
    return nil
  }

  /// Whether the closure is the value of an assignment to a member, as in `connection.onChange = { … }`.
  var isAssignedToMember: Bool {
    guard let sequence = parent?.parent?.as(SequenceExprSyntax.self), sequence.elements.count == 3,
      sequence.elements.dropFirst().first?.is(AssignmentExprSyntax.self) == true
    else { return false }
    return sequence.elements.first?.is(MemberAccessExprSyntax.self) == true
  }
}
