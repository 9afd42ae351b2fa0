import SwiftSyntax

extension GraphBuilder {
  mutating func lower(block: CodeBlockItemListSyntax) {
    guard graph.current != nil else { return }
    exits.openScope(names: names.count)
    declareFunctions(in: block)
    lower(items: block)
    runDeferred(at: block.byteRange.upperBound)
    names.removeNames(after: exits.closeScope())
  }

  /// Runs the deferred blocks at the end of a block. They also run at every exit before the end.
  private mutating func runDeferred(at offset: Int) {
    guard exits.hasDeferredBlocks, graph.current != nil else { return }
    let end = graph.step(.pass, at: offset)
    leave(to: ExitStack.Destination(step: end, depth: exits.depth - 1))
    graph.resume(at: end)
  }

  /// Lowers the statements of one branch of `#if`. Their declarations stay in scope, but their deferred blocks run at
  /// the end of the branch, because other branches must not run them.
  mutating func lower(branch items: CodeBlockItemListSyntax) {
    exits.openScope(names: names.count)
    lower(items: items)
    runDeferred(at: items.byteRange.upperBound)
    exits.closeScope()
  }

  mutating func lower(items: CodeBlockItemListSyntax) {
    for item in items {
      guard graph.current != nil else { return }
      switch item.item {
      case .decl(let declaration): lower(declaration: declaration)
      case .stmt(let statement):
        if names.isRelevant(statement) { lower(statement: statement) }
      case .expr(let expression):
        if names.isRelevant(expression) { lower(expression) }
      @unknown default: break
      }
    }
  }

  mutating func lower(statement: StmtSyntax) {
    let label = label
    self.label = nil
    deeper(statement.position.utf8Offset) { builder in
      switch statement.as(StmtSyntaxEnum.self) {
      case .expressionStmt(let statement):
        builder.label = label
        builder.lower(statement.expression)
        builder.label = nil
      case .guardStmt(let statement): builder.lower(guard: statement)
      case .returnStmt(let statement):
        if let expression = statement.expression, !builder.returnsOwned(expression) {
          builder.lower(expression)
        }
        let offset = statement.positionAfterSkippingLeadingTrivia.utf8Offset
        if builder.returnsNilForTask(statement) {
          builder.graph.emit(.leavesVisibleCode, at: offset)
          builder.graph.current = nil
        } else {
          builder.leave(.returns, at: offset)
        }
      case .throwStmt(let statement):
        builder.lower(statement.expression)
        builder.raise(at: statement.positionAfterSkippingLeadingTrivia.utf8Offset, isCall: false)
        builder.graph.current = nil
      case .labeledStmt(let statement):
        builder.label = statement.label.text
        builder.lower(statement: statement.statement)
        builder.label = nil
      case .breakStmt(let statement):
        builder.leave(to: builder.exits.breakTarget(label: statement.label?.text))
      case .continueStmt(let statement):
        builder.leave(to: builder.exits.continueTarget(label: statement.label?.text))
      case .deferStmt(let statement):
        builder.exits.deferBlock(
          statement.body.statements, range: statement.byteRange, names: builder.names.count)
      case .doStmt(let statement): builder.lower(do: statement, label: label)
      case .whileStmt(let statement): builder.lower(while: statement, label: label)
      case .repeatStmt(let statement): builder.lower(repeat: statement, label: label)
      case .forStmt(let statement): builder.lower(for: statement, label: label)
      case .fallThroughStmt: builder.leave(to: builder.exits.fallthroughTarget)
      case .discardStmt, .missingStmt: break
      case .yieldStmt(let statement): builder.lowerChildren(of: Syntax(statement))
      default: builder.lowerChildren(of: Syntax(statement))
      }
    }
  }

  private mutating func lower(guard statement: GuardStmtSyntax) {
    let (passed, failed) = branch(on: statement.conditions, isGuard: true)
    graph.current = failed
    lower(block: statement.body.statements)
    // The body of a guard always leaves the scope, except in code that does not compile.
    let stray = graph.current
    graph.join([passed, stray], at: statement.endPosition.utf8Offset)
  }

  // MARK: - Declarations

  /// Declares the local functions of a block first, because they can be called before their declaration.
  ///
  /// A function that calls another function which mentions the handler also counts as mentioning it.
  private mutating func declareFunctions(in block: CodeBlockItemListSyntax) {
    guard names.mayMentionHandler(block) else { return }
    var others = block.compactMap { item -> (function: FunctionDeclSyntax, body: CodeBlockSyntax)? in
      guard case .decl(let declaration) = item.item, let function = declaration.as(FunctionDeclSyntax.self),
        let body = function.body
      else { return nil }
      return (function, body)
    }
    while !graph.isBlocked, let index = others.firstIndex(where: { names.mayMentionHandler($0.body) }) {
      let (function, body) = others.remove(at: index)
      declare(
        local: function.name.text, statements: body.statements,
        end: body.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset,
        parameters: function.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).text }
      )
    }
    for (function, _) in others { names.declare(function.name.text, .other) }
  }

  mutating func declare(
    local name: String, statements: CodeBlockItemListSyntax, end: Int, parameters: [String]
  ) {
    localFunctionCount += 1
    makeRelevant(name, isHandler: true)
    names.declare(
      name,
      .function(
        NameTable.LocalFunction(
          id: localFunctionCount, statements: statements, end: end, parameters: parameters)))
  }

  private mutating func lower(declaration: DeclSyntax) {
    if let variable = declaration.as(VariableDeclSyntax.self) {
      lower(variable: variable)
    } else if let conditional = declaration.as(IfConfigDeclSyntax.self) {
      if names.isRelevant(conditional) { lower(conditional: conditional) }
    }
    // Local functions are already declared. A local type cannot capture the handler.
  }

  private mutating func lower(variable: VariableDeclSyntax) {
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    for binding in variable.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        if let value = binding.initializer?.value, take(value, as: binding.pattern) { continue }
        if let value = binding.initializer?.value, names.isRelevant(value) { lower(value) }
        names.declareNames(in: binding.pattern)
        continue
      }
      guard let value = binding.initializer?.value else {
        if let accessors = binding.accessorBlock, names.mayMentionHandler(accessors) {
          graph.emit(.leavesVisibleCode, at: accessors.positionAfterSkippingLeadingTrivia.utf8Offset)
        }
        declareVariable(name, isConstant: isConstant, value: nil, type: binding.typeAnnotation?.type)
        continue
      }
      if isConstant, let closure = value.as(ClosureExprSyntax.self), names.mayMentionHandler(closure) {
        declare(
          local: name, statements: closure.statements,
          end: closure.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset,
          parameters: closure.parameterNames)
        continue
      }
      if isConstant, subject.isStored == false, let reference = value.as(DeclReferenceExprSyntax.self),
        names.isHandler(reference.baseName.text)
      {
        makeRelevant(name, isHandler: true)
        names.declare(name, .handler)
        continue
      }
      if subject.isStored, take(value, as: name) { continue }
      if isConstant, !subject.isStored, Latch.isClaim(value) || Latch.keepsFlag(value, names: names),
        !names.mayMentionHandler(value)
      {
        makeRelevant(name, isHandler: false)
        names.declare(name, .latch)
        continue
      }
      if isConstant, let response = response(value) {
        names.declare(name, .response(response))
        continue
      }
      if names.isRelevant(value) { lower(value) }
      declareVariable(name, isConstant: isConstant, value: value, type: binding.typeAnnotation?.type)
    }
  }

  private mutating func declareVariable(
    _ name: String, isConstant: Bool, value: ExprSyntax?, type: TypeSyntax?
  ) {
    let written = type?.wrappedOptional != nil
    let origin = value.flatMap(\.optionalOrigin)
    let index = declareVariable(name, isOptional: written || origin != nil, origin: origin ?? name)
    guard let index else { return }
    if !isConstant || value == nil {
      graph.variables[index].writtenAssignments = names.countAssignments(to: name)
      if graph.variables[index].writtenAssignments > 0 { makeRelevant(name, isHandler: false) }
    }
    // The initial value is the first assignment, but not a mutation.
    let truth =
      value.map(\.truth) ?? (type?.is(OptionalTypeSyntax.self) == true && !isConstant ? .no : .unknown)
    graph.variables[index].startsKnown = truth != .unknown
    graph.emit(.assign(variable: index, truth), at: value?.position.utf8Offset ?? subject.range.lowerBound)
  }
}
