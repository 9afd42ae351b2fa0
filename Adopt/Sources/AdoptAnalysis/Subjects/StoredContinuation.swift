import SwiftSyntax

/// A property that stores a continuation until it is resumed.
struct StoredContinuation {
  let name: String
  let property: PatternBindingSyntax
  /// The members of the type that declares it.
  let members: MemberBlockSyntax

  /// Returns the stored properties of a declaration that are optional continuations.
  static func declared(by variable: VariableDeclSyntax) -> [StoredContinuation] {
    guard variable.bindingSpecifier.tokenKind == .keyword(.var),
      let item = variable.parent?.as(MemberBlockItemSyntax.self),
      let members = item.parent?.parent?.as(MemberBlockSyntax.self)
    else { return [] }
    return variable.bindings.compactMap { binding in
      // Observers and accessors may handle the old value.
      guard binding.accessorBlock == nil,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let type = binding.typeAnnotation?.type.wrappedOptional?.as(IdentifierTypeSyntax.self)?.name.text,
        type == "CheckedContinuation" || type == "UnsafeContinuation"
      else { return nil }
      return StoredContinuation(name: name, property: binding, members: members)
    }
  }

  /// Returns the functions of the type that mention the property.
  func functions(in file: ParsedFile) -> [Function] {
    let mentions = WordFinder([name]).find(in: file, range: members.byteRange)
    var functions: [Function] = []
    for member in members.members where mentions.touch(member) {
      if let function = member.decl.as(FunctionDeclSyntax.self), let body = function.body {
        functions.append(
          Function(
            name: FunctionName.of(function), body: body,
            parameters: Self.names(function.signature.parameterClause),
            canThrow: function.signature.effectSpecifiers?.throwsClause != nil,
            returnsVoid: function.signature.returnClause?.type.isVoid ?? true))
      }
    }
    return functions
  }

  struct Function {
    let name: String
    let body: CodeBlockSyntax
    let parameters: [String]
    let canThrow: Bool
    let returnsVoid: Bool
  }

  private static func names(_ clause: FunctionParameterClauseSyntax) -> [String] {
    clause.parameters.map { ($0.secondName ?? $0.firstName).text }
  }

  /// Returns a subject for checking whether a function resumes the stored continuation twice.
  func subject(in function: Function, file: ParsedFile) -> Subject? {
    guard !function.parameters.contains(name) else { return nil }
    let resumes = WordFinder(["resume"]).find(in: file, range: function.body.byteRange)
    guard resumes.offsets.count > 1 else { return nil }
    return Subject(
      kind: .stored, name: name, function: function.name, statements: function.body.statements,
      offset: function.body.startOffset, range: function.body.byteRange,
      end: function.body.rightBrace.startOffset, canThrow: function.canThrow,
      returnsVoid: function.returnsVoid, parameters: function.parameters)
  }

  // MARK: - Overwriting

  /// Returns the assignments that store a continuation without a test before whether the property already contains one.
  func overwrites(in function: Function, file: ParsedFile) -> [Overwrite] {
    var overwrites: [Overwrite] = []
    let mentions = WordFinder([name]).find(in: file, range: function.body.byteRange)
    var pending = [Syntax(function.body)]
    while let node = pending.popLast() {
      if let sequence = node.as(SequenceExprSyntax.self),
        let overwrite = overwrite(sequence, function, mentions, file)
      {
        if !SecondCallGuard(of: overwrite, to: self, in: function, file: file).isSafe {
          overwrites.append(overwrite)
        }
        continue
      }
      for child in node.children(viewMode: .sourceAccurate) where mentions.touch(child) {
        pending.append(child)
      }
    }
    return overwrites
  }

  private func overwrite(
    _ sequence: SequenceExprSyntax, _ function: Function, _ mentions: Mentions, _ file: ParsedFile
  ) -> Overwrite? {
    let elements = Array(sequence.elements)
    guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self), isProperty(elements[0]),
      let value = elements[2].as(DeclReferenceExprSyntax.self)?.baseName.text,
      let (call, closure) = Self.continuation(named: value, around: Syntax(sequence))
    else { return nil }
    let start = elements[0].startOffset
    let isShadowed = value == name
    for offset in mentions.offsets where offset < start {
      if Self.isMember(file, offset) || !isShadowed { return nil }
    }
    let finding = Finding(
      kind: .lost, place: file.place(at: start), handler: name, function: function.name,
      message: "if a continuation is still waiting in '\(name)', it is overwritten here and never resumed",
      notes: [(file.place(of: property), "'\(name)' stores it until it is resumed")],
      fingerprint: Fingerprint.of(
        .lost, function: function.name, handler: name, statementAt: start, in: file))
    return Overwrite(finding: finding, offset: start, call: call, closure: closure)
  }

  private func isProperty(_ expression: ExprSyntax) -> Bool {
    expression.ownName == name
  }

  /// Returns the enclosing call of `with…Continuation` whose closure has a parameter with this name.
  private static func continuation(
    named name: String, around node: Syntax
  ) -> (FunctionCallExprSyntax, ClosureExprSyntax)? {
    var node = node
    while let parent = node.parent {
      if let closure = parent.as(ClosureExprSyntax.self) {
        let names = closure.parameterNames
        if names.contains(name) || (names.isEmpty && name == "$0") {
          var call = closure.parent
          for _ in 0..<3 {
            if let found = call?.as(FunctionCallExprSyntax.self) {
              return HandlerWords.isContinuation(found) ? (found, closure) : nil
            }
            call = call?.parent
          }
          return nil
        }
      }
      node = parent
    }
    return nil
  }

  private static func isMember(_ file: ParsedFile, _ offset: Int) -> Bool {
    let before = file.text(in: max(0, offset - 6)..<offset)
    return before.hasSuffix("self.") || before.hasSuffix("self?.") || before.hasSuffix("self!.")
  }
}
