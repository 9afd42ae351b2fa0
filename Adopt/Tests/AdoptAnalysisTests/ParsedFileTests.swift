import SwiftSyntax
import Testing

@testable import AdoptAnalysis

struct ParsedFileTests {
  @Test func `all statements of a file are parsed`() {
    #expect(ParsedFile(path: "a.swift", text: "let a = 1; let b = 2").tree.statements.count == 2)
  }
}
