import AdoptAnalysis
import SwiftSyntax

/// A function with a completion handler that has an async alternative.
package struct MigratableFunction: Sendable, Hashable {
  /// What the handler takes.
  package enum Kind: Sendable, Hashable {
    case nothing
    case values(Int)
    case result
    /// Values, and an optional error.
    case valuesAndError(Int)
  }

  package let name: FunctionName
  package let type: String
  package let twin: FunctionName
  package let kind: Kind
  package let handlerIndex: Int
  package let isThrowing: Bool
  package let returnsNothing: Bool
  /// The kind of the finding, if `check` finds that the function does not call its handler once.
  package let finding: String?
}

/// The functions of a package that have an async alternative, by the names of the functions.
package struct TwinIndex: Sendable {
  private(set) var functions: [String: [MigratableFunction]] = [:]
  /// The base names of functions that call their handler for each event.
  private(set) var subscriptions: Set<String> = []
  /// The base names of functions with a handler and without an alternative.
  private(set) var withoutTwin: Set<String> = []

  package init(_ files: [ParsedFile]) {
    let aliases = SharedAliases(files)
    let finders = files.map { CandidateFinder($0, shared: aliases) }
    var async: [AsyncFunction: FunctionDeclSyntax] = [:]
    for finder in finders { async.merge(finder.asyncDeclarations) { first, _ in first } }
    for (file, finder) in zip(files, finders) where !finder.candidates.isEmpty {
      let findings = check(file).findings
      for candidate in finder.candidates { add(candidate, async, findings, file) }
    }
  }

  private mutating func add(
    _ candidate: Candidate, _ async: [AsyncFunction: FunctionDeclSyntax], _ findings: [Finding],
    _ file: ParsedFile
  ) {
    let function = candidate.function
    if Subscription.find(of: candidate.handler, in: function, file: file) != nil {
      subscriptions.insert(candidate.name.base)
      return
    }
    guard candidate.handler.failureParameter == nil, let kind = Self.kind(of: candidate.handler) else {
      return
    }
    for naming in [TwinNaming.handwritten, .imported] {
      let name = naming.name(of: candidate.name, handlers: [candidate.handler.index])
      guard let twin = async[AsyncFunction(type: candidate.scope.type, name: name)] else { continue }
      let range = function.position.utf8Offset..<function.endPosition.utf8Offset
      let finding = findings.first { range.contains($0.place.offset) && $0.kind != .nothing }
      functions[candidate.name.base, default: []].append(
        MigratableFunction(
          name: candidate.name, type: candidate.scope.type, twin: name, kind: kind,
          handlerIndex: candidate.handler.index,
          isThrowing: twin.signature.effectSpecifiers?.throwsClause != nil,
          returnsNothing: twin.signature.returnClause?.type.isVoidType ?? true,
          finding: finding?.kind.rawValue))
      return
    }
    withoutTwin.insert(candidate.name.base)
  }

  private static func kind(of handler: Handler) -> MigratableFunction.Kind? {
    switch handler.shape {
    case .nothing: .nothing
    case .values(let values): .values(values.count)
    case .result: .result
    case .valuesAndError(let values, _): .valuesAndError(values.count)
    case .error: .valuesAndError(0)
    case .successFailure, nil: nil
    }
  }

  /// Returns the function that a call calls, as far as its name and labels show it.
  ///
  /// Overloads that would be rewritten in the same way are one. The compiler verifies the result.
  func function(calledBy call: FunctionCallExprSyntax) -> (function: MigratableFunction, isCertain: Bool)? {
    let callee = call.calledExpression.bare
    let reference =
      callee.as(MemberAccessExprSyntax.self)?.declName ?? callee.as(DeclReferenceExprSyntax.self)
    guard let base = reference?.baseName.text, let named = functions[base] else { return nil }
    let matching = named.filter { Self.matches(call, $0) }
    guard let first = matching.first else { return nil }
    let isCertain = matching.allSatisfy {
      $0.kind == first.kind && $0.isThrowing == first.isThrowing && $0.twin.base == first.twin.base
    }
    return (first, isCertain)
  }

  private static func matches(_ call: FunctionCallExprSyntax, _ function: MigratableFunction) -> Bool {
    guard call.additionalTrailingClosures.isEmpty else { return false }
    var labels = call.arguments.map { $0.label?.text ?? "_" }
    var expected = function.name.labels
    if call.trailingClosure == nil {
      guard let last = labels.popLast(), last == expected[function.handlerIndex] else { return false }
    }
    expected.remove(at: function.handlerIndex)
    // Parameters with default values may be left out.
    var rest = expected[...]
    for label in labels {
      guard let index = rest.firstIndex(of: label) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }
}
