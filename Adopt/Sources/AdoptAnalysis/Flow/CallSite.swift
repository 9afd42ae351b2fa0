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
