import AdoptAnalysis
import SwiftSyntax

/// Writes types, with the parameters of a generic alias replaced by its arguments.
struct TypeNames {
  private let replacements: [String: TypeSyntax]

  /// Returns nil if an alias has parameters whose arguments are not written out.
  init?(of handler: Handler) {
    guard let alias = handler.alias, let parameters = alias.genericParameterClause?.parameters else {
      replacements = [:]
      return
    }
    guard let use = Self.use(of: alias.name.text, in: handler.parameter.type),
      let arguments = use.genericArgumentClause?.arguments, arguments.count == parameters.count
    else { return nil }
    var replacements: [String: TypeSyntax] = [:]
    for (parameter, argument) in zip(parameters, arguments) {
      guard case .type(let type) = argument.argument else { return nil }
      replacements[parameter.name.text] = type.trimmed
    }
    self.replacements = replacements
  }

  /// Returns the type on one line, without comments.
  func name(of type: TypeSyntax?) -> String {
    guard let type else { return "Void" }
    let replaced =
      replacements.isEmpty ? type : Replacing(replacements).rewrite(type).as(TypeSyntax.self) ?? type
    var text = ""
    for token in replaced.tokens(viewMode: .sourceAccurate) {
      if token.leadingTrivia.containsNewline, !text.isEmpty, !text.hasSuffix("("), !text.hasSuffix("<"),
        ![")", ">"].contains(token.text)
      {
        text = text.last == " " ? text : text + " "
      }
      text += token.text + (token.trailingTrivia.isEmpty ? "" : " ")
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func use(of name: String, in type: TypeSyntax) -> IdentifierTypeSyntax? {
    for token in type.tokens(viewMode: .sourceAccurate) where token.text == name {
      if let use = token.parent?.as(IdentifierTypeSyntax.self) { return use }
    }
    return nil
  }

  private final class Replacing: SyntaxRewriter {
    private let replacements: [String: TypeSyntax]

    init(_ replacements: [String: TypeSyntax]) {
      self.replacements = replacements
      super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
      guard node.genericArgumentClause == nil, var type = replacements[node.name.text] else {
        return super.visit(node)
      }
      type.leadingTrivia = node.leadingTrivia
      type.trailingTrivia = node.trailingTrivia
      return type
    }
  }
}

extension Trivia {
  var containsNewline: Bool { contains { $0.isNewline } }
}
