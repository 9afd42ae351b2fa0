import SwiftSyntax

extension FixIt {
  /// Adds `return` after a call that ends the body of an `if` without `else`. This is safe because the same handler is
  /// used again after it.
  static func returning(after call: FunctionCallExprSyntax, in subject: Subject, file: ParsedFile) -> FixIt? {
    guard let item = call.parent?.as(CodeBlockItemSyntax.self),
      let items = item.parent?.as(CodeBlockItemListSyntax.self), items.last?.id == item.id,
      let block = items.parent?.as(CodeBlockSyntax.self),
      let branch = block.parent?.as(IfExprSyntax.self), branch.body.id == block.id, branch.elseBody == nil,
      returnsNothing(Syntax(branch), in: subject)
    else { return nil }
    let end = call.endPositionBeforeTrailingTrivia.utf8Offset
    // In `if let error { completion(nil, error) }` the call is not on its own line.
    let indentation = file.indentation(before: call.startOffset)
    return FixIt(
      message: "return after the call",
      edits: [(range: end..<end, replacement: indentation.map { "\n\($0)return" } ?? "; return")])
  }

  /// Returns whether `return` without a value is valid for leaving the function or closure around a statement.
  private static func returnsNothing(_ node: Syntax, in subject: Subject) -> Bool {
    var node = node
    while let parent = node.parent {
      if let closure = parent.as(ClosureExprSyntax.self) {
        return closure.signature?.returnClause?.type.isVoid ?? true
      }
      if let function = parent.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause?.type.isVoid ?? true
      }
      if parent.is(InitializerDeclSyntax.self) { return true }
      if parent.is(DeferStmtSyntax.self) || parent.is(AccessorBlockSyntax.self) { return false }
      node = parent
    }
    return false
  }
}
