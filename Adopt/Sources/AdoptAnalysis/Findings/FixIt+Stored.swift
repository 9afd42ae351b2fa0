import SwiftSyntax

extension FixIt {
  /// Resumes what a property stores with a `CancellationError`, before an assignment removes or overwrites it.
  ///
  /// - Parameter offset: The start of the assignment.
  static func resuming(beforeAssignmentAt offset: Int, in file: ParsedFile) -> FixIt? {
    var node = file.tree.token(at: AbsolutePosition(utf8Offset: offset)).map { Syntax($0) }
    while let current = node, !current.is(CodeBlockItemSyntax.self) { node = current.parent }
    guard let item = node?.as(CodeBlockItemSyntax.self), case .expr(let expression) = item.item,
      let assignment = expression.as(SequenceExprSyntax.self), assignment.elements.count == 3,
      assignment.elements.dropFirst().first?.is(AssignmentExprSyntax.self) == true,
      let target = assignment.elements.first, isRepeatable(target)
    else { return nil }
    let call = "\(target.trimmedDescription)?.resume(throwing: CancellationError())"
    let start = assignment.startOffset
    let separator = file.indentation(before: start).map { "\n\($0)" } ?? "; "
    return FixIt(
      message: "resume it before with '\(call)'", edits: [(start..<start, call + separator)],
      isVerified: false)
  }

  /// Whether evaluating the target of an assignment twice does no harm, because it only consists of names.
  private static func isRepeatable(_ target: ExprSyntax) -> Bool {
    target.tokens(viewMode: .sourceAccurate).allSatisfy { token in
      switch token.tokenKind {
      case .identifier, .keyword(.self), .period, .postfixQuestionMark, .leftSquare, .rightSquare,
        .integerLiteral, .dollarIdentifier:
        true
      default: false
      }
    }
  }
}

/// Finds the local name of a continuation that was taken out of its property.
enum TakenContinuation {
  /// Returns the expression before `.resume`, or nil if no name of the continuation is visible at a place.
  static func name(of subject: Subject, at offset: Int, in file: ParsedFile) -> String? {
    guard let ownership = subject.ownership, ownership.payload.members.isEmpty, !ownership.payload.isState,
      var child = file.tree.token(at: AbsolutePosition(utf8Offset: offset)).map({ Syntax($0) })
    else { return nil }
    while let parent = child.parent, !parent.is(FunctionDeclSyntax.self) {
      if let items = parent.as(CodeBlockItemListSyntax.self) {
        let earlier = items.reversed().filter { $0.endPosition <= child.position }
        if let name = earlier.lazy.compactMap({ name(in: $0, subject) }).first { return name }
      }
      if let test = parent.as(IfExprSyntax.self), child.id == test.body.id,
        let name = name(in: test.conditions, subject)
      {
        return name
      }
      child = parent
    }
    return nil
  }

  private static func name(in item: CodeBlockItemSyntax, _ subject: Subject) -> String? {
    if let test = item.item.as(GuardStmtSyntax.self) { return name(in: test.conditions, subject) }
    guard let variable = item.item.as(VariableDeclSyntax.self), subject.ownership?.kind == .optional,
      let binding = variable.bindings.first, variable.bindings.count == 1,
      binding.initializer?.value.ownName == subject.name
    else { return nil }
    return binding.pattern.as(IdentifierPatternSyntax.self).map { "\($0.identifier.text)?" }
  }

  private static func name(in conditions: ConditionElementListSyntax, _ subject: Subject) -> String? {
    for element in conditions {
      guard case .optionalBinding(let binding) = element.condition,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      else { continue }
      let value = binding.initializer.map { Syntax($0.value) } ?? Syntax(binding.pattern)
      if value.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == subject.name }) { return name }
    }
    return nil
  }
}
