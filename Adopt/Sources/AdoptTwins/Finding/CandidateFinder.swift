import AdoptAnalysis
import SwiftSyntax

/// Collects everything that writing twins needs to know about a file, in one pass.
final class CandidateFinder: SyntaxVisitor {
  private let handlers: HandlerFinder
  private(set) var candidates: [Candidate] = []
  private(set) var initializers: [InitializerCandidate] = []
  private(set) var asyncFunctions: Set<AsyncFunction> = []
  /// Functions that are not async, by the form of their calls.
  private(set) var plainFunctions: Set<AsyncFunction> = []
  /// Types of this file whose values have a `cancel()` that is not async.
  private(set) var cancellableTypes: Set<String> = []
  /// Whether the file imports Foundation.
  private(set) var importsFoundation = false
  /// The last import of the file.
  private(set) var lastImport: ImportDeclSyntax?
  /// The names of the types that the file declares.
  private(set) var declaredTypes: Set<String> = []
  /// Properties and cases without arguments, whose names a function without parameters cannot have.
  private(set) var properties: Set<AsyncFunction> = []

  init(_ file: ParsedFile, shared: SharedAliases = SharedAliases()) {
    handlers = HandlerFinder(file, shared: shared)
    super.init(viewMode: .sourceAccurate)
    walk(file.tree)
  }

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.path.first?.name.text == "Foundation" { importsFoundation = true }
    // An import inside `#if` may not be compiled.
    if node.parent?.parent?.parent?.is(SourceFileSyntax.self) == true { lastImport = node }
    return .skipChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let parameters = node.signature.parameterClause.parameters
    if node.isAsync {
      asyncFunctions.insert(AsyncFunction(type: Scope(of: node).type, name: node.fullName))
      return .visitChildren
    }
    plainFunctions.insert(AsyncFunction(type: Scope(of: node).type, name: node.fullName))
    if parameters.isEmpty {
      if node.name.text == "cancel", !node.modifiers.contains(where: { $0.name.text == "static" }) {
        noteCancellable(Scope(of: node))
      }
    } else if let handler = handlers.handler(in: parameters) {
      candidates.append(Candidate(function: node, handler: handler, scope: Scope(of: node)))
    }
    return .visitChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    if let handler = handlers.handler(in: node.signature.parameterClause.parameters) {
      initializers.append(InitializerCandidate(declaration: node, handler: handler))
    }
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.parent?.is(MemberBlockItemSyntax.self) == true {
      for binding in node.bindings {
        if let name = binding.pattern.as(IdentifierPatternSyntax.self) {
          noteProperty(name.identifier, of: node)
        }
      }
    }
    return .visitChildren
  }

  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
    for element in node.elements where element.parameterClause == nil { noteProperty(element.name, of: node) }
    return .skipChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { note(node.name) }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { note(node.name) }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { note(node.name) }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { note(node.name) }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { note(node.name) }

  private func note(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
    declaredTypes.insert(name.text)
    return .visitChildren
  }

  private func noteProperty(_ name: TokenSyntax, of node: some SyntaxProtocol) {
    let name = FunctionName(base: name.text.withoutBackticks, labels: [])
    properties.insert(AsyncFunction(type: Scope(of: node).type, name: name))
  }

  private func noteCancellable(_ scope: Scope) {
    // Calling an actor's `cancel()` needs `await`.
    guard let declaration = scope.declarations.first, !declaration.is(ActorDeclSyntax.self) else { return }
    if let name = scope.type.split(separator: ".").last { cancellableTypes.insert(String(name)) }
  }
}

/// Returns the async functions of a file, for `TwinOptions.known`.
package func asyncFunctions(in file: ParsedFile) -> Set<AsyncFunction> {
  CandidateFinder(file).asyncFunctions
}
