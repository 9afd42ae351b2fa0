import SwiftSyntax

/// A call of the handler, as it is written.
struct CallSite {
  let syntax: FunctionCallExprSyntax
  let offset: Int
  /// What its arguments are, if the handler takes optional values and an error; else nothing.
  var arguments: [Argument] = []

  enum Argument {
    case none
    /// May be nil, because of what is named here.
    case maybe(String)
    case variable(Int)
    case other
  }
}

extension CallSite {
  /// Whether an `if` asks for a certain count before it calls. In a loop that counts, one round has it.
  var isForOneRoundOnly: Bool {
    var child = Syntax(syntax)
    while let node = child.parent {
      if node.is(ForStmtSyntax.self) || node.is(ClosureExprSyntax.self) || node.is(FunctionDeclSyntax.self) {
        return false
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
    return tokens.contains("==") && tokens.contains("count")
  }
}
