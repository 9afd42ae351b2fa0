import SwiftSyntax

/// A call of the handler in the source.
struct CallSite {
  let syntax: FunctionCallExprSyntax
  let offset: Int
  /// The arguments of the call if the handler takes optional values and an error. Otherwise empty.
  var arguments: [Argument] = []
  /// Whether the call is in a closure that runs for each event.
  var isForEachEvent = false
  /// Whether the continuation is read from its property by this call.
  var isThroughProperty = false

  enum Argument {
    case none
    /// May be nil because of the expression with this name.
    case maybe(String)
    case variable(Int)
    case other
  }
}

extension CallSite {
  /// Whether an `if` or `guard` compares a count before the call. In a loop that counts, this is true in one iteration.
  var isForOneIterationOnly: Bool {
    var child = Syntax(syntax)
    while let node = child.parent {
      if let items = node.as(CodeBlockItemListSyntax.self), items.compareCount(before: child) { return true }
      switch node.kind {
      case .forStmt, .whileStmt, .repeatStmt, .closureExpr, .functionDecl: return false
      default: break
      }
      if let test = node.as(IfExprSyntax.self), child.id == Syntax(test.body).id,
        test.conditions.contains(where: Self.comparesCount)
      {
        return true
      }
      child = node
    }
    return false
  }

  static func comparesCount(_ condition: ConditionElementSyntax) -> Bool {
    let tokens = condition.tokens(viewMode: .sourceAccurate).map(\.text)
    return tokens.contains("==") && (tokens.contains("count") || tokens.last.flatMap { Int($0) } != nil)
  }
}

extension CodeBlockItemListSyntax {
  /// Returns whether a `guard` before a statement compares a count.
  func compareCount(before statement: Syntax) -> Bool {
    contains { item in
      guard item.position < statement.position, let test = item.item.as(GuardStmtSyntax.self) else {
        return false
      }
      return test.conditions.contains(where: CallSite.comparesCount)
    }
  }
}
