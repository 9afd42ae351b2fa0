import AdoptAnalysis
import SwiftSyntax

/// Finds the calls in a file that can move to async alternatives, function by function.
struct Migrator {
  let file: ParsedFile
  let index: TwinIndex
  let options: MigrationOptions
  private var result = MigrationFile()
  /// The calls that are moved, or whose reason is already known.
  private var settled: Set<Int> = []

  init(file: ParsedFile, index: TwinIndex, options: MigrationOptions) {
    self.file = file
    self.index = index
    self.options = options
  }

  mutating func run() -> MigrationFile {
    for function in Functions(file).found {
      guard let body = function.body, !belongsToTwin(function) else { continue }
      if function.isTest {
        migrate(test: function, body)
      } else {
        migrate(function, body)
      }
    }
    for call in Calls(file).found { explain(call) }
    result.staying.sort { $0.place.offset < $1.place.offset }
    return result
  }

  // MARK: - Functions

  /// Returns whether a function is a function with a handler that has an alternative, or the alternative.
  private func belongsToTwin(_ function: FunctionDeclSyntax) -> Bool {
    index.places.contains(file.place(of: function.name))
  }

  private mutating func migrate(_ function: FunctionDeclSyntax, _ body: CodeBlockSyntax) {
    var edits: [FixIt.Edit] = []
    var count = 0
    if function.isAsync {
      for wait in Continuations(body).found {
        if let (edit, number) = moved(wait, in: function) {
          edits.append(edit)
          count += number
        }
      }
      if let (edit, number) = movedEnd(of: body.statements, mayEnd: function.returnsNothing) {
        edits.append(edit)
        count += number
      }
    } else if options.wrapsInTask, function.returnsNothing,
      let (edit, number) = movedEnd(of: body.statements, mayEnd: true, inTask: true)
    {
      edits.append(edit)
      count += number
    }
    for closure in Tasks(body).found {
      if let (edit, number) = movedEnd(of: closure.statements, mayEnd: true),
        !edits.contains(where: { $0.range.overlaps(edit.range) })
      {
        edits.append(edit)
        count += number
      }
    }
    add(edits, of: function, count)
  }

  private mutating func add(_ edits: [FixIt.Edit], of function: FunctionDeclSyntax, _ count: Int) {
    guard !edits.isEmpty else { return }
    result.migrations.append(
      Migration(
        function: function.fullName.description, place: file.place(of: function.name),
        edits: edits.sorted { $0.range.lowerBound < $1.range.lowerBound },
        range: function.positionAfterSkippingLeadingTrivia
          .utf8Offset..<function.endPositionBeforeTrailingTrivia.utf8Offset, count: count))
  }

  /// Moves the call that is the last statement.
  private mutating func movedEnd(
    of items: CodeBlockItemListSyntax, mayEnd: Bool, inTask: Bool = false
  ) -> (FixIt.Edit, Int)? {
    guard mayEnd, let last = items.last, let call = last.item.asCall,
      let function = self.function(calledBy: call)
    else { return nil }
    if items.dropLast().contains(where: { $0.item.is(DeferStmtSyntax.self) }) {
      stay(call, "a 'defer' of the function would run before the closure and not after it")
      return nil
    }
    var rewriter = CallRewriter(file: file, index: index)
    do {
      var lines = try rewriter.rewrite(call, function)
      if function.isThrowing, !lines.contains(where: { $0.hasPrefix("do {") }) {
        throw CallRewriter.Refusal(reason: "its errors are not handled")
      }
      if inTask { lines = ["Task {"] + lines.map { $0.isEmpty ? "" : rewriter.unit + $0 } + ["}"] }
      let edit = edit(last, lines)
      try checkComments(edit)
      settle(last)
      return (edit, rewriter.count)
    } catch let refusal as CallRewriter.Refusal {
      stay(call, refusal.reason)
    } catch {
      stay(call, "\(error)")
    }
    return nil
  }

  // MARK: - Continuations

  /// Replaces `withCheckedContinuation { … }` around calls by awaiting their alternatives.
  private mutating func moved(_ wait: FunctionCallExprSyntax, in function: FunctionDeclSyntax) -> (
    FixIt.Edit, Int
  )? {
    guard let closure = wait.lastClosure, closure.statements.count == 1, let only = closure.statements.first,
      let call = only.item.asCall, let called = self.function(calledBy: call),
      let name = closure.parameterNames.first ?? (closure.signature == nil ? "$0" : nil)
    else { return nil }
    if let obstacle = called.obstacle {
      stay(call, obstacle)
      return nil
    }
    let isThrowing = wait.calledExpression.trimmedDescription.contains("Throwing")
    let outer = Effects(around: wait)
    if Self.onlyResumes(call, name, called) {
      guard isThrowing || !called.isThrowing else {
        stay(call, "the alternative throws, and the continuation does not")
        return nil
      }
      var rewriter = CallRewriter(file: file, index: index)
      rewriter.continuation = name
      let end = wait.endPositionBeforeTrailingTrivia.utf8Offset
      let text = rewriter.awaiting(call, called, writesTry: outer.handling == nil)
      guard areCommentsKept((outer.start..<end, text)) else {
        stay(call, Self.losesComments)
        return nil
      }
      settle(only)
      return ((outer.start..<end, text), 1)
    }
    if let handling = outer.handling {
      stay(call, Self.handlesErrors(handling))
      return nil
    }
    // Nested calls need statements, so the continuation has to be the result of the function.
    guard let item = outer.statement, item.parent?.id == function.body.map({ Syntax($0.statements) })?.id,
      item.id == function.body?.statements.last?.id
    else {
      stay(call, "its closure does more than to resume the continuation")
      return nil
    }
    var rewriter = CallRewriter(file: file, index: index)
    rewriter.continuation = name
    do {
      let edit = edit(item, try rewriter.rewrite(call, called))
      try checkComments(edit)
      settle(only)
      return (edit, rewriter.count)
    } catch let refusal as CallRewriter.Refusal {
      stay(call, refusal.reason)
    } catch {
      stay(call, "\(error)")
    }
    return nil
  }

  /// Returns whether the closure of a call only resumes the continuation with what it gets.
  private static func onlyResumes(
    _ call: FunctionCallExprSyntax, _ name: String, _ function: MigratableFunction
  ) -> Bool {
    guard let closure = call.lastClosure else {
      let text = call.arguments.last?.expression.trimmedDescription
      return call.trailingClosure == nil
        && (text == "\(name).resume(with:)" || text == "\(name).resume(returning:)")
    }
    if closure.signature?.capture != nil { return false }
    let names = closure.parameterNames.isEmpty ? ["$0"] : closure.parameterNames
    let text = closure.statements.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
    switch function.kind {
    case .nothing: return text == "\(name).resume()"
    case .values(1): return text == "\(name).resume(returning: \(names[0]))"
    case .result: return text == "\(name).resume(with: \(names[0]))"
    case .values: return text == "\(name).resume(returning: (\(names.joined(separator: ", "))))"
    case .valuesAndError(let count):
      guard count < 2, names.count == count + 1, let error = names.last else { return false }
      let isUnwrapped = function.unwrapped.contains(0)
      let plain = count == 0 ? "\(name).resume()" : "\(name).resume(returning: \(names[0]))"
      let success = isUnwrapped ? "\(name).resume(returning: \(names[0])!)" : plain
      let failure = "\(name).resume(throwing: \(error))"
      var forms = [
        "if let \(error) { \(failure) } else { \(success) }",
        "if let \(error) { \(failure) return } \(success)",
      ]
      if isUnwrapped {
        for success in [plain, success] {
          forms.append("if let \(names[0]) { \(success) } else if let \(error) { \(failure) }")
          forms.append("if let \(error) { \(failure) } else if let \(names[0]) { \(success) }")
        }
      }
      return forms.contains(text)
    }
  }

  // MARK: - Calls that stay

  private mutating func explain(_ call: FunctionCallExprSyntax) {
    guard !settled.contains(call.position.utf8Offset) else { return }
    let name = call.calledName?.text ?? ""
    if index.functions[name] == nil, index.subscriptions.contains(name), call.lastClosure != nil {
      stay(call, TwinIndex.subscriptionReason)
      return
    }
    guard let callee = index.callee(of: call, in: file) else { return }
    let around = Surroundings(of: call)
    if let enclosing = around.function, belongsToTwin(enclosing) { return }
    guard case .function(let function) = callee else {
      if case .stays(let reason) = callee { stay(call, reason) }
      return
    }
    if around.isInDefer {
      stay(call, "a 'defer' cannot await")
    } else if around.usesGroup {
      stay(call, "a DispatchGroup waits for it together with other work")
    } else if around.isInLoop {
      stay(call, "it is in a loop, whose calls run at the same time")
    } else if let obstacle = function.obstacle {
      stay(call, obstacle)
    } else if call.lastClosure == nil {
      stay(call, "the handler is passed as a value")
    } else if around.isInAsyncCode {
      stay(
        call,
        around.isLast ? "its closure cannot be moved" : "statements follow it, which run before its closure")
    } else {
      stay(call, "the function around it is not async")
    }
  }

  /// Returns the function that a call calls, if it has an alternative.
  func function(calledBy call: FunctionCallExprSyntax) -> MigratableFunction? {
    index.callee(of: call, in: file)?.function
  }

  mutating func stay(_ call: FunctionCallExprSyntax, _ reason: String) {
    guard settled.insert(call.position.utf8Offset).inserted else { return }
    note(call, reason)
  }

  /// Lists a call as staying, also if it was handled before.
  mutating func note(_ call: FunctionCallExprSyntax, _ reason: String) {
    result.staying.append(
      StayingCall(
        place: file.place(of: call), function: call.calledExpression.trimmedDescription, reason: reason))
  }

  /// Marks all calls in a node as handled.
  mutating func settle(_ node: some SyntaxProtocol) {
    for call in Calls(Syntax(node)).found { settled.insert(call.position.utf8Offset) }
  }

  /// Returns the edit that replaces a statement by lines.
  func edit(_ item: CodeBlockItemSyntax, _ lines: [String]) -> FixIt.Edit {
    edit(from: item, to: item, lines)
  }

  func edit(from first: CodeBlockItemSyntax, to last: CodeBlockItemSyntax, _ lines: [String]) -> FixIt.Edit {
    let start = first.positionAfterSkippingLeadingTrivia.utf8Offset
    let base = CallRewriter(file: file, index: index).indentation(at: start)
    let end = FileStyle(of: file.text).lineEnd
    let text = lines.enumerated().map {
      $0.offset == 0 || $0.element.isEmpty ? $0.element : base + $0.element
    }
    return (start..<last.endPositionBeforeTrailingTrivia.utf8Offset, text.joined(separator: end))
  }

  // MARK: - What must not get lost

  static let losesComments = "comments would be lost"

  static func handlesErrors(_ word: String) -> String { "'\(word)' handles the errors of its statement" }

  func areCommentsKept(_ edit: FixIt.Edit) -> Bool {
    let old = Comments(in: file, edit.range)
    return old.areKept(in: Comments(in: edit.replacement))
  }

  private func checkComments(_ edit: FixIt.Edit) throws {
    guard areCommentsKept(edit) else { throw CallRewriter.Refusal(reason: Self.losesComments) }
  }

  mutating func addTest(_ edits: [FixIt.Edit], of function: FunctionDeclSyntax, _ count: Int) {
    add(edits, of: function, count)
  }
}
