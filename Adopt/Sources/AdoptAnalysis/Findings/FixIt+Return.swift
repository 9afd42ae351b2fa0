import SwiftSyntax

extension FixIt {
  /// Adds `return` after a call that ends the body of an `if` without `else`.
  ///
  /// This needs no check if the `return` certainly skips the second use of the handler, and no use of another handler.
  ///
  /// - Parameters:
  ///   - second: The offset of the second use of the handler.
  ///   - isAlone: Whether no other handler or continuation is used in the code of the subject.
  static func returning(
    after call: FunctionCallExprSyntax, before second: Int, isAlone: Bool,
    file: ParsedFile
  ) -> FixIt? {
    guard let item = call.parent?.as(CodeBlockItemSyntax.self),
      let items = item.parent?.as(CodeBlockItemListSyntax.self), items.last?.id == item.id,
      let block = items.parent?.as(CodeBlockSyntax.self),
      let branch = block.parent?.as(IfExprSyntax.self), branch.body.id == block.id, branch.elseBody == nil,
      let body = bodyWithoutResult(around: Syntax(branch))
    else { return nil }
    let end = call.endPositionBeforeTrailingTrivia.utf8Offset
    // In `if let error { completion(nil, error) }` the call is not on its own line.
    let indentation = file.indentation(before: call.startOffset)
    return FixIt(
      message: "return after the call",
      edits: [(range: end..<end, replacement: indentation.map { "\n\($0)return" } ?? "; return")],
      isVerified: isAlone && end <= second && body.byteRange.contains(second))
  }

  /// Returns the function or closure around a statement, if `return` without a value is valid for leaving it.
  private static func bodyWithoutResult(around node: Syntax) -> Syntax? {
    var node = node
    while let parent = node.parent {
      if let closure = parent.as(ClosureExprSyntax.self) {
        return closure.signature?.returnClause?.type.isVoid ?? true ? parent : nil
      }
      if let function = parent.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause?.type.isVoid ?? true ? parent : nil
      }
      if parent.is(InitializerDeclSyntax.self) { return parent }
      if parent.is(DeferStmtSyntax.self) || parent.is(AccessorBlockSyntax.self) { return nil }
      node = parent
    }
    return nil
  }
}
