import SwiftSyntax

/// A property that stores a continuation, or several, until they are resumed.
struct StoredContinuation {
  let name: String
  /// The property that contains the struct of which `name` is a member. Nil if `name` is a property of the type.
  var holder: String?
  /// The other stored members of that struct.
  var otherMembers: Set<String> = []
  /// Whether that struct is behind a lock.
  var isBoxed = false
  let property: PatternBindingSyntax
  /// The members of the type that declares it.
  let members: MemberBlockSyntax
  let kind: Ownership.Kind
  let payload: ContinuationPayload
  let isPrivate: Bool
  let typeName: String?

  /// The name that all code that uses it mentions.
  var word: String { holder ?? name }
  /// The name for messages.
  var shownName: String { holder.map { "\($0).\(name)" } ?? name }

  /// Returns all stored properties in a file that hold continuations.
  static func all(in file: ParsedFile) -> [StoredContinuation] {
    guard !WordFinder(ContinuationTypes.continuations).find(in: file).isEmpty else { return [] }
    let types = ContinuationTypes(file)
    let mentions = WordFinder(types.words).find(in: file)
    var found: [StoredContinuation] = []
    var pending = [Syntax(file.tree)]
    while let node = pending.popLast() {
      if let variable = node.as(VariableDeclSyntax.self) {
        found += declared(by: variable, types: types)
        continue
      }
      for child in node.children(viewMode: .sourceAccurate)
      where mentions.touch(child) && !child.is(CodeBlockSyntax.self) {
        pending.append(child)
      }
    }
    return found.sorted { $0.property.startOffset < $1.property.startOffset }
  }

  /// Returns the stored properties of a declaration that hold continuations.
  private static func declared(by variable: VariableDeclSyntax, types: ContinuationTypes)
    -> [StoredContinuation]
  {
    guard let item = variable.parent?.as(MemberBlockItemSyntax.self),
      let members = item.parent?.parent?.as(MemberBlockSyntax.self)
    else { return [] }
    let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
    let isPrivate = variable.modifiers.contains { ["private", "fileprivate"].contains($0.name.text) }
    return variable.bindings.flatMap { binding -> [StoredContinuation] in
      // Observers and accessors may handle the old value.
      guard binding.accessorBlock == nil,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      else { return [] }
      let typeName = members.parent?.typeDeclarationName
      if let storage = types.storage(of: binding, in: members) {
        guard isVariable || storage.isBoxed else { return [] }
        return [
          StoredContinuation(
            name: name, property: binding, members: members, kind: storage.kind, payload: storage.payload,
            isPrivate: isPrivate, typeName: typeName)
        ]
      }
      return types.nested(in: binding, of: members).filter { isVariable || $0.isBoxed }.map { inner in
        StoredContinuation(
          name: inner.name, holder: name, otherMembers: inner.otherMembers, isBoxed: inner.isBoxed,
          property: binding, members: members, kind: inner.storage.kind, payload: inner.storage.payload,
          isPrivate: isPrivate, typeName: typeName)
      }
    }
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
    let mentions = WordFinder([word]).find(in: file)
    return allFunctions(in: file).filter { mentions.touch($0.body) }
  }

  /// Returns the words by which code in other files may use the continuation: the property, unless it is private, and
  /// the functions that use it.
  func sharedWords(in file: ParsedFile) -> Set<String> {
    Set(functions(in: file).map(\.base)).union(isPrivate ? [] : [word])
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
    var words: Set<String> = [word]
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
      guard !function.parameters.contains(word) else { return nil }
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
    let followed = others.filter { counts[$0.1.base] == 1 && !$0.1.parameters.contains(word) }.prefix(12)
    var subject = Subject(
      kind: .stored, name: name, function: function.name, statements: function.body.statements,
      offset: function.body.startOffset, range: 0..<file.text.utf8.count,
      end: function.body.rightBrace.startOffset, canThrow: function.canThrow,
      returnsVoid: function.returnsVoid, parameters: function.parameters)
    subject.ownership = Ownership(
      kind: kind, payload: payload, holder: holder, otherMembers: otherMembers, isBoxed: isBoxed,
      methods: followed.map { index, other in
        (
          other.base,
          NameTable.LocalFunction(
            id: -1 - index, statements: other.body.statements, end: other.body.rightBrace.startOffset,
            parameters: other.parameters, isMethod: true, returnsContinuation: other.returnsContinuation)
        )
      },
      opaque: Set(counts.keys).subtracting(followed.map(\.1.base)), reportsKept: reportsKept,
      takesAnyError: takesAnyError)
    return subject
  }

  /// Whether the continuation can be resumed with any error, as far as its type is written.
  var takesAnyError: Bool {
    var pending = [Syntax(property)]
    while let node = pending.popLast() {
      if let type = node.as(IdentifierTypeSyntax.self),
        ContinuationTypes.continuations.contains(type.name.text)
      {
        let failure = type.genericArgumentClause?.arguments.last?.argument.trimmedDescription ?? ""
        return ["any Error", "Error", "any Swift.Error", "Swift.Error"].contains(failure)
      }
      pending += node.children(viewMode: .sourceAccurate)
    }
    return false
  }

  private static let eventWords = [
    "didUpdate", "didChange", "didReceive", "didFind", "didDiscover", "didOutput", "didRange", "didEnter",
    "Update",
    "Changed", "Received",
  ]

  /// Returns whether it is an error to keep a continuation that was resumed. Many objects are used only once, so there
  /// must be a sign that a function runs again, or another function must set the property to nil when it resumes.
  private func reportsKept(_ functions: [Function], in file: ParsedFile) -> Bool {
    if kind == .collection { return true }
    var resuming = 0
    var isEvent = false
    var clears = false
    for function in functions {
      let text = file.text(in: function.body.byteRange)
      if !payload.isState {
        if text.contains(".take()") || text.contains("&\(word)") { return false }
        if text.contains("= nil") {
          // The function that waits, or one that is called after resuming, may clear the property for all.
          guard text.contains("resume("), !text.contains("Continuation {") else { return false }
          clears = true
        }
      }
      if text.contains("resume(") { resuming += 1 }
      if Self.eventWords.contains(where: function.name.contains) { isEvent = true }
    }
    return isEvent || clears || resuming > 1
  }

  /// Returns a finding if code stores continuations that no code can resume.
  func forgotten(in file: ParsedFile) -> Finding? {
    guard isPrivate, kind == .collection, holder == nil else { return nil }
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
