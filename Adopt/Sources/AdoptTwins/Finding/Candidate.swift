import AdoptAnalysis
import SwiftSyntax

/// A function with a completion handler, and its scope.
struct Candidate {
  let function: FunctionDeclSyntax
  let handler: Handler
  let scope: Scope

  var name: FunctionName { function.fullName }
}

/// An initializer with a completion handler. It gets no twin.
struct InitializerCandidate {
  let declaration: InitializerDeclSyntax
  let handler: Handler

  var name: FunctionName {
    FunctionName(base: "init", labels: declaration.signature.parameterClause.parameters.map(\.label))
  }
}

/// The scope of a function: the declarations that contain it.
struct Scope {
  enum Kind {
    case global
    case type
    case extensionOf(ExtensionDeclSyntax)
    case requirement(ProtocolDeclSyntax)
    /// The function is inside another function.
    case local
  }

  let kind: Kind
  /// The name of the type, such as `Outer.Inner`. Empty for a global function.
  let type: String
  /// Whether the type is declared inside a function, where other files cannot access it.
  let isInsideFunction: Bool
  /// All enclosing types and extensions, innermost first.
  let declarations: [Syntax]

  init(of function: some SyntaxProtocol) {
    var names: [String] = []
    var kind: Kind?
    var isInsideFunction = false
    var declarations: [Syntax] = []
    var node = Syntax(function).parent
    while let current = node {
      node = current.parent
      if let name = current.typeName {
        if !isInsideFunction { names.insert(name, at: 0) }
        declarations.append(current)
        if kind == nil {
          if let declaration = current.as(ExtensionDeclSyntax.self) {
            kind = .extensionOf(declaration)
          } else if let declaration = current.as(ProtocolDeclSyntax.self) {
            kind = .requirement(declaration)
          } else {
            kind = .type
          }
        }
      } else if current.is(CodeBlockSyntax.self) || current.is(ClosureExprSyntax.self)
        || current.is(AccessorBlockSyntax.self)
      {
        kind = kind ?? .local
        isInsideFunction = true
      }
    }
    self.kind = kind ?? .global
    type = names.joined(separator: ".")
    self.isInsideFunction = isInsideFunction
    self.declarations = declarations
  }
}

extension Syntax {
  /// The name of a type declaration, or of the type that an extension extends.
  var typeName: String? {
    if let declaration = self.as(ClassDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(StructDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(EnumDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(ActorDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(ProtocolDeclSyntax.self) { return declaration.name.text }
    if let declaration = self.as(ExtensionDeclSyntax.self) {
      return declaration.extendedType.trimmedDescription
    }
    return nil
  }

  var declarationModifiers: DeclModifierListSyntax? { asProtocol((any WithModifiersSyntax).self)?.modifiers }
  var declarationAttributes: AttributeListSyntax? { asProtocol((any WithAttributesSyntax).self)?.attributes }
}

extension FunctionDeclSyntax {
  var fullName: FunctionName {
    FunctionName(
      base: name.text.withoutBackticks, labels: signature.parameterClause.parameters.map(\.label))
  }

  var isAsync: Bool { signature.effectSpecifiers?.asyncSpecifier != nil }
}

extension FunctionParameterSyntax {
  /// The label that callers write before the colon, or `_` for none.
  var label: String { firstName.text.withoutBackticks }
  /// The name of the parameter in the body.
  var internalName: String { (secondName ?? firstName).text.withoutBackticks }
}

extension String {
  var withoutBackticks: String {
    count > 2 && first == "`" && last == "`" ? String(dropFirst().dropLast()) : self
  }

  /// The name with backticks if source code needs them.
  var escaped: String { Keywords.reserved.contains(self) ? "`\(self)`" : self }
}

enum Keywords {
  /// Words that are not valid identifiers without backticks.
  static let reserved: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
    "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import", "in",
    "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
    "public",
    "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws",
    "true", "try", "typealias", "var", "where", "while", "Self", "Any",
  ]
}
