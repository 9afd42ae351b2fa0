import SwiftSyntax

/// Finds everything in a file that has to be called exactly once. Only visits nodes that contain relevant words.
struct SubjectFinder {
  private let file: ParsedFile
  private let finder: HandlerFinder
  private let words: Mentions
  private(set) var subjects: [Subject] = []
  /// The names of functions whose last parameter is a handler.
  private(set) var handlerFunctions: Set<String> = []
  private(set) var stores: [StoredContinuation] = []
  /// The names of the types of possible handlers that are declared in other files.
  private(set) var unresolvedTypes: Set<String> = []

  init(_ file: ParsedFile, aliases: SharedAliases = SharedAliases()) {
    self.file = file
    words = HandlerWords.mentions(in: file)
    finder = HandlerFinder(file, shared: aliases)
    guard !words.isEmpty else { return }
    search()
  }

  /// The continuations of calls of `with…Continuation`, by the offsets of their closures.
  var continuations: [Int: Subject] {
    Dictionary(
      subjects.lazy.filter(\.isContinuation).map { ($0.offset, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private mutating func search() {
    /// The nodes to visit, each with the name of the enclosing function.
    var pending: [(node: Syntax, function: String)] = [(Syntax(file.tree), "")]
    while let (node, outer) = pending.popLast() {
      var function = outer
      switch node.kind {
      case .functionDecl:
        if let declaration = node.as(FunctionDeclSyntax.self) {
          function = FunctionName.of(declaration)
          visit(declaration, name: function)
        }
      case .initializerDecl:
        if let declaration = node.as(InitializerDeclSyntax.self) {
          function = FunctionName.of(declaration)
          visit(declaration, name: function)
        }
      case .functionCallExpr:
        if let call = node.as(FunctionCallExprSyntax.self) { visit(call, function: outer) }
      case .variableDecl:
        if let declaration = node.as(VariableDeclSyntax.self) {
          if outer.isEmpty, let name = FunctionName.of(declaration) { function = name }
        }
      default: break
      }
      for child in node.children(viewMode: .sourceAccurate) where words.touch(child) {
        pending.append((child, function))
      }
    }
    subjects.sort { $0.offset < $1.offset }
    stores = StoredContinuation.all(in: file)
    for index in subjects.indices where subjects[index].isContinuation {
      let (type, offset) = (
        Self.enclosingType(of: Syntax(subjects[index].statements)), subjects[index].offset
      )
      let keepers = stores.filter { store in
        store.kind != .box && store.holder == nil && store.typeName == type
          && store.isResumed(in: file, outside: offset)
      }
      subjects[index].keepers = Set(keepers.map(\.name))
    }
  }

  private static func enclosingType(of node: Syntax) -> String? {
    var node = node.parent
    while let current = node {
      if let name = current.typeDeclarationName { return name }
      node = current.parent
    }
    return nil
  }

  private mutating func visit(_ declaration: FunctionDeclSyntax, name: String) {
    let clause = declaration.signature.parameterClause
    guard words.touch(clause) else { return }
    unresolvedTypes.formUnion(finder.unresolvedNames(in: clause.parameters))
    let last = finder.handlers(in: clause.parameters).last
    if let last, Subscription.find(of: last, in: declaration, file: file) != nil { return }
    if last?.index == clause.parameters.count - 1 { handlerFunctions.insert(declaration.name.text) }
    add(
      clause, body: declaration.body, name: name, signature: declaration.signature,
      returnsVoid: declaration.signature.returnClause?.type.isVoid ?? true)
  }

  private mutating func visit(_ declaration: InitializerDeclSyntax, name: String) {
    let clause = declaration.signature.parameterClause
    guard words.touch(clause) else { return }
    unresolvedTypes.formUnion(finder.unresolvedNames(in: clause.parameters))
    add(clause, body: declaration.body, name: name, signature: declaration.signature, returnsVoid: true)
  }

  private mutating func add(
    _ clause: FunctionParameterClauseSyntax, body: CodeBlockSyntax?, name: String,
    signature: FunctionSignatureSyntax, returnsVoid: Bool
  ) {
    guard let body else { return }
    var handlers = finder.handlers(in: clause.parameters)
    if handlers.isEmpty, let pair = finder.successAndFailure(in: clause.parameters) { handlers = [pair] }
    for handler in handlers where handler.name != "_" {
      let own = handler.parameter.secondName ?? handler.parameter.firstName
      var subject = Subject(
        kind: .parameter(handler), name: handler.name, function: name, statements: body.statements,
        offset: own.startOffset, range: body.byteRange, end: body.rightBrace.startOffset,
        canThrow: signature.effectSpecifiers?.throwsClause != nil, returnsVoid: returnsVoid,
        parameters: clause.parameters.map { ($0.secondName ?? $0.firstName).text })
      subject.returnsBool = signature.returnClause?.type.trimmedDescription == "Bool"
      subject.duties = duties(in: clause.parameters, besides: handler)
      subjects.append(subject)
    }
  }

  private static let dutyWords = ["fail", "error", "success", "cancel", "reject", "otherwise", "notfound"]

  /// Returns the names of the other closures that are called instead of the handler, such as `failure`.
  private func duties(in parameters: FunctionParameterListSyntax, besides handler: Handler) -> Set<String> {
    let others = parameters.filter { parameter in
      guard parameter.id != handler.parameter.id, parameter.id != handler.failureParameter?.id,
        parameter.type.trimmedDescription.contains("->")
      else { return false }
      let words = (parameter.firstName.text + (parameter.secondName?.text ?? "")).lowercased()
      return Self.dutyWords.contains(where: words.contains)
    }
    return Set(others.map { ($0.secondName ?? $0.firstName).text })
  }

  private mutating func visit(_ call: FunctionCallExprSyntax, function: String) {
    guard HandlerWords.isContinuation(call),
      let closure = call.trailingClosure
        ?? call.arguments.last?.expression.as(ClosureExprSyntax.self)
    else { return }
    let parameters = closure.parameterNames
    let name = closure.signature?.parameterClause == nil ? "$0" : parameters.first
    guard let name, name != "_" else { return }
    subjects.append(
      Subject(
        kind: .continuation, name: name, function: function, statements: closure.statements,
        offset: closure.startOffset, range: closure.statements.byteRange, end: closure.rightBrace.startOffset,
        canThrow: false, returnsVoid: true, parameters: parameters))
  }
}

/// The words that a search for handlers looks for.
enum HandlerWords {
  static let continuations: Set<String> = [
    "withCheckedContinuation", "withCheckedThrowingContinuation", "withUnsafeContinuation",
    "withUnsafeThrowingContinuation",
  ]
  private static let exact = WordFinder(
    continuations.union(["escaping", "CheckedContinuation", "UnsafeContinuation", "Optional"]))

  static func isContinuation(_ call: FunctionCallExprSyntax) -> Bool {
    guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text else {
      return false
    }
    return continuations.contains(name)
  }

  /// Returns the places that may concern handlers: `escaping`, continuations, and optional closures.
  static func mentions(in file: ParsedFile) -> Mentions {
    var mentions = exact.find(in: file)
    var text = file.text
    let optionals = text.withUTF8 { bytes in
      var found = Mentions()
      for index in bytes.indices.dropFirst() {
        let before = bytes[index - 1]
        // `((Data?, Error?) -> Void)!`
        if bytes[index] == UInt8(ascii: "!"), before == UInt8(ascii: ")") { found.append(index) }
        guard bytes[index] == UInt8(ascii: "?") else { continue }
        // `((Data?, Error?) -> Void)?`, `Completion?`
        if before == UInt8(ascii: ")") || before == UInt8(ascii: "n") || before == UInt8(ascii: "k")
          || before == UInt8(ascii: "r") || before == UInt8(ascii: ">")
        {
          found.append(index)
        }
      }
      return found
    }
    mentions.merge(optionals)
    return mentions
  }
}

enum FunctionName {
  static func of(_ function: FunctionDeclSyntax) -> String {
    function.name.text + labels(function.signature.parameterClause)
  }

  static func of(_ initializer: InitializerDeclSyntax) -> String {
    "init" + labels(initializer.signature.parameterClause)
  }

  static func of(_ variable: VariableDeclSyntax) -> String? {
    variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
  }

  private static func labels(_ clause: FunctionParameterClauseSyntax) -> String {
    "(\(clause.parameters.map { "\($0.firstName.text):" }.joined()))"
  }
}
