import SwiftSyntax

extension FixIt {
  /// Moves the only call of a handler without arguments from the end of a body to a `defer` at its beginning, which
  /// also runs on all paths that leave earlier.
  static func deferring(_ subject: Subject, calls: [CallSite], file: ParsedFile) -> FixIt? {
    guard !subject.canThrow, case .nothing? = subject.handler?.shape, let site = calls.first,
      calls.allSatisfy({ $0.offset == site.offset }), site.syntax.arguments.isEmpty,
      let item = site.syntax.parent?.as(CodeBlockItemSyntax.self),
      let items = item.parent?.as(CodeBlockItemListSyntax.self), items.last?.id == item.id,
      let first = items.first, first.id != item.id, isBody(items), !isBound(site.syntax, in: items)
    else { return nil }
    let start = first.startOffset
    let line = file.lineStarts[file.line(at: start)]
    let indentation = file.text(in: line..<start)
    let callLine = file.lineStarts[file.line(at: site.offset)]
    let range = item.trimmedBytes
    guard indentation.allSatisfy({ $0 == " " || $0 == "\t" }), callLine > line,
      file.text(in: callLine..<range.lowerBound).allSatisfy({ $0 == " " || $0 == "\t" }),
      file.text(in: range.upperBound..<(range.upperBound + 1)) == "\n"
    else { return nil }
    let call = site.syntax.trimmedDescription
    return FixIt(
      message: "defer the call with 'defer { \(call) }'",
      edits: [
        (start..<start, "defer { \(call) }\n\(indentation)"), (callLine..<(range.upperBound + 1), ""),
      ], isVerified: false)
  }

  /// Returns whether a `let` or `var` in statements binds a name of a call, which has another meaning before.
  private static func isBound(_ call: FunctionCallExprSyntax, in items: CodeBlockItemListSyntax) -> Bool {
    let names = Set(call.calledExpression.tokens(viewMode: .sourceAccurate).map(\.text))
    return items.tokens(viewMode: .sourceAccurate).contains { token in
      names.contains(token.text) && token.parent?.is(IdentifierPatternSyntax.self) == true
    }
  }

  private static func isBody(_ items: CodeBlockItemListSyntax) -> Bool {
    if items.parent?.is(ClosureExprSyntax.self) == true { return true }
    return items.parent?.parent?.is(FunctionDeclSyntax.self) == true
  }
}
