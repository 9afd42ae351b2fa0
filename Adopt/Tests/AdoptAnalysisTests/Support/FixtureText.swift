import Foundation
import SwiftParser
import SwiftSyntax

/// The functions that the tests of this module check: the strings passed to `expectFindings` and `expectNoFindings`.
struct FixtureText {
  /// All fixtures, read once.
  static let all: Result<[FixtureText], any Error> = Result { try read() }

  let tree: SourceFileSyntax

  private static func read() throws -> [FixtureText] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var texts: [FixtureText] = []
    while let url = files?.nextObject() as? URL {
      guard url.pathExtension == "swift" else { continue }
      let collector = Collector(viewMode: .sourceAccurate)
      collector.walk(Parser.parse(source: try String(contentsOf: url, encoding: .utf8)))
      texts += collector.texts.map { FixtureText(tree: Parser.parse(source: $0)) }
    }
    return texts
  }

  /// The functions with a body that are not inside another function. Each is one test case.
  var functions: [Syntax] {
    var found: [Syntax] = []
    var pending = [Syntax(tree)]
    while let node = pending.popLast() {
      let isFunction =
        node.as(FunctionDeclSyntax.self)?.body != nil || node.as(InitializerDeclSyntax.self)?.body != nil
        || node.is(AccessorDeclSyntax.self)
      if isFunction {
        found.append(node)
      } else {
        pending += node.children(viewMode: .sourceAccurate)
      }
    }
    return found
  }

  private final class Collector: SyntaxVisitor {
    var texts: [String] = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text ?? ""
      guard ["expectFindings", "expectNoFindings"].contains(name) else { return .visitChildren }
      let literal = node.arguments.first?.expression.as(StringLiteralExprSyntax.self)
      if let text = literal?.representedLiteralValue { texts.append(text) }
      return .skipChildren
    }
  }
}
