import AdoptAnalysis
import SwiftParser
import SwiftSyntax

/// The comments of code, line by line, with how often each occurs.
struct Comments {
  private var counts: [String: Int] = [:]

  /// The comments from one offset of a file to another.
  init(in file: ParsedFile, _ range: Range<Int>) {
    for token in file.tree.tokens(viewMode: .sourceAccurate) {
      guard token.position.utf8Offset < range.upperBound else { return }
      guard token.endPosition.utf8Offset > range.lowerBound else { continue }
      if token.positionAfterSkippingLeadingTrivia.utf8Offset > range.lowerBound { add(token.leadingTrivia) }
      if token.endPositionBeforeTrailingTrivia.utf8Offset < range.upperBound { add(token.trailingTrivia) }
    }
  }

  init(in text: String) {
    for token in Parser.parse(source: text).tokens(viewMode: .sourceAccurate) {
      add(token.leadingTrivia)
      add(token.trailingTrivia)
    }
  }

  private mutating func add(_ trivia: Trivia) {
    for line in trivia.commentLines {
      let words = line.split(whereSeparator: \.isWhitespace)
      if !words.isEmpty { counts[words.joined(separator: " "), default: 0] += 1 }
    }
  }

  /// Returns whether all of these comments are also in other code.
  func areKept(in other: Comments) -> Bool {
    counts.allSatisfy { other.counts[$0.key, default: 0] >= $0.value }
  }
}

extension SyntaxProtocol {
  /// The string literals over several lines in the node.
  var multilineStrings: [StringLiteralExprSyntax] {
    var found: [StringLiteralExprSyntax] = []
    var pending = [Syntax(self)]
    while let node = pending.popLast() {
      if let literal = node.as(StringLiteralExprSyntax.self),
        literal.openingQuote.tokenKind == .multilineStringQuote
      {
        found.append(literal)
      }
      pending.append(contentsOf: node.children(viewMode: .sourceAccurate))
    }
    return found
  }

  /// The names that mean something in the node, without labels of arguments and members of other values.
  var meaningfulNames: Set<String> {
    var names: Set<String> = []
    for token in tokens(viewMode: .sourceAccurate) {
      guard case .identifier(let name) = token.tokenKind else { continue }
      if let argument = token.parent?.as(LabeledExprSyntax.self), argument.label?.id == token.id { continue }
      if let reference = token.parent?.as(DeclReferenceExprSyntax.self),
        let access = reference.parent?.as(MemberAccessExprSyntax.self), access.declName.id == reference.id
      {
        continue
      }
      names.insert(name.withoutBackticks)
    }
    return names
  }

  /// The function around the node, or the file.
  var surroundingFunction: Syntax {
    let around = sequence(first: Syntax(self), next: \.parent)
    return around.first { $0.is(FunctionDeclSyntax.self) } ?? root
  }

  /// Returns whether the source shows that the node runs on a global actor.
  func isIsolated(to actor: String) -> Bool {
    var node = parent
    while let current = node {
      node = current.parent
      if let closure = current.as(ClosureExprSyntax.self) {
        if let own = closure.signature?.attributes.globalActor { return own == actor }
        // Any other function may call its closure on another thread.
        let call = closure.parent?.as(FunctionCallExprSyntax.self)
        guard call?.startsTask == true, call?.calledName?.text != "detached" else { return false }
      } else if let function = current.as(FunctionDeclSyntax.self) {
        if let own = function.attributes.globalActor { return own == actor }
        if function.modifiers.contains(where: { $0.name.text == "nonisolated" }) { return false }
      } else if current.typeName != nil {
        // The isolation of a type does not apply to the types in it.
        return current.declarationAttributes?.globalActor == actor
      }
    }
    return false
  }
}

extension AttributeListSyntax {
  /// The attribute for a global actor, as far as its name shows that.
  fileprivate var globalActor: String? { names.first { $0.hasSuffix("Actor") } }
}
