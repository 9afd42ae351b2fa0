import SwiftSyntax
import Testing

@testable import AdoptAnalysis

struct ParsedFileTests {
  @Test func `all statements of a file are parsed`() {
    #expect(ParsedFile(path: "a.swift", text: "let a = 1; let b = 2").tree.statements.count == 2)
  }

  @Test func `columns are counted in bytes, and lines as in the compiler`() {
    let file = ParsedFile(path: "a.swift", text: "a\nbé c\r\nd\re")
    #expect(file.place(at: 0) == Place(path: "a.swift", line: 1, column: 1, offset: 0))
    #expect(file.place(at: 6) == Place(path: "a.swift", line: 2, column: 5, offset: 6))
    #expect(file.place(at: 9).line == 3)
    #expect(file.place(at: 11).line == 4)
    #expect(file.place(at: 999).offset == 12)
    #expect(file.place(at: -1).column == 1)
  }

  @Test func `places are equal to those of SwiftSyntax`() {
    let file = ParsedFile(path: "a.swift", text: "let a = 1\n\nlet bé = \"\"\"\n  x\n  \"\"\"\nlet c = 2\n")
    let converter = file.locations
    for token in file.tree.tokens(viewMode: .sourceAccurate) {
      let location = converter.location(for: token.positionAfterSkippingLeadingTrivia)
      let place = file.place(of: token)
      #expect((place.line, place.column) == (location.line, location.column))
    }
  }
}
