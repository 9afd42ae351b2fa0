import SwiftSyntax
import Testing

@testable import AdoptAnalysis

/// Counts the functions that the tests of this module check, in the source of the tests.
struct FixtureCountTests {
  @Test func `there are at least 200 faulty and 200 correct functions`() throws {
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
        // A function without a handler is only a helper.
        guard !expected.isEmpty || offsets.contains(where: function.byteRange.contains) else { continue }
        if expected.isEmpty { correct += 1 } else { faulty += 1 }
        for kind in expected { kinds.formUnion(kind.split { " ,".contains($0) }.map(String.init)) }
      }
    }
    #expect(faulty >= 200, "\(faulty)")
    #expect(correct >= 200, "\(correct)")
    #expect(kinds.isSuperset(of: ["never", "twice", "nothing", "lost", "after"]))
  }

  /// Returns the rest of the line. A finding at a closing brace is expected after the brace.
  private static func restOfLine(after node: Syntax) -> String {
    node.trailingTrivia.pieces.prefix { !$0.isNewline }.map { "\($0)" }.joined()
  }

  @Test func `the fixtures contain every kind of statement`() throws {
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
