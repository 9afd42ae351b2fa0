import AdoptAnalysis
import SwiftSyntax

/// The cases of `switch result`.
struct ResultCases {
  struct Branch {
    /// The name that the case binds, or nil for none.
    let name: String?
    let items: CodeBlockItemListSyntax
  }

  private(set) var pair: (success: Branch, failure: Branch)?

  init(_ choice: SwitchExprSyntax) {
    guard choice.cases.count == 2 else { return }
    var found: [String: Branch] = [:]
    for element in choice.cases {
      guard case .switchCase(let one) = element, case .case(let label) = one.label,
        label.caseItems.count == 1,
        let item = label.caseItems.first, item.whereClause == nil, let (kind, name) = Self.read(item.pattern)
      else { return }
      found[kind] = Branch(name: name, items: one.statements)
    }
    guard let success = found["success"], let failure = found["failure"] else { return }
    pair = (success, failure)
  }

  private static func read(_ pattern: PatternSyntax) -> (kind: String, name: String?)? {
    let text = pattern.trimmedDescription
    for kind in ["success", "failure"] {
      if text == ".\(kind)" || text == ".\(kind)(_)" || text == ".\(kind)()" { return (kind, nil) }
      for (start, end) in [(".\(kind)(let ", ")"), ("let .\(kind)(", ")")]
      where text.hasPrefix(start) && text.hasSuffix(end) {
        let name = String(text.dropFirst(start.count).dropLast(end.count))
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? (kind, name) : nil
      }
    }
    return nil
  }
}

/// What the closure of a handler with values and an error does in each case.
struct ErrorBranches {
  private(set) var success: [CodeBlockItemSyntax] = []
  /// The code for errors, or nil if errors leave the function.
  private(set) var failure: [CodeBlockItemSyntax]?
  /// The names that tests give the values.
  private(set) var renamed: [String: String] = [:]

  private static let reason = "its error is handled in a way that cannot be moved"
  private let values: [String]
  /// The values that may also be nil in the result of the alternative, so that their tests have to stay.
  private let optional: Set<String>
  private let error: String

  init(
    _ body: [CodeBlockItemSyntax], values: [String], optional: Set<String>, error: String,
    allowsAssertions: Bool
  ) throws {
    self.values = values
    self.optional = optional
    self.error = error
    guard let first = body.first else {
      failure = []
      return
    }
    let rest = Array(body.dropFirst())
    if let test = first.item.asIf {
      try read(test, rest: rest)
    } else if let test = first.item.as(GuardStmtSyntax.self), readsOutcome(test.conditions, isError: false) {
      failure = Self.withoutReturn(Array(test.body.statements))
      success = rest
    } else if allowsAssertions, first.item.trimmedDescription == "XCTAssertNil(\(error))" {
      success = rest
    } else {
      throw CallRewriter.Refusal(reason: reason(first.item.as(GuardStmtSyntax.self)?.conditions))
    }
  }

  /// Returns why a statement that tests the outcome cannot be moved.
  private func reason(_ conditions: ConditionElementListSyntax?) -> String {
    let isNilPossible = conditions?.contains { element in
      guard case .optionalBinding(let binding) = element.condition else { return false }
      return optional.contains(binding.initializer?.value.plainName ?? binding.pattern.trimmedDescription)
    }
    return isNilPossible == true ? "a value that it tests may be nil without an error" : Self.reason
  }

  private mutating func read(_ test: IfExprSyntax, rest: [CodeBlockItemSyntax]) throws {
    let body = Array(test.body.statements)
    if readsOutcome(test.conditions, isError: true) {
      failure = Self.withoutReturn(body)
      switch test.elseBody {
      case .codeBlock(let block): success = Array(block.statements) + rest
      case .ifExpr(let other) where readsOutcome(other.conditions, isError: false) && other.elseBody == nil:
        success = Array(other.body.statements) + rest
      case nil where Self.returns(body) || rest.isEmpty:
        success = withoutUnwrapping(rest)
      default: throw CallRewriter.Refusal(reason: Self.reason)
      }
      guard rest.isEmpty || Self.returns(body) || test.elseBody == nil else {
        throw CallRewriter.Refusal(reason: Self.reason)
      }
    } else if readsOutcome(test.conditions, isError: false), case .codeBlock(let block) = test.elseBody,
      rest.isEmpty
    {
      success = body
      failure = Self.withoutReturn(Array(block.statements))
    } else {
      throw CallRewriter.Refusal(reason: reason(test.conditions))
    }
  }

  /// Removes `guard let value else { return }` at the beginning, because the alternative returns a value.
  private mutating func withoutUnwrapping(_ items: [CodeBlockItemSyntax]) -> [CodeBlockItemSyntax] {
    guard let test = items.first?.item.as(GuardStmtSyntax.self),
      readsOutcome(test.conditions, isError: false),
      test.body.statements.allSatisfy({ $0.item.is(ReturnStmtSyntax.self) })
    else { return items }
    return Array(items.dropFirst())
  }

  /// Returns whether all conditions only test whether there is an error, or whether there are values.
  private mutating func readsOutcome(_ conditions: ConditionElementListSyntax, isError: Bool) -> Bool {
    var names: [String: String] = [:]
    for element in conditions {
      let text = element.condition.trimmedDescription
      if text == "\(error) == nil", !isError { continue }
      if text == "\(error) != nil", isError { continue }
      guard case .optionalBinding(let binding) = element.condition,
        let bound = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let source = binding.initializer == nil ? bound : binding.initializer?.value.plainName
      else { return false }
      if isError {
        guard source == error, bound == error else { return false }
      } else {
        guard values.contains(source), !optional.contains(source) else { return false }
        names[source] = bound
      }
    }
    renamed.merge(names) { $1 }
    return true
  }

  private static func returns(_ items: [CodeBlockItemSyntax]) -> Bool {
    guard let last = items.last?.item else { return false }
    if let statement = last.as(ReturnStmtSyntax.self) { return statement.expression == nil }
    return last.is(ThrowStmtSyntax.self)
  }

  private static func withoutReturn(_ items: [CodeBlockItemSyntax]) -> [CodeBlockItemSyntax] {
    returns(items) && items.last?.item.is(ReturnStmtSyntax.self) == true ? Array(items.dropLast()) : items
  }
}
