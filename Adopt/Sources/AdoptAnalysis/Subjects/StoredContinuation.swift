import SwiftSyntax

/// A property that stores a continuation, or several, until they are resumed.
struct StoredContinuation {
  let name: String
  let property: PatternBindingSyntax
  /// The members of the type that declares it.
  let members: MemberBlockSyntax
  let kind: Ownership.Kind
  let isPrivate: Bool
  let typeName: String?

  /// Returns the stored properties of a declaration that hold continuations.
  static func declared(by variable: VariableDeclSyntax) -> [StoredContinuation] {
    guard let item = variable.parent?.as(MemberBlockItemSyntax.self),
      let members = item.parent?.parent?.as(MemberBlockSyntax.self)
    else { return [] }
    let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
    let isPrivate = variable.modifiers.contains { ["private", "fileprivate"].contains($0.name.text) }
    return variable.bindings.compactMap { binding in
      // Observers and accessors may handle the old value.
      guard binding.accessorBlock == nil,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let kind = kind(of: binding), isVariable || kind == .box
      else { return nil }
      return StoredContinuation(
        name: name, property: binding, members: members, kind: kind, isPrivate: isPrivate,
        typeName: members.parent?.typeDeclarationName)
    }
  }

  private static let boxes = [
    "Mutex<", "OSAllocatedUnfairLock<", "NIOLockedValueBox<", "LockIsolated<", "Locked<", "Protected<",
    "ManagedCriticalState<",
  ]

  private static func kind(of binding: PatternBindingSyntax) -> Ownership.Kind? {
    if let type = binding.typeAnnotation?.type {
      if let wrapped = type.wrappedOptional { return isContinuation(wrapped) ? .optional : nil }
      if let array = type.as(ArrayTypeSyntax.self) {
        return isContinuation(array.element) ? .collection : nil
      }
      if let dictionary = type.as(DictionaryTypeSyntax.self) {
        return isContinuation(dictionary.value) ? .collection : nil
      }
    }
    let text =
      binding.typeAnnotation?.type.trimmedDescription ?? binding.initializer?.value.trimmedDescription ?? ""
    if let box = boxes.first(where: text.hasPrefix) {
      let content = text.dropFirst(box.count)
      return (content.hasPrefix("CheckedContinuation<") || content.hasPrefix("UnsafeContinuation<"))
        && content.contains(">?>")
        ? .box : nil
    }
    return text.hasPrefix("[") && text.contains("Continuation<") && text.hasSuffix("()")
      && !text.contains("(id")
      ? .collection : nil
  }

  private static func isContinuation(_ type: TypeSyntax) -> Bool {
    let name = type.as(IdentifierTypeSyntax.self)?.name.text
    return name == "CheckedContinuation" || name == "UnsafeContinuation"
  }

  // MARK: - Functions

  struct Function {
    let name: String
    let base: String
    let body: CodeBlockSyntax
    let parameters: [String]
    let canThrow: Bool
    let returnsVoid: Bool
    let returnsContinuation: Bool
  }

  /// Returns the functions of the type, in its body and in extensions in the same file.
  private func allFunctions(in file: ParsedFile) -> [Function] {
    var blocks = [members]
    if let typeName {
      for statement in file.tree.statements {
        guard let declaration = statement.item.as(ExtensionDeclSyntax.self),
          declaration.extendedType.trimmedDescription == typeName, declaration.memberBlock.id != members.id
        else { continue }
        blocks.append(declaration.memberBlock)
      }
    }
    return blocks.flatMap { block in
      block.members.compactMap { member in
        guard let function = member.decl.as(FunctionDeclSyntax.self), let body = function.body else {
          return nil
        }
        return Function(
          name: FunctionName.of(function), base: function.name.text, body: body,
          parameters: Self.names(function.signature.parameterClause),
          canThrow: function.signature.effectSpecifiers?.throwsClause != nil,
          returnsVoid: function.signature.returnClause?.type.isVoid ?? true,
          returnsContinuation: function.signature.returnClause?.type.trimmedDescription.contains(
            "Continuation<") ?? false)
      }
    }
  }

  /// Returns the functions of the type that mention the property.
  func functions(in file: ParsedFile) -> [Function] {
    let mentions = WordFinder([name]).find(in: file)
    return allFunctions(in: file).filter { mentions.touch($0.body) }
  }

  /// Returns whether a function that does not contain a place resumes what the property stores.
  func isResumed(in file: ParsedFile, outside offset: Int) -> Bool {
    functions(in: file).contains { function in
      guard !function.body.byteRange.contains(offset) else { return false }
      let text = file.text(in: function.body.byteRange)
      return text.contains("resume") && readings.contains { text.contains($0) }
    }
  }

  /// Texts that read what the property stores, and not a parameter with the same name.
  private var readings: [String] {
    [
      "self.\(name)?", "\(name)?.resume", "\(name) {", "\(name) else", "= \(name)\n", "= self.\(name)",
      "in \(name)",
    ]
      + ["removeValue", "removeFirst", "popLast", "forEach"].map { "\(name).\($0)" }
  }

  /// Returns whether code calls a function with a name.
  private static func calls(_ name: String, in body: CodeBlockSyntax, of file: ParsedFile) -> Bool {
    WordFinder([name]).find(in: file, range: body.byteRange).offsets.contains { offset in
      let end = offset + name.utf8.count
      return ["(", " {"].contains { file.text(in: end..<(end + 2)).hasPrefix($0) }
    }
  }

  private static func names(_ clause: FunctionParameterClauseSyntax) -> [String] {
    clause.parameters.map { ($0.secondName ?? $0.firstName).text }
  }

  /// Returns the functions that are to be checked: those that mention the property, or call such a function.
  ///
  /// Functions that others of the type call are followed there.
  func subjects(in file: ParsedFile) -> [Subject] {
    let all = allFunctions(in: file)
    var relevant: [Int] = []
    var words: Set<String> = [name]
    var grows = true
    while grows {
      let mentions = WordFinder(words).find(in: file)
      let found = all.indices.filter { mentions.touch(all[$0].body) }
      grows = found.count > relevant.count && relevant.count < 200
      relevant = found
      words.formUnion(found.map { all[$0].base })
    }
    guard
      relevant.contains(where: {
        WordFinder(["resume"]).find(in: file, range: all[$0].body.byteRange).isEmpty == false
      })
    else { return [] }
    let reportsKept = reportsKept(relevant.map { all[$0] }, in: file)
    return relevant.compactMap { index in
      let function = all[index]
      guard !function.parameters.contains(name) else { return nil }
      let isCalled = all.indices.contains { other in
        other != index && Self.calls(function.base, in: all[other].body, of: file)
      }
      guard !isCalled else { return nil }
      return subject(
        function, others: relevant.filter { $0 != index }.map { ($0, all[$0]) }, reportsKept, file)
    }
  }

  private func subject(
    _ function: Function, others: [(Int, Function)], _ reportsKept: Bool, _ file: ParsedFile
  ) -> Subject {
    var counts: [String: Int] = [function.base: 1]
    for (_, other) in others { counts[other.base, default: 0] += 1 }
    let followed = others.filter { counts[$0.1.base] == 1 && !$0.1.parameters.contains(name) }.prefix(12)
    var subject = Subject(
      kind: .stored, name: name, function: function.name, statements: function.body.statements,
      offset: function.body.startOffset, range: 0..<file.text.utf8.count,
      end: function.body.rightBrace.startOffset, canThrow: function.canThrow,
      returnsVoid: function.returnsVoid, parameters: function.parameters)
    subject.ownership = Ownership(
      kind: kind,
      methods: followed.map { index, other in
        (
          other.base,
          NameTable.LocalFunction(
            id: -1 - index, statements: other.body.statements, end: other.body.rightBrace.startOffset,
            parameters: other.parameters, isMethod: true, returnsContinuation: other.returnsContinuation)
        )
      },
      opaque: Set(counts.keys).subtracting(followed.map(\.1.base)), reportsKept: reportsKept)
    return subject
  }

  private static let eventWords = [
    "didUpdate", "didChange", "didReceive", "didFind", "didDiscover", "didOutput", "didRange", "didEnter",
    "Update",
    "Changed", "Received",
  ]

  /// Returns whether it is an error to keep a continuation that was resumed. Many objects are used only once, so there
  /// must be a sign that a function runs again.
  private func reportsKept(_ functions: [Function], in file: ParsedFile) -> Bool {
    if kind == .collection { return true }
    var resuming = 0
    var isEvent = false
    for function in functions {
      let text = file.text(in: function.body.byteRange)
      if text.contains("= nil") || text.contains(".take()") || text.contains("&\(name)") { return false }
      if text.contains("resume(") { resuming += 1 }
      if Self.eventWords.contains(where: function.name.contains) { isEvent = true }
    }
    return isEvent || resuming > 1
  }

  /// Returns a finding if code stores continuations that no code can resume.
  func forgotten(in file: ParsedFile) -> Finding? {
    guard isPrivate, kind == .collection else { return nil }
    var first: Int?
    for offset in WordFinder([name]).find(in: file).offsets where !property.byteRange.contains(offset) {
      let start = offset + name.utf8.count
      let rest = file.text(in: start..<(start + 40))
      let isStore = rest.hasPrefix(".append(") || rest.hasPrefix(".insert(")
      guard isStore || rest.hasPrefix(".count") || rest.hasPrefix(".isEmpty") else { return nil }
      if isStore { first = first ?? offset }
    }
    guard let first else { return nil }
    return Finding(
      kind: .lost, place: file.place(at: first), handler: name, function: typeName ?? "",
      message: "the continuation is stored in '\(name)', which no code reads to resume it",
      notes: [(file.place(of: property), "'\(name)' stores it")],
      fingerprint: Fingerprint.of(
        .lost, function: typeName ?? "", handler: name, statementAt: first, in: file))
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
      // In the closure, the parameter hides a property with the same name.
      if Self.isMember(file, offset) || !isShadowed || offset < closure.startOffset { return nil }
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

extension Syntax {
  /// The name of the type that this declares or extends.
  var typeDeclarationName: String? {
    if let declaration = self.as(ClassDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(ActorDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(StructDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(EnumDeclSyntax.self) { return declaration.name.text }
    return self.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
  }
}
