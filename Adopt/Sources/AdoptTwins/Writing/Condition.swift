import SwiftSyntax

/// Finds the `#if` conditions around a declaration.
enum Condition {
  /// Returns one condition for all of them, such as `os(Linux) && !(DEBUG)`, or nil for none.
  static func around(_ declaration: some SyntaxProtocol) -> String? {
    var parts: [String] = []
    var node = Syntax(declaration).parent
    while let current = node {
      node = current.parent
      guard let clause = current.as(IfConfigClauseSyntax.self),
        let clauses = clause.parent?.as(IfConfigClauseListSyntax.self)
      else { continue }
      var own: [String] = []
      for other in clauses {
        let text = other.condition?.trimmedDescription
        if other.id == clause.id {
          if let text { own.append(text.contains("|") && !own.isEmpty ? "(\(text))" : text) }
          break
        }
        if let text { own.append("!(\(text))") }
      }
      parts.insert(own.joined(separator: " && "), at: 0)
    }
    guard parts.count > 1 else { return parts.first }
    return parts.map { "(\($0))" }.joined(separator: " && ")
  }
}
