import SwiftSyntax

/// The call of a handler that is missing on a path.
struct MissingCall {
  private let subject: Subject
  private let file: ParsedFile
  /// The name of the handler at the end of the path.
  private let name: String

  /// Nil if the handler has no single call that ends the wait, as for `success:failure:`.
  ///
  /// - Parameter offset: A place on the path. A stored continuation has to have a local name there.
  init?(of subject: Subject, at offset: Int, in file: ParsedFile) {
    guard subject.handler?.failureParameter == nil, subject.name != "$0",
      let name = subject.isStored ? TakenContinuation.name(of: subject, at: offset, in: file) : subject.name
    else { return nil }
    self.subject = subject
    self.file = file
    self.name = name
  }

  // MARK: - Text

  /// The call with placeholders for its arguments.
  var placeholder: String {
    guard let handler = subject.handler else { return "\(name).resume(returning: <#value#>)" }
    let arguments = handler.type?.parameters.filter { !$0.type.isVoid }.map {
      "<#\($0.type.trimmedDescription)#>"
    }
    return "\(callee)(\(arguments?.joined(separator: ", ") ?? "<#arguments#>"))"
  }

  private var callee: String { subject.handler?.isOptional == true ? "\(subject.name)?" : subject.name }

  /// Returns the call, if its arguments are known.
  ///
  /// - Parameter error: An expression for the error on the path, if there is one.
  private func text(error: String?) -> String? {
    guard let handler = subject.handler else {
      return isThrowingContinuation ? error.map { "\(name).resume(throwing: \($0))" } : nil
    }
    if handler.isOptional, isBound { return nil }
    switch handler.shape {
    case .nothing: return "\(callee)()"
    case .error(let type):
      guard let error, Self.takesAnyError(type.type.wrappedOptional) else { return nil }
      return "\(callee)(\(error))"
    case .valuesAndError(let values, let type):
      guard let error, Self.takesAnyError(type.type.wrappedOptional), Self.areOptional(values) else {
        return nil
      }
      return "\(callee)(\(String(repeating: "nil, ", count: values.count))\(error))"
    case .result(_, let failure):
      guard let error, failure == nil || Self.takesAnyError(failure) else { return nil }
      return "\(callee)(.failure(\(error)))"
    case .values(let values):
      guard Self.areOptional(values) else { return nil }
      return "\(callee)(\(values.map { _ in "nil" }.joined(separator: ", ")))"
    case .successFailure, nil: return nil
    }
  }

  private static func areOptional(_ values: [TupleTypeElementSyntax]) -> Bool {
    values.allSatisfy { $0.type.wrappedOptional != nil }
  }

  private static func takesAnyError(_ type: TypeSyntax?) -> Bool {
    let words = type?.tokens(viewMode: .sourceAccurate).map(\.text).filter {
      !["(", ")", "any"].contains($0)
    }
    return words == ["Error"] || words == ["Swift", ".", "Error"]
  }

  /// Whether another name may hide the optional handler.
  private var isBound: Bool {
    let text = file.text(in: subject.range)
    return text.contains("let \(subject.name) ") || text.contains("let \(subject.name),")
      || text.contains("var \(subject.name) ")
  }

  private var isThrowingContinuation: Bool {
    if let ownership = subject.ownership { return ownership.takesAnyError }
    var node = subject.statements.parent?.parent
    for _ in 0..<3 {
      if let call = node?.as(FunctionCallExprSyntax.self) {
        return call.calledExpression.plainName?.contains("Throwing") == true
      }
      node = node?.parent
    }
    return false
  }

  // MARK: - Edits

  /// Returns the edit that adds the call before a path leaves. Nil if the arguments are not known.
  ///
  /// - Parameter branch: The last remark on the path and its place.
  func fixIt(for exit: Graph.Exit, at offset: Int, branch: (remark: Graph.Remark, offset: Int)?) -> FixIt? {
    guard let token = file.tree.token(at: AbsolutePosition(utf8Offset: offset)), token.startOffset == offset
    else { return nil }
    switch exit {
    case .returns, .closureReturns:
      guard token.tokenKind == .keyword(.return), let statement = token.parent,
        let call = text(error: ErrorInScope.name(at: statement))
      else { return nil }
      return adding(call, before: statement)
    case .throwsOut, .closureThrows:
      guard let statement = token.parent?.as(ThrowStmtSyntax.self),
        Self.isRepeatable(statement.expression),
        let call = text(error: statement.expression.trimmedDescription)
      else { return nil }
      return adding(call, before: Syntax(statement))
    case .ends, .closureEnds: return branch.flatMap { fixIt(atEndOf: $0.remark, $0.offset) }
    }
  }

  /// Whether evaluating an expression twice does no harm: a name, or a member such as `Problem.invalid`.
  private static func isRepeatable(_ expression: ExprSyntax) -> Bool {
    if let access = expression.as(MemberAccessExprSyntax.self) {
      return access.base.map(isRepeatable) ?? false
    }
    return expression.plainName != nil
  }

  private func adding(_ call: String, before statement: Syntax) -> FixIt? {
    guard statement.parent?.is(CodeBlockItemSyntax.self) == true else { return nil }
    let start = statement.startOffset
    let indentation = file.indentation(before: start)
    return FixIt(
      message: "call it with '\(call)'",
      edits: [(start..<start, indentation.map { "\(call)\n\($0)" } ?? "\(call); ")], isVerified: false)
  }

  /// Returns the edit that adds the call at the end of the branch that the path takes last.
  private func fixIt(atEndOf remark: Graph.Remark, _ offset: Int) -> FixIt? {
    guard let items = Self.branch(of: remark, at: offset, in: file), let last = items.last else { return nil }
    let error = ErrorInScope.name(at: Syntax(last))
    guard let call = text(error: error) else { return nil }
    let range = last.trimmedBytes
    if last.item.is(BreakStmtSyntax.self) {
      return FixIt(message: "call it with '\(call)'", edits: [(range, call)], isVerified: false)
    }
    let separator = file.indentation(before: range.lowerBound).map { "\n\($0)" } ?? "; "
    return FixIt(
      message: "call it with '\(call)'", edits: [(range.upperBound..<range.upperBound, separator + call)],
      isVerified: false)
  }

  private static func branch(of remark: Graph.Remark, at offset: Int, in file: ParsedFile)
    -> CodeBlockItemListSyntax?
  {
    var node = file.tree.token(at: AbsolutePosition(utf8Offset: offset))?.parent
    while let current = node {
      switch remark {
      case .entersCatch:
        if let clause = current.as(CatchClauseSyntax.self) { return clause.body.statements }
      case .taken:
        if let one = current.as(SwitchCaseSyntax.self) { return one.statements }
      case .isTrue:
        if let test = current.as(IfExprSyntax.self) {
          return test.conditions.startOffset == offset ? test.body.statements : nil
        }
      default: return nil
      }
      node = current.parent
    }
    return nil
  }
}
