import SwiftSyntax

/// Whether a function that stores a continuation turns a second call away while the first is under way, by another
/// property of its type: one that it tests at its beginning and sets before anything else can run.
///
/// Sure is only what cannot go wrong: nothing else stores a continuation there, and the property is set back after the
/// continuation was resumed, either always by the call that set it, or always by who resumes it. If both do, a call that
/// ends late sets back what the next one has set.
struct SingleFlight {
  /// Who sets a property in more places is not followed.
  private static let mostAssignments = 32

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

  var isSure: Bool {
    guard let home, call.parent?.is(AwaitExprSyntax.self) == true else { return false }
    let statements = Array(body.statements)
    for (index, statement) in statements.enumerated() {
      if statement.byteRange.upperBound > offset { return false }
      guard let property = Self.tested(by: statement), property != store, !parameters.contains(property),
        isPrivate(property)
      else { continue }
      let rest = statements[(index + 1)...]
      if let set = setting(of: property, in: rest), isStoredHereOnly,
        isSetBackRightly(property, setAt: set, home: home)
      {
        return true
      }
    }
    return false
  }

  // MARK: - Where the continuation is waited for

  /// The body of the function, or of the task that it starts once, whose end comes after the continuation was resumed.
  private var home: Syntax? {
    var node = Syntax(call)
    while let parent = node.parent {
      if parent.id == body.id { return Syntax(body) }
      if let closure = parent.as(ClosureExprSyntax.self), let called = Self.call(of: closure) {
        guard let name = GraphBuilder.name(called.calledExpression) else { return nil }
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

  /// Whether a call is made once at most each time the function runs: nothing loops around it.
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

  /// The property on which a statement leaves the function if it is there, or true.
  private static func tested(by statement: CodeBlockItemSyntax) -> String? {
    if let test = statement.item.as(GuardStmtSyntax.self) {
      return test.conditions.lazy.compactMap { condition -> String? in
        guard case .expression(let expression) = condition.condition else { return nil }
        if let negation = expression.as(PrefixOperatorExprSyntax.self), negation.operator.text == "!" {
          return GraphBuilder.ownName(negation.expression)
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
      return GraphBuilder.ownName(expression) ?? comparedWithNil(expression, by: "!=")
    case .optionalBinding(let binding):
      guard let value = binding.initializer?.value else {
        return binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      }
      return GraphBuilder.ownName(value)
    default: return nil
    }
  }

  private static func comparedWithNil(_ expression: ExprSyntax, by sign: String) -> String? {
    guard let elements = expression.as(SequenceExprSyntax.self).map({ Array($0.elements) }),
      elements.count == 3,
      elements[1].as(BinaryOperatorExprSyntax.self)?.operator.text == sign,
      elements[2].is(NilLiteralExprSyntax.self)
    else { return nil }
    return GraphBuilder.ownName(elements[0])
  }

  /// Whether only this type can change it, and its extensions in this file.
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

  // MARK: - Setting it, and setting it back

  /// Where the function sets it, if nothing else can run before, nor the task that waits be left without.
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

  /// `Task { … }`, or the name of a constant that is one: never nil.
  private func isTask(_ value: ExprSyntax) -> Bool {
    if let call = value.as(FunctionCallExprSyntax.self) {
      return GraphBuilder.name(call.calledExpression) == "Task"
    }
    guard let name = GraphBuilder.name(value) else { return false }
    return body.statements.contains { item in
      guard let variable = item.item.as(VariableDeclSyntax.self) else { return false }
      return variable.bindings.contains {
        $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
          && $0.initializer?.value.as(FunctionCallExprSyntax.self).map { isTask(ExprSyntax($0)) } == true
      }
    }
  }

  /// Whether one of these words stands in code, outside closures.
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

  private func isSetBackRightly(_ property: String, setAt set: Int, home: Syntax) -> Bool {
    guard let others = assignments(to: property)?.filter({ $0.offset != set }),
      others.allSatisfy({ $0.truth == .no })
    else { return false }
    return others.allSatisfy { isSetBackByItself($0, setAt: set, home: home) }
      || home.id == body.id && others.allSatisfy(isSetBackWithResuming)
  }

  /// After the wait in the same block, or whenever that block is left.
  private func isSetBackByItself(_ assignment: Assignment, setAt set: Int, home: Syntax) -> Bool {
    // Who is turned away must not set it back.
    guard var block = assignment.block, home.id != body.id || assignment.offset > set else { return false }
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
        return parent.id == home.id || home.parent?.id == parent.id
      }
      node = parent
    }
    return false
  }

  /// Together with the statement that resumes what waits.
  private func isSetBackWithResuming(_ assignment: Assignment) -> Bool {
    guard let block = assignment.block, !body.byteRange.contains(assignment.offset),
      !Self.has([.await], Syntax(block))
    else { return false }
    return block.contains { item in
      guard
        let resuming = item.item.as(FunctionCallExprSyntax.self)?.calledExpression
          .as(MemberAccessExprSyntax.self), resuming.declName.baseName.text == "resume",
        let base = resuming.base
      else { return false }
      return GraphBuilder.ownName(GraphBuilder.bare(base)) == store
    }
  }

  // MARK: - Assignments

  private struct Assignment {
    let name: String
    let offset: Int
    let value: ExprSyntax
    let truth: Graph.Truth
    /// The statements among which it stands.
    let block: CodeBlockItemListSyntax?

    init?(_ sequence: SequenceExprSyntax) {
      let elements = Array(sequence.elements)
      guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self),
        let name = GraphBuilder.ownName(elements[0])
      else { return nil }
      self.name = name
      offset = elements[0].startOffset
      value = elements[2]
      let isFalse = value.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind == .keyword(.false)
      truth = isFalse ? .no : GraphBuilder.truth(value)
      block = sequence.parent?.parent?.as(CodeBlockItemListSyntax.self)
    }
  }

  /// All assignments to a property in the file, but for what other types call so; nil if it may be changed in other ways.
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
          guard found.count < Self.mostAssignments else { return nil }
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
