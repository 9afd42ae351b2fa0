import AdoptAnalysis
import SwiftSyntax

/// Collects everything that writing twins needs to know about a file, in one pass.
final class CandidateFinder: SyntaxVisitor {
  private let handlers: HandlerFinder
  private(set) var candidates: [Candidate] = []
  private(set) var initializers: [InitializerCandidate] = []
  private(set) var asyncFunctions = KnownFunctions()
  /// The declarations of these functions.
  private(set) var asyncDeclarations: [AsyncFunction: [FunctionDeclSyntax]] = [:]
  /// Functions that return a stream, which may be the twin of a subscription.
  private(set) var streamFunctions = KnownFunctions()
  /// Functions with one parameter that may end a subscription: their types, names, labels and parameter types.
  private(set) var removers: [(type: String, name: String, label: String, parameter: String)] = []
  /// Types of this file, with the method that ends what their values stand for.
  private(set) var stoppingMethods: [String: String] = [:]
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
  /// Those of them that are static.
  private(set) var staticProperties: Set<AsyncFunction> = []

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
      let key = AsyncFunction(type: Scope(of: node).type, name: node.fullName)
      asyncFunctions.insert(key, ParameterTypes(of: node))
      asyncDeclarations[key, default: []].append(node)
      return .visitChildren
    }
    let scope = Scope(of: node)
    if node.returnsStream {
      streamFunctions.insert(
        AsyncFunction(type: scope.type, name: node.fullName), ParameterTypes(of: node))
      return .visitChildren
    }
    plainFunctions.insert(AsyncFunction(type: scope.type, name: node.fullName))
    noteRemover(node, scope)
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
    let property = AsyncFunction(type: Scope(of: node).type, name: name)
    properties.insert(property)
    let modifiers = Syntax(node).declarationModifiers
    if node.is(EnumCaseDeclSyntax.self) || modifiers?.contains(where: { $0.name.text == "static" }) == true {
      staticProperties.insert(property)
    }
  }

  private static let removingVerbs = [
    "remove", "unsubscribe", "unobserve", "cancel", "off", "stop", "unregister", "deregister", "unwatch",
  ]
  private static let stoppingNames: Set<String> = [
    "cancel", "remove", "invalidate", "dispose", "unsubscribe", "stop",
  ]

  private func noteRemover(_ node: FunctionDeclSyntax, _ scope: Scope) {
    let parameters = node.signature.parameterClause.parameters
    let name = node.name.text
    if parameters.isEmpty, Self.stoppingNames.contains(name),
      let type = scope.type.split(separator: ".").last,
      !node.modifiers.contains(where: { $0.name.text == "static" })
    {
      stoppingMethods[String(type)] = name
    }
    guard parameters.count == 1, let only = parameters.first,
      Self.removingVerbs.contains(where: name.hasPrefix)
    else { return }
    let type = only.type.wrappedOptional ?? only.type
    removers.append((scope.type, name, only.label, type.trimmedDescription))
  }

  private func noteCancellable(_ scope: Scope) {
    // Calling an actor's `cancel()` needs `await`.
    guard let declaration = scope.declarations.first, !declaration.is(ActorDeclSyntax.self) else { return }
    if let name = scope.type.split(separator: ".").last { cancellableTypes.insert(String(name)) }
  }
}

/// Returns the async functions of a file, and those that return a stream, for `TwinOptions.known`.
package func asyncFunctions(in file: ParsedFile) -> KnownFunctions {
  let found = CandidateFinder(file)
  var functions = found.asyncFunctions
  functions.formUnion(found.streamFunctions)
  return functions
}
