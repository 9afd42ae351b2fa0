import SwiftSyntax

/// Checks whether a function that stores a continuation rejects a second call while the first one is running.
///
/// Such a function uses another property of its type: it tests the property at its beginning, and sets it before other
/// code can run. This is only safe under two conditions:
///
/// - Nothing else stores a continuation in the same property.
/// - The property is reset after the continuation was resumed, either always by the call that set it, or always by the
///   code that resumes the continuation. If both do it, a call that ends late resets what the next call has set.
struct SecondCallGuard {
  /// The maximum number of assignments to a property that are followed.
  private static let maximumAssignments = 32

  private let store: String
  private let members: MemberBlockSyntax
  private let body: CodeBlockSyntax
  private let parameters: [String]
  private let offset: Int
  private let call: FunctionCallExprSyntax
  private let file: ParsedFile

  init(
    of overwrite: Overwrite, to store: StoredContinuation, in function: StoredContinuation.Function,
    file: ParsedFile
  ) {
    self.store = store.name
    members = store.members
    body = function.body
    parameters = function.parameters
    offset = overwrite.offset
    call = overwrite.call
    self.file = file
  }

  var isSafe: Bool {
    guard let waitingScope, call.parent?.is(AwaitExprSyntax.self) == true else { return false }
    let statements = Array(body.statements)
    for (index, statement) in statements.enumerated() {
      if statement.byteRange.upperBound > offset { return false }
      guard let property = Self.tested(by: statement), property != store, !parameters.contains(property),
        isPrivate(property)
      else { continue }
      let rest = statements[(index + 1)...]
      if let set = setting(of: property, in: rest), isStoredHereOnly,
        isResetSafely(property, setAt: set, in: waitingScope)
      {
        return true
      }
    }
    return false
  }

  // MARK: - The code that waits for the continuation

  /// The code that ends after the continuation was resumed: the body of the function, or of the task that it starts
  /// once.
  private var waitingScope: Syntax? {
    var node = Syntax(call)
    while let parent = node.parent {
      if parent.id == body.id { return Syntax(body) }
      if let closure = parent.as(ClosureExprSyntax.self), let called = Self.call(of: closure) {
        guard let name = called.calledExpression.plainName else { return nil }
        if name == "Task" { return isStatement(of: called) ? Syntax(closure) : nil }
        guard name == "withTaskCancellationHandler" else { return nil }
      } else if parent.is(ClosureExprSyntax.self) || parent.is(FunctionDeclSyntax.self) {
        return nil
      }
      node = parent
    }
    return nil
  }

  private static func call(of closure: ClosureExprSyntax) -> FunctionCallExprSyntax? {
    closure.parent?.as(FunctionCallExprSyntax.self)
      ?? closure.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
  }

  /// Returns whether a call runs at most once each time the function runs, because it is not inside a loop.
  private func isStatement(of call: FunctionCallExprSyntax) -> Bool {
    var node = Syntax(call)
    while let parent = node.parent {
      if let item = parent.as(CodeBlockItemSyntax.self) { return item.parent?.id == body.statements.id }
      node = parent
    }
    return false
  }

  private var isStoredHereOnly: Bool {
    assignments(to: store)?.allSatisfy { $0.offset == offset || $0.truth == .no } ?? false
  }

  // MARK: - The property that is tested

  /// Returns the property for which a statement leaves the function if it is true or not nil.
  private static func tested(by statement: CodeBlockItemSyntax) -> String? {
    if let test = statement.item.as(GuardStmtSyntax.self) {
      return test.conditions.lazy.compactMap { condition -> String? in
        guard case .expression(let expression) = condition.condition else { return nil }
        if let negation = expression.as(PrefixOperatorExprSyntax.self), negation.operator.text == "!" {
          return negation.expression.ownName
        }
        return comparedWithNil(expression, by: "==")
      }.first
    }
    guard let test = statement.item.as(ExpressionStmtSyntax.self)?.expression.as(IfExprSyntax.self),
      test.conditions.count == 1, let condition = test.conditions.first?.condition,
      let last = test.body.statements.last?.item,
      last.is(ReturnStmtSyntax.self) || last.is(ThrowStmtSyntax.self)
    else { return nil }
    switch condition {
    case .expression(let expression):
      return expression.ownName ?? comparedWithNil(expression, by: "!=")
    case .optionalBinding(let binding):
      guard let value = binding.initializer?.value else {
        return binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      }
      return value.ownName
    default: return nil
    }
  }

  private static func comparedWithNil(_ expression: ExprSyntax, by sign: String) -> String? {
    guard let elements = expression.as(SequenceExprSyntax.self).map({ Array($0.elements) }),
      elements.count == 3,
      elements[1].as(BinaryOperatorExprSyntax.self)?.operator.text == sign,
      elements[2].is(NilLiteralExprSyntax.self)
    else { return nil }
    return elements[0].ownName
  }

  /// Returns whether only this type and its extensions in this file can change a property.
  private func isPrivate(_ property: String) -> Bool {
    members.members.contains { member in
      guard let variable = member.decl.as(VariableDeclSyntax.self),
        variable.modifiers.contains(where: { $0.name.text == "private" })
      else { return false }
      return variable.bindings.contains {
        $0.accessorBlock == nil && $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == property
      }
    }
  }

  // MARK: - Setting and resetting the property

  /// Returns the offset at which the function sets the property. Nil if other code can run before, or if the function
  /// can be left between setting it and waiting.
  private func setting(of property: String, in statements: ArraySlice<CodeBlockItemSyntax>) -> Int? {
    for statement in statements {
      if Self.has([.await], Syntax(statement)) { return nil }
      if let sequence = statement.item.as(SequenceExprSyntax.self),
        let assignment = Assignment(sequence), assignment.name == property
      {
        return assignment.truth == .yes || isTask(assignment.value) ? assignment.offset : nil
      }
      if statement.byteRange.upperBound > offset, Self.has([.return, .throw, .try], Syntax(statement)) {
        return nil
      }
    }
    return nil
  }

  /// Returns whether a value is `Task { … }`, or the name of a constant with such a value, and so never nil.
  private func isTask(_ value: ExprSyntax) -> Bool {
    if let call = value.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.plainName == "Task"
    }
    guard let name = value.plainName else { return false }
    return body.statements.contains { item in
      guard let variable = item.item.as(VariableDeclSyntax.self) else { return false }
      return variable.bindings.contains {
        $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
          && $0.initializer?.value.as(FunctionCallExprSyntax.self).map { isTask(ExprSyntax($0)) } == true
      }
    }
  }

  /// Returns whether code contains one of these keywords outside closures.
  private static func has(_ keywords: Set<Keyword>, _ node: Syntax) -> Bool {
    var pending = [node]
    while let node = pending.popLast() {
      if node.is(ClosureExprSyntax.self) || node.is(FunctionDeclSyntax.self) { continue }
      if case .keyword(let keyword)? = node.as(TokenSyntax.self)?.tokenKind, keywords.contains(keyword) {
        return true
      }
      pending += node.children(viewMode: .sourceAccurate)
    }
    return false
  }

  private func isResetSafely(_ property: String, setAt set: Int, in waitingScope: Syntax) -> Bool {
    guard let others = assignments(to: property)?.filter({ $0.offset != set }),
      others.allSatisfy({ $0.truth == .no })
    else { return false }
    return others.allSatisfy { isResetAfterWait($0, setAt: set, in: waitingScope) }
      || waitingScope.id == body.id && others.allSatisfy(isResetWithResuming)
  }

  /// Returns whether the property is reset after the wait in the same block, or whenever that block is left.
  private func isResetAfterWait(_ assignment: Assignment, setAt set: Int, in waitingScope: Syntax) -> Bool {
    // A rejected call must not reset the property.
    guard var block = assignment.block, waitingScope.id != body.id || assignment.offset > set else {
      return false
    }
    if let deferring = block.parent?.parent?.as(DeferStmtSyntax.self) {
      guard let outer = deferring.parent?.parent?.as(CodeBlockItemListSyntax.self) else { return false }
      block = outer
    } else if assignment.offset < call.byteRange.upperBound {
      return false
    }
    guard block.byteRange.contains(call.startOffset) else { return false }
    var node = Syntax(block)
    while let parent = node.parent {
      if parent.is(ClosureExprSyntax.self) || parent.is(FunctionDeclSyntax.self) {
        return parent.id == waitingScope.id || waitingScope.parent?.id == parent.id
      }
      node = parent
    }
    return false
  }

  /// Returns whether the property is reset together with the statement that resumes the continuation.
  private func isResetWithResuming(_ assignment: Assignment) -> Bool {
    guard let block = assignment.block, !body.byteRange.contains(assignment.offset),
      !Self.has([.await], Syntax(block))
    else { return false }
    return block.contains { item in
      guard
        let resuming = item.item.as(FunctionCallExprSyntax.self)?.calledExpression
          .as(MemberAccessExprSyntax.self), resuming.declName.baseName.text == "resume",
        let base = resuming.base
      else { return false }
      return base.bare.ownName == store
    }
  }

  // MARK: - Assignments

  private struct Assignment {
    let name: String
    let offset: Int
    let value: ExprSyntax
    let truth: Truth
    /// The list of statements that contains the assignment.
    let block: CodeBlockItemListSyntax?

    init?(_ sequence: SequenceExprSyntax) {
      let elements = Array(sequence.elements)
      guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self),
        let name = elements[0].ownName
      else { return nil }
      self.name = name
      offset = elements[0].startOffset
      value = elements[2]
      let isFalse = value.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind == .keyword(.false)
      truth = isFalse ? .no : value.truth
      block = sequence.parent?.parent?.as(CodeBlockItemListSyntax.self)
    }
  }

  /// Returns all assignments to a property in the file, except those in other types. Nil if the property may be changed
  /// in other ways.
  private func assignments(to name: String) -> [Assignment]? {
    let mentions = WordFinder([name]).find(in: file)
    var found: [Assignment] = []
    var pending = [Syntax(file.tree)]
    while let node = pending.popLast() {
      if node.is(InOutExprSyntax.self) { return nil }
      if isOtherType(node) { continue }
      if let access = node.as(MemberAccessExprSyntax.self), access.declName.baseName.text == "toggle" {
        return nil
      }
      if let sequence = node.as(SequenceExprSyntax.self) {
        if let assignment = Assignment(sequence), assignment.name == name {
          guard found.count < Self.maximumAssignments else { return nil }
          found.append(assignment)
        } else if let sign = sequence.elements.first(where: { $0.is(AssignmentExprSyntax.self) }),
          mentions.touch(sequence.byteRange.lowerBound..<sign.startOffset)
        {
          return nil
        }
      }
      for child in node.children(viewMode: .sourceAccurate) where mentions.touch(child) {
        pending.append(child)
      }
    }
    return found
  }

  private func isOtherType(_ node: Syntax) -> Bool {
    guard
      [.actorDecl, .classDecl, .enumDecl, .protocolDecl, .structDecl].contains(node.kind)
    else { return false }
    return !node.byteRange.overlaps(members.byteRange)
  }
}
