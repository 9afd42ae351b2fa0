import AdoptAnalysis
import SwiftSyntax

/// Rewrites a call with a closure as statements that await the async alternative.
///
/// The result is lines with relative indentation.
struct CallRewriter {
  struct Refusal: Error {
    let reason: String
  }

  let file: ParsedFile
  let index: TwinIndex
  let unit: String
  /// The continuation that the code resumes. Resuming it becomes returning or throwing.
  var continuation: String?
  /// The expectations and semaphores whose signals are removed.
  var signals: Set<String> = []
  /// Whether errors may leave the code, as in a test.
  var mayThrow = false
  /// The number of rewritten calls.
  private(set) var count = 0

  init(file: ParsedFile, index: TwinIndex) {
    self.file = file
    self.index = index
    unit = FileStyle(of: file.text).unit
  }

  // MARK: - Calls

  /// Returns the call of the alternative, without `try` and `await`.
  func alternative(of call: FunctionCallExprSyntax, _ function: MigratableFunction) -> String {
    var arguments = Array(call.arguments)
    if call.trailingClosure == nil { arguments.removeLast() }
    let texts = arguments.map { $0.with(\.trailingComma, nil).trimmedDescription }
    var callee = call.calledExpression.trimmedDescription
    if function.twin.base != function.name.base, callee.hasSuffix(function.name.base) {
      callee = callee.dropLast(function.name.base.count) + function.twin.base
    }
    return "\(callee)(\(texts.joined(separator: ", ")))"
  }

  /// - Parameter writesTry: Whether to write `try` if the alternative throws.
  func awaiting(
    _ call: FunctionCallExprSyntax, _ function: MigratableFunction, writesTry: Bool = true
  ) -> String {
    (function.isThrowing && writesTry ? "try await " : "await ") + alternative(of: call, function)
  }

  /// Returns the statements that replace a call.
  mutating func rewrite(_ call: FunctionCallExprSyntax, _ function: MigratableFunction) throws -> [String] {
    guard let closure = call.lastClosure else {
      throw Refusal(reason: "the handler is passed as a value")
    }
    for item in closure.signature?.capture?.items ?? [] {
      if item.specifier != nil {
        throw Refusal(reason: "its closure captures '\(item.name.text)' weakly")
      }
      guard item.name.text == "self", item.initializer == nil else {
        throw Refusal(reason: "its closure captures '\(item.name.text)' as it is before the call")
      }
    }
    if function.name.labels.contains(where: { $0.lowercased().contains("queue") }) {
      throw Refusal(reason: "the queue of the closure matters")
    }
    if let attribute = closure.signature?.attributes.first {
      throw Refusal(reason: "its closure is marked with '\(attribute.trimmedDescription)'")
    }
    if let actor = function.actor, !call.isIsolated(to: actor) {
      throw Refusal(reason: "its closure runs on '@\(actor)', and the code around it may not")
    }
    if let obstacle = function.obstacle { throw Refusal(reason: obstacle) }
    count += 1
    let names = closure.parameterNames
    var body = Array(closure.statements)
    body.removeAll { isSignal($0) }
    switch function.kind {
    case .nothing: return [awaiting(call, function)] + (try statements(body))
    case .values(let number): return try plain(call, function, names, number, body)
    case .result: return try result(call, function, names.first ?? "$0", body)
    case .valuesAndError(let number): return try outcome(call, function, names, number, body)
    }
  }

  private mutating func plain(
    _ call: FunctionCallExprSyntax, _ function: MigratableFunction, _ names: [String], _ number: Int,
    _ body: [CodeBlockItemSyntax]
  ) throws -> [String] {
    if names.isEmpty {
      guard number == 1, !Self.hasOtherMeaning("$0", in: body) else {
        throw Refusal(reason: "its closure does not name its parameters")
      }
      let name = Outcome.unique("value", not: call.surroundingFunction.meaningfulNames)
      let text = try statements(body).map { $0.replacing("$0", with: name) }
      return [bind([name], to: call, function, usedIn: text)] + text
    }
    guard names.count == number else { throw Refusal(reason: "its closure has other parameters") }
    let text = try statements(body)
    return [bind(names, to: call, function, usedIn: text)] + text
  }

  /// Returns `let (a, b) = await load()`, with `_` for names that are not used.
  private func bind(
    _ names: [String], to call: FunctionCallExprSyntax, _ function: MigratableFunction, usedIn lines: [String]
  ) -> String {
    if names.isEmpty || function.returnsNothing { return awaiting(call, function) }
    let used = names.map { name in lines.contains { Self.mentions(name, in: $0) } ? name : "_" }
    if used.allSatisfy({ $0 == "_" }), function.annotation == nil {
      return "_ = " + awaiting(call, function)
    }
    let pattern = used.count == 1 ? used[0] : "(\(used.joined(separator: ", ")))"
    let type = function.annotation.map { ": \($0)" } ?? ""
    return "let \(pattern)\(type) = " + awaiting(call, function)
  }

  /// Returns whether a text is part of a string, or `$0` belongs to a closure within the statements. Such text must not be
  /// replaced.
  private static func hasOtherMeaning(_ text: String, in items: [CodeBlockItemSyntax]) -> Bool {
    items.contains { item in
      item.tokens(viewMode: .sourceAccurate).contains { token in
        guard token.text.contains(text) else { return false }
        guard token.tokenKind == .dollarIdentifier(text) else { return true }
        let around = sequence(first: Syntax(token), next: \.parent).prefix { $0.id != item.id }
        return around.contains { $0.is(ClosureExprSyntax.self) }
      }
    }
  }

  static func mentions(_ name: String, in line: String) -> Bool {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }.contains { $0 == name }
  }

  private mutating func result(
    _ call: FunctionCallExprSyntax, _ function: MigratableFunction, _ name: String,
    _ body: [CodeBlockItemSyntax]
  ) throws -> [String] {
    if let continuation, body.count == 1, let only = body.first,
      ["\(continuation).resume(with: \(name))"].contains(only.item.trimmedDescription)
    {
      return [function.returnsNothing ? awaiting(call, function) : "return " + awaiting(call, function)]
    }
    guard let first = body.first, let choice = first.item.asSwitch, choice.subject.plainName == name,
      let (success, failure) = ResultCases(choice).pair
    else { throw Refusal(reason: "its result is not only used in one exhaustive 'switch'") }
    let before = count
    let good = try statements(Array(success.items))
    let bad = try statements(Array(failure.items))
    if count > before, body.count > 1 {
      throw Refusal(reason: "statements follow a call in its closure, which run before that call ends")
    }
    let rest = try statements(Array(body.dropFirst()))
    if !rest.isEmpty, [success, failure].contains(where: { $0.items.contains(where: mentionsContinuation) }) {
      throw Refusal(reason: Self.resumesEarly)
    }
    return try joined(
      bind(success.name.map { [$0] } ?? [], to: call, function, usedIn: good), good, failure.name, bad,
      rest: rest)
  }

  /// Returns the code for success and failure as `do` and `catch`.
  private func joined(
    _ binding: String, _ good: [String], _ error: String?, _ bad: [String], rest: [String]
  ) throws -> [String] {
    if continuation != nil, let error, bad == ["throw \(error)"] { return [binding] + good + rest }
    guard !EscapingErrors(good).isFound else {
      throw Refusal(reason: "an error after its success would be handled as its own error")
    }
    let head = Self.head(for: error, usedIn: bad)
    let inner = ([binding] + good).map { $0.isEmpty ? "" : unit + $0 }
    if bad.isEmpty { return ["do {"] + inner + [head.dropLast() + "{}"] + rest }
    return ["do {"] + inner + [head] + bad.map { $0.isEmpty ? "" : unit + $0 } + ["}"] + rest
  }

  /// Returns the beginning of a `catch` that hides no name of the surrounding code, such as `error`.
  private static func head(for error: String?, usedIn lines: [String]) -> String {
    func isUsed(_ name: String) -> Bool { lines.contains { mentions(name, in: $0) } }
    if error == "error" || !isUsed("error") && error.map({ $0 == "_" || !isUsed($0) }) ?? true {
      return "} catch {"
    }
    guard let error, error != "_", isUsed(error) else { return "} catch _ {" }
    return "} catch let \(error) {"
  }

  private mutating func outcome(
    _ call: FunctionCallExprSyntax, _ function: MigratableFunction, _ names: [String], _ number: Int,
    _ body: [CodeBlockItemSyntax]
  ) throws -> [String] {
    guard names.count == number + 1, let error = names.last else {
      throw Refusal(reason: "its closure does not name its parameters")
    }
    let values = Array(names.dropLast())
    let optional = Set(values.indices.filter { !function.unwrapped.contains($0) }.map { values[$0] })
    let parts = try ErrorBranches(
      body, values: values, optional: optional, error: error, allowsAssertions: mayThrow)
    for (index, value) in values.enumerated() where function.unwrapped.contains(index) {
      if parts.renamed[value] == nil, parts.success.contains(where: { resumes($0, with: value) }) {
        throw Refusal(reason: "the value that it resumes the continuation with may be nil")
      }
    }
    let good = try statements(parts.success)
    let bad = try parts.failure.map { try statements($0) }
    let bound = values.map { parts.renamed[$0] ?? $0 }
    let binding = bind(bound, to: call, function, usedIn: good)
    let isErrorUsed = good.contains { Self.mentions(error, in: $0) }
    guard !isErrorUsed else { throw Refusal(reason: "its error is used after it was tested") }
    let guarded = number == 1 && optional.contains(values[0]) ? values[0] : nil
    guard let bad else { return try unwrapping(guarded, binding, [binding] + good) }
    guard !["\(error)!", "\(error)?."].contains(where: { Self.hasOtherMeaning($0, in: parts.failure ?? []) })
    else { throw Refusal(reason: "a text in its closure looks like the use of its error") }
    let plain = bad.map { $0.replacing("\(error)!", with: error).replacing("\(error)?.", with: "\(error).") }
    return try unwrapping(guarded, binding, joined(binding, good, error, plain, rest: []))
  }

  /// Returns lines in which `let value = …` and a `guard let value` after it are one statement, because they cannot be
  /// in the same block.
  private func unwrapping(_ value: String?, _ binding: String, _ lines: [String]) throws -> [String] {
    guard let value, let index = lines.firstIndex(where: { $0.hasSuffix(binding) }), index + 1 < lines.count
    else { return lines }
    let indentation = lines[index].dropLast(binding.count)
    let next = lines[index + 1].dropFirst(indentation.count)
    let starts = ["guard let \(value) else", "guard let \(value) = \(value) else"]
    guard let start = starts.first(where: next.hasPrefix) else {
      guard !lines.contains(where: { line in starts.contains { line.hasPrefix(indentation + $0) } }) else {
        throw Refusal(reason: "other lines are before the 'guard' of a value that may be nil")
      }
      return lines
    }
    guard binding.hasPrefix("let \(value) = ") else {
      throw Refusal(reason: "its value needs a type, and may be nil")
    }
    var lines = lines
    lines[index] = indentation + "guard \(binding) else" + next.dropFirst(start.count)
    lines.remove(at: index + 1)
    return lines
  }

  // MARK: - Statements

  /// `return` and `throw` would skip these statements.
  private static let resumesEarly = "statements of its closure follow where the continuation is resumed"

  private func mentionsContinuation(_ item: CodeBlockItemSyntax) -> Bool {
    guard let continuation else { return false }
    return item.tokens(viewMode: .sourceAccurate).contains { $0.text == continuation }
  }

  /// Returns whether a statement resumes the continuation with a value as it is.
  private func resumes(_ item: CodeBlockItemSyntax, with value: String) -> Bool {
    guard let continuation, let call = item.item.asCall else { return false }
    return Self.resumed(call, continuation) == "return \(value)"
  }

  /// Returns whether a statement only signals an expectation or a semaphore.
  func isSignal(_ item: CodeBlockItemSyntax) -> Bool {
    signals.contains { Self.isSignal(item, of: $0) }
  }

  /// Returns whether a statement only signals the expectation or the semaphore with a name.
  static func isSignal(_ item: CodeBlockItemSyntax, of name: String) -> Bool {
    ["\(name).fulfill()", "\(name).signal()"].contains(item.item.trimmedDescription)
  }

  /// Returns the text of statements, in which the last one may be a call that is rewritten as well.
  mutating func statements(_ items: [CodeBlockItemSyntax]) throws -> [String] {
    var lines: [String] = []
    var kept = items.filter { !isSignal($0) }
    // `return` at the end of a closure and `break` at the end of a case have no effect.
    if let last = kept.last?.item.as(ReturnStmtSyntax.self), last.expression == nil { kept.removeLast() }
    if kept.last?.item.is(BreakStmtSyntax.self) == true { kept.removeLast() }
    for (position, item) in kept.enumerated() {
      if position > 0, item.leadingTrivia.newlineCount > 1 { lines.append("") }
      lines += item.leadingTrivia.commentLines
      if position == kept.count - 1, let call = item.item.asCall,
        let function = index.callee(of: call, in: file)?.function
      {
        lines += try rewrite(call, function)
      } else if item.item.is(BreakStmtSyntax.self) {
        continue
      } else {
        guard position == kept.count - 1 || !mentionsContinuation(item) else {
          throw Refusal(reason: Self.resumesEarly)
        }
        lines += try text(of: item)
      }
    }
    return lines
  }

  private func text(of item: CodeBlockItemSyntax) throws -> [String] {
    for signal in signals where item.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == signal })
    {
      throw Refusal(reason: "'\(signal)' is signalled in a nested block")
    }
    var replacement = item.item.trimmedDescription
    if let continuation, mentionsContinuation(item) {
      guard let call = item.item.asCall, let resumed = Self.resumed(call, continuation) else {
        throw Refusal(reason: "the continuation is resumed in a nested block")
      }
      replacement = resumed
    }
    var lines = try dedented(replacement, of: item)
    lines.append(comment: item.trailingTrivia)
    return lines
  }

  /// Returns the statement that does in an async function what resuming a continuation does.
  static func resumed(_ call: FunctionCallExprSyntax, _ continuation: String) -> String? {
    guard let access = call.calledExpression.as(MemberAccessExprSyntax.self),
      access.declName.baseName.text == "resume",
      access.base?.plainName == continuation, call.trailingClosure == nil
    else { return nil }
    guard let argument = call.arguments.first else { return "return" }
    let value = argument.expression.trimmedDescription
    switch argument.label?.text {
    case "returning": return value == "()" ? "return" : "return \(value)"
    case "throwing": return "throw \(value)"
    case "with": return "return try \(value).get()"
    default: return nil
    }
  }

  /// Returns the lines of a text without the indentation of the line where its node begins.
  func dedented(_ text: String, of node: some SyntaxProtocol) throws -> [String] {
    let indentation = indentation(at: node.positionAfterSkippingLeadingTrivia.utf8Offset)
    // Other lines of the text would get more indentation, which is part of such a string.
    for literal in node.multilineStrings {
      let lines = literal.trimmedDescription.replacing("\r\n", with: "\n").split(separator: "\n").dropFirst()
      guard lines.allSatisfy({ $0.hasPrefix(indentation) }) else {
        throw Refusal(reason: "a string over several lines is indented less than its statement")
      }
    }
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { number, line in
      number > 0 && line.hasPrefix(indentation) ? String(line.dropFirst(indentation.count)) : String(line)
    }
  }

  func indentation(at offset: Int) -> String {
    let line = file.place(at: offset)
    let start = offset - line.column + 1
    let text = file.text(in: start..<offset)
    return String(text.prefix { $0 == " " || $0 == "\t" })
  }
}

extension CodeBlockItemSyntax.Item {
  /// The call that the statement consists of.
  var asCall: FunctionCallExprSyntax? {
    guard case .expr(let expression) = self else { return nil }
    return expression.as(FunctionCallExprSyntax.self)
  }

  private var expression: ExprSyntax? {
    switch self {
    case .expr(let expression): expression
    case .stmt(let statement): statement.as(ExpressionStmtSyntax.self)?.expression
    default: nil
    }
  }

  var asSwitch: SwitchExprSyntax? { expression?.as(SwitchExprSyntax.self) }
  var asIf: IfExprSyntax? { expression?.as(IfExprSyntax.self) }
}

extension Trivia {
  /// The number of line ends before the first comment.
  var newlineCount: Int {
    var count = 0
    for piece in self {
      switch piece {
      case .newlines(let number), .carriageReturnLineFeeds(let number), .carriageReturns(let number):
        count += number
      case .lineComment, .docLineComment, .blockComment, .docBlockComment: return count
      default: break
      }
    }
    return count
  }

  /// The lines of the comments.
  var commentLines: [String] {
    flatMap { piece -> [String] in
      switch piece {
      case .lineComment(let text), .docLineComment(let text): [text]
      case .blockComment(let text), .docBlockComment(let text):
        text.replacing("\r\n", with: "\n").split(separator: "\n").map { $0.trimmingSpaces }
      default: []
      }
    }
  }
}

extension [String] {
  /// Adds the comment that follows a statement on its line.
  mutating func append(comment trivia: Trivia) {
    guard let last = indices.last else { return }
    for line in trivia.commentLines { self[last] += "  " + line }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    let start = drop { $0 == " " || $0 == "\t" }
    // The lines of a block comment often begin with an asterisk below that of the first line.
    return (start.hasPrefix("*") ? " " : "") + start
  }
}
