import AdoptAnalysis
import SwiftSyntax

extension Migrator {
  /// A statement of a test, as far as the migration knows its meaning.
  private enum Step {
    /// `let loaded = expectation(description: "…")`, or a semaphore.
    case declares(String)
    /// `wait(for: [loaded], timeout: 1)`, `waitForExpectations(timeout: 1)` or `semaphore.wait()`.
    case waits(for: [String]?)
    case calls(FunctionCallExprSyntax, MigratableFunction)
    case other
  }

  /// Replaces waiting for expectations and semaphores in a test by awaiting.
  mutating func migrate(test function: FunctionDeclSyntax, _ body: CodeBlockSyntax) {
    let items = Array(body.statements)
    let steps = items.map(step)
    var lines: [String] = []
    var (count, throwing, refused) = (0, false, false)
    var open: [String] = []
    var moved: [FunctionCallExprSyntax] = []
    var position = 0
    while position < items.count, !refused {
      let item = items[position]
      if position > 0, item.leadingTrivia.newlineCount > 1 { lines.append("") }
      switch steps[position] {
      case .declares(let name):
        open.append(name)
        if lines.last == "" { lines.removeLast() }
      case .calls(let call, let called):
        guard
          let end = steps[(position + 1)...].firstIndex(where: { if case .waits = $0 { true } else { false } }
          ),
          !steps[(position + 1)..<end].contains(where: { if case .calls = $0 { true } else { false } })
        else {
          stay(call, "another call begins before it ends, or nothing waits for it")
          refused = true
          break
        }
        guard end == position + 1 else {
          stay(call, "statements follow it, which run before its closure")
          refused = true
          break
        }
        do {
          var rewriter = CallRewriter(file: file, index: index)
          rewriter.signals = Set(open)
          rewriter.mayThrow = true
          guard let closure = call.lastClosure, closure.statements.contains(where: { rewriter.isSignal($0) })
          else {
            throw CallRewriter.Refusal(reason: "its closure does not end what the test waits for")
          }
          if case .waits(let names) = steps[end],
            let other = (names ?? open).first(where: { name in
              !closure.statements.contains { CallRewriter.isSignal($0, of: name) }
            })
          {
            throw CallRewriter.Refusal(
              reason: "the test also waits for '\(other)', which its closure does not end")
          }
          if Self.leavesEarly(closure), position + 2 < items.count {
            throw CallRewriter.Refusal(reason: "its closure returns early, and statements follow the wait")
          }
          if position > 0 { lines += item.leadingTrivia.commentLines }
          lines += try rewriter.rewrite(call, called)
          throwing = throwing || called.isThrowing
          count += rewriter.count
          moved.append(call)
          settle(item)
        } catch let refusal as CallRewriter.Refusal {
          stay(call, refusal.reason)
          refused = true
        } catch { refused = true }
        open = []
        position = end
      case .waits: refused = true
      case .other:
        do {
          let blocking = try movedBlocking(item)
          if let blocking {
            (count, throwing) = (count + 1, throwing || blocking.isThrowing)
            moved.append(blocking.call)
          }
          // The comments before the first statement stay where they are.
          if position > 0 { lines += item.leadingTrivia.commentLines }
          lines += try blocking?.lines ?? plain(item)
          if position < items.count - 1 { lines.append(comment: item.trailingTrivia) }
        } catch let refusal as CallRewriter.Refusal {
          let own = Calls(Syntax(item)).found.filter { self.function(calledBy: $0) != nil }
          // If the statement has no such call, it is the reason why the calls of the test stay.
          if own.isEmpty { for call in moved { note(call, refusal.reason) } }
          for call in own.isEmpty ? calls(in: steps) : own { stay(call, refusal.reason) }
          refused = true
        } catch { refused = true }
      }
      position += 1
    }
    guard !refused, count > 0, open.isEmpty, let first = items.first, let last = items.last else { return }
    let isHandled = lines.filter { $0.contains("try ") }.allSatisfy {
      $0.hasPrefix(" ") || $0.hasPrefix("\t")
    }
    var edits = [edit(from: first, to: last, lines)]
    guard areCommentsKept(edits[0]) else {
      for item in items { settle(item) }
      for call in moved { note(call, Self.losesComments) }
      return
    }
    edits += signature(of: function, throwing: throwing && !isHandled)
    for item in items { settle(item) }
    addTest(edits, of: function, count)
  }

  private func calls(in steps: [Step]) -> [FunctionCallExprSyntax] {
    steps.compactMap { if case .calls(let call, _) = $0 { call } else { nil } }
  }

  private func plain(_ item: CodeBlockItemSyntax) throws -> [String] {
    let rewriter = CallRewriter(file: file, index: index)
    return try rewriter.dedented(item.trimmedDescription, of: item)
  }

  private func step(_ item: CodeBlockItemSyntax) -> Step {
    let text = item.item.trimmedDescription
    if let variable = item.item.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
      let value = binding.initializer?.value.trimmedDescription,
      [
        "expectation(description:", "self.expectation(description:", "XCTestExpectation(",
        "DispatchSemaphore(value: 0)",
      ]
      .contains(where: value.hasPrefix)
    {
      return .declares(name)
    }
    for start in ["wait(for: [", "await fulfillment(of: [", "self.wait(for: ["] where text.hasPrefix(start) {
      let names = text.dropFirst(start.count).prefix { $0 != "]" }.split { $0 == "," || $0 == " " }
      return .waits(for: names.map(String.init))
    }
    if text.hasPrefix("waitForExpectations(") { return .waits(for: nil) }
    if text.hasSuffix(".wait()") || text.hasPrefix("_ = ") && text.contains(".wait(timeout:") {
      return .waits(for: nil)
    }
    if let call = item.item.asCall, let function = self.function(calledBy: call) {
      return .calls(call, function)
    }
    return .other
  }

  /// Returns whether a `return` leaves a closure before its end.
  private static func leavesEarly(_ closure: ClosureExprSyntax) -> Bool {
    var pending = closure.statements.map { Syntax($0) }
    while let node = pending.popLast() {
      if node.is(ReturnStmtSyntax.self) { return true }
      if node.is(ClosureExprSyntax.self) || node.is(FunctionDeclSyntax.self) { continue }
      pending.append(contentsOf: node.children(viewMode: .sourceAccurate))
    }
    return false
  }

  private func signature(of function: FunctionDeclSyntax, throwing: Bool) -> [FixIt.Edit] {
    let effects = function.signature.effectSpecifiers
    if effects?.asyncSpecifier != nil {
      guard throwing, effects?.throwsClause == nil, let async = effects?.asyncSpecifier else { return [] }
      let end = async.endPositionBeforeTrailingTrivia.utf8Offset
      return [(end..<end, " throws")]
    }
    if let clause = effects?.throwsClause {
      let start = clause.positionAfterSkippingLeadingTrivia.utf8Offset
      return [(start..<start, "async ")]
    }
    let end = function.signature.parameterClause.endPositionBeforeTrailingTrivia.utf8Offset
    return [(end..<end, throwing ? " async throws" : " async")]
  }

  // MARK: - Functions that block until a handler is called

  private struct Moved {
    let call: FunctionCallExprSyntax
    let lines: [String]
    let isThrowing: Bool
  }

  /// Names of functions that give a handler to a closure and block until it is called.
  private static let blocking: Set<String> = [
    "temp_await", "tsc_await", "blockingAwait", "syncAwait", "unsafe_await",
  ]

  /// Moves `let value = try temp_await { load(completion: $0) }` and `XCTAssertThrowsError(try temp_await { … })`.
  private mutating func movedBlocking(_ item: CodeBlockItemSyntax) throws -> Moved? {
    guard
      let wait = Calls(Syntax(item)).found.first(where: {
        Self.blocking.contains($0.calledExpression.trimmedDescription)
      })
    else { return nil }
    guard let closure = wait.lastClosure, closure.statements.count == 1,
      let call = closure.statements.first?.item.asCall,
      let function = self.function(calledBy: call), call.trailingClosure == nil,
      call.arguments.last?.expression.trimmedDescription == (closure.parameterNames.first ?? "$0")
    else {
      throw CallRewriter.Refusal(
        reason: "what blocks does more than to call one function with an alternative")
    }
    if let obstacle = function.obstacle { throw CallRewriter.Refusal(reason: obstacle) }
    let effects = Effects(around: wait)
    if let handling = effects.handling {
      throw CallRewriter.Refusal(reason: Self.handlesErrors(handling))
    }
    let rewriter = CallRewriter(file: file, index: index)
    let awaited = rewriter.awaiting(call, function)
    if let assertion = item.item.asCall,
      assertion.calledExpression.trimmedDescription == "XCTAssertThrowsError",
      assertion.arguments.count == 1, function.isThrowing
    {
      let body = assertion.trailingClosure
      let name = body?.parameterNames.first ?? "error"
      let lines =
        try body.map { closure in
          try closure.statements.flatMap { try $0.leadingTrivia.commentLines + plain($0) }
        } ?? []
      let head = lines.isEmpty ? "} catch {}" : name == "error" ? "} catch {" : "} catch let \(name) {"
      let value = function.returnsNothing ? awaited : "_ = \(awaited)"
      return Moved(
        call: call,
        lines: ["do {", rewriter.unit + value, rewriter.unit + "XCTFail(\"No error was thrown.\")", head]
          + lines.map { rewriter.unit + $0 } + (lines.isEmpty ? [] : ["}"]), isThrowing: false)
    }
    guard item.item.is(VariableDeclSyntax.self) || effects.statement?.id == item.id else {
      throw CallRewriter.Refusal(reason: "it blocks in an argument, which cannot await")
    }
    let start = item.positionAfterSkippingLeadingTrivia.utf8Offset
    let before = file.text(in: start..<max(start, effects.start))
    let after = file.text(
      in: wait.endPositionBeforeTrailingTrivia.utf8Offset..<item.endPositionBeforeTrailingTrivia.utf8Offset)
    return Moved(
      call: call,
      lines: try rewriter.dedented(before + awaited + after, of: item),
      isThrowing: function.isThrowing)
  }
}
