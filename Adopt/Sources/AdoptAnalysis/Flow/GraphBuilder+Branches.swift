import SwiftSyntax

extension GraphBuilder {
  mutating func lower(if expression: IfExprSyntax, label: String?) {
    let exit = graph.step(.pass, at: expression.endPosition.utf8Offset)
    if let label {
      exits.openTarget(label: label, onBreak: exit, takesPlainBreak: false)
    }
    // `else if` chains can be long, so they are processed in a loop instead of recursively.
    var next: IfExprSyntax? = expression
    while let branch = next, graph.current != nil {
      next = nil
      let outerNames = names.count
      let (entered, skipped) = self.branch(on: branch.conditions, isGuard: false)
      graph.current = entered
      lower(block: branch.body.statements)
      graph.go(to: exit)
      names.removeNames(after: outerNames)
      graph.current = skipped
      switch branch.elseBody {
      case .ifExpr(let other): next = other
      case .codeBlock(let block): lower(block: block.statements)
      default: break
      }
    }
    graph.go(to: exit)
    if label != nil { exits.closeTarget() }
    graph.resume(at: exit)
  }

  mutating func lower(switch expression: SwitchExprSyntax, label: String?) {
    let isState = isState(expression.subject)
    if !isState, names.isRelevant(expression.subject) { lower(expression.subject) }
    guard graph.current != nil else { return }
    let exit = graph.step(.pass, at: expression.endPosition.utf8Offset)
    let cases = Self.cases(of: expression.cases)
    let entries = cases.map { graph.step(.pass, at: $0.position.utf8Offset) }
    exits.openTarget(label: label, onBreak: exit)
    var undecided = graph.current
    for (index, one) in cases.enumerated() {
      guard !graph.isBlocked else { break }
      let outerNames = names.count
      graph.current = undecided
      if case .case(let items) = one.label, items.caseItems.count == 1, let item = items.caseItems.first {
        (graph.current, undecided) = branch(
          on: expression.subject, matching: item.pattern, hasCondition: item.whereClause != nil)
      }
      graph.emit(.note(.taken), at: one.positionAfterSkippingLeadingTrivia.utf8Offset)
      if case .case(let items) = one.label {
        if isState, items.caseItems.count > 1 { enter(states: items.caseItems.map(\.pattern)) }
        undecided = enter(items, undecided: undecided, isState: isState)
      }
      graph.go(to: entries[index])
      graph.resume(at: entries[index])
      if index + 1 < entries.count {
        exits.openFallthroughTarget(entries[index + 1])
      }
      lower(block: one.statements)
      if index + 1 < entries.count { exits.closeFallthroughTarget() }
      graph.go(to: exit)
      names.removeNames(after: outerNames)
    }
    exits.closeTarget()
    // Swift requires that a `switch` is exhaustive, so one case is taken.
    graph.resume(at: exit)
  }

  /// Continues where a case is taken, and returns the step from which the next case is tested.
  private mutating func enter(_ items: SwitchCaseLabelSyntax, undecided: Int?, isState: Bool) -> Int? {
    var undecided = undecided
    for item in items.caseItems {
      if isState { declareNames(ofState: item.pattern) } else { names.declareNames(in: item.pattern) }
      guard let condition = item.whereClause?.condition, names.isRelevant(condition) || isTest(condition)
      else {
        continue
      }
      let (passed, failed) = branch(on: condition)
      if items.caseItems.count == 1 {
        graph.join([undecided, failed], at: item.position.utf8Offset)
        undecided = graph.current
        graph.current = passed
      } else {
        graph.join([passed, failed], at: item.position.utf8Offset)
      }
    }
    return undecided
  }

  /// Returns all cases, including those inside `#if`.
  private static func cases(of list: SwitchCaseListSyntax) -> [SwitchCaseSyntax] {
    var cases: [SwitchCaseSyntax] = []
    for element in list {
      switch element {
      case .switchCase(let one): cases.append(one)
      case .ifConfigDecl(let conditional):
        for clause in conditional.clauses {
          if case .switchCases(let nested) = clause.elements {
            for case .switchCase(let one) in nested { cases.append(one) }
          }
        }
      @unknown default: break
      }
    }
    return cases
  }

  mutating func lower(do statement: DoStmtSyntax, label: String?) {
    let exit = graph.step(.pass, at: statement.endPosition.utf8Offset)
    if let label {
      exits.openTarget(label: label, onBreak: exit, takesPlainBreak: false)
    }
    if statement.catchClauses.isEmpty {
      lower(block: statement.body.statements)
      graph.go(to: exit)
    } else {
      let outer = exits.catcher
      let thrown = graph.step(.pass, at: statement.body.endPosition.utf8Offset)
      exits.catchErrors(at: thrown)
      lower(block: statement.body.statements)
      exits.catcher = outer
      graph.go(to: exit)
      graph.resume(at: thrown)
      lower(catches: statement.catchClauses, exit: exit)
    }
    if label != nil { exits.closeTarget() }
    graph.resume(at: exit)
  }

  private mutating func lower(catches: CatchClauseListSyntax, exit: Int) {
    for clause in catches {
      guard let undecided = graph.current else { return }
      let outerNames = names.count
      graph.emit(.note(.entersCatch), at: clause.positionAfterSkippingLeadingTrivia.utf8Offset)
      names.declare("error", .other)
      for item in clause.catchItems {
        if let pattern = item.pattern { names.declareNames(in: pattern) }
      }
      lower(block: clause.body.statements)
      graph.go(to: exit)
      names.removeNames(after: outerNames)
      graph.current = catchesAll(clause) ? nil : undecided
    }
    // An error that no clause catches is thrown on.
    raise(at: catches.endPositionBeforeTrailingTrivia.utf8Offset, isCall: false)
    graph.current = nil
  }

  private func catchesAll(_ clause: CatchClauseSyntax) -> Bool {
    if clause.catchItems.isEmpty { return true }
    return clause.catchItems.contains { item in
      guard item.whereClause == nil else { return false }
      guard let pattern = item.pattern else { return true }
      if let binding = pattern.as(ValueBindingPatternSyntax.self) {
        return binding.pattern.is(IdentifierPatternSyntax.self) || castsAnyError(binding)
      }
      return pattern.is(WildcardPatternSyntax.self)
    }
  }

  /// The types that any error can be cast to, without spaces.
  private static let typesOfAnyError: Set<String> = [
    "NSError", "Foundation.NSError", "Error", "anyError", "Swift.Error", "anySwift.Error",
  ]

  /// Returns whether a pattern such as `let error as NSError` matches any error.
  private func castsAnyError(_ binding: ValueBindingPatternSyntax) -> Bool {
    let words = binding.pattern.tokens(viewMode: .sourceAccurate).map(\.text)
    guard words.count > 2, words[1] == "as" else { return false }
    let type = words[2...].joined()
    return Self.typesOfAnyError.contains(type) && !(type == "Error" && declaresError)
  }

  /// Whether the file declares a type `Error`, which hides the protocol.
  private var declaresError: Bool {
    WordFinder(["Error"]).find(in: file).offsets.contains { offset in
      let before = file.text(in: max(0, offset - 10)..<offset)
      return ["enum ", "struct ", "class ", "typealias "].contains(where: before.hasSuffix)
    }
  }

  /// Follows each clause of `#if`, because any of them may be compiled. Without `#elseif` and `#else`, none may be.
  mutating func lower(conditional: IfConfigDeclSyntax) {
    guard let fork = graph.current else { return }
    var tails: [Int?] = []
    for clause in conditional.clauses {
      graph.current = fork
      switch clause.elements {
      case .statements(let items): lower(branch: items)
      case .postfixExpression(let expression): lower(expression)
      default: break
      }
      tails.append(graph.current)
    }
    // A list of platforms is meant to be complete.
    if conditional.clauses.count == 1 { tails.append(fork) }
    graph.join(tails, at: conditional.endPosition.utf8Offset)
  }
}
