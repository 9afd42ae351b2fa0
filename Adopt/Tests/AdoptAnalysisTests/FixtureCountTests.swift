import SwiftSyntax
import Testing

@testable import AdoptAnalysis

/// What the tests of this module cover, counted in their own text.
struct FixtureCountTests {
  @Test func faultyAndCorrectFunctionsAreMany() throws {
    var faulty = 0
    var correct = 0
    var kinds: Set<String> = []
    for fixture in try FixtureText.all.get() {
      let file = ParsedFile(path: "fixture.swift", text: fixture.tree.description)
      let offsets = SubjectFinder(file).subjects.map(\.offset)
      for function in fixture.functions {
        let text = function.trimmedDescription + Self.restOfLine(after: function)
        let expected = text.split(separator: "\n").compactMap {
          $0.split(separator: "// expect: ").dropFirst().first
        }
        // One without a handler only helps the others.
        guard !expected.isEmpty || offsets.contains(where: function.byteRange.contains) else { continue }
        if expected.isEmpty { correct += 1 } else { faulty += 1 }
        for kind in expected { kinds.formUnion(kind.split { " ,".contains($0) }.map(String.init)) }
      }
    }
    #expect(faulty >= 200, "\(faulty)")
    #expect(correct >= 200, "\(correct)")
    #expect(kinds.isSuperset(of: ["never", "twice", "nothing", "lost", "after"]))
  }

  /// A finding at a closing brace stands behind it.
  private static func restOfLine(after node: Syntax) -> String {
    node.trailingTrivia.pieces.prefix { !$0.isNewline }.map { "\($0)" }.joined()
  }

  @Test func everyKindOfStatementIsAmongThem() throws {
    var kinds: Set<SyntaxKind> = []
    for fixture in try FixtureText.all.get() {
      var pending = [Syntax(fixture.tree)]
      while let node = pending.popLast() {
        kinds.insert(node.kind)
        pending += node.children(viewMode: .sourceAccurate)
      }
    }
    let statements: Set<SyntaxKind> = [
      .breakStmt, .continueStmt, .deferStmt, .discardStmt, .doStmt, .expressionStmt, .fallThroughStmt,
      .forStmt, .guardStmt, .labeledStmt, .repeatStmt, .returnStmt, .throwStmt, .whileStmt, .yieldStmt,
    ]
    let expressions: Set<SyntaxKind> = [
      .awaitExpr, .closureExpr, .forceUnwrapExpr, .functionCallExpr, .ifExpr, .inOutExpr, .keyPathExpr,
      .macroExpansionExpr, .optionalChainingExpr, .subscriptCallExpr, .switchExpr, .tryExpr,
      .unresolvedAsExpr, .unresolvedIsExpr, .unresolvedTernaryExpr,
    ]
    let others: Set<SyntaxKind> = [
      .accessorDecl, .availabilityCondition, .catchClause, .ifConfigDecl, .initializerDecl,
      .matchingPatternCondition, .optionalBindingCondition, .subscriptDecl, .someOrAnyType,
      .closureCapture, .throwsClause, .whereClause,
    ]
    for wanted in [statements, expressions, others] {
      #expect(kinds.isSuperset(of: wanted), "\(wanted.subtracting(kinds))")
    }
  }
}
