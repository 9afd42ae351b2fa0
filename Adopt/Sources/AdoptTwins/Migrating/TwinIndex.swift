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
  /// The place of the name in its declaration.
  package let place: Place
  package let twin: FunctionName
  package let kind: Kind
  package let handlerIndex: Int
  package let isThrowing: Bool
  package let returnsNothing: Bool
  /// The result of the alternative, if another alternative differs from it only in its result.
  package let annotation: String?
  /// The values of the handler that are optional, and not optional in the result of the alternative.
  package let unwrapped: Set<Int>
  /// The global actor on which the handler runs.
  package let actor: String?
  /// Why no call can move, if that is so for all calls of the function.
  package let obstacle: String?

  /// Whether calls of two functions are rewritten in the same way.
  func isRewritten(like other: MigratableFunction) -> Bool {
    kind == other.kind && isThrowing == other.isThrowing && twin.base == other.twin.base
      && returnsNothing == other.returnsNothing && annotation == other.annotation
      && unwrapped == other.unwrapped && actor == other.actor && obstacle == other.obstacle
      && name.labels == other.name.labels && handlerIndex == other.handlerIndex
  }
}

/// A function with a handler whose calls stay.
struct StayingFunction: Sendable, Hashable {
  let name: FunctionName
  let place: Place
  let handlerIndex: Int
  /// Why calls of the function stay.
  let reason: String
}

/// The functions of a package that have an async alternative, by the names of the functions.
package struct TwinIndex: Sendable {
  private(set) var functions: [String: [MigratableFunction]] = [:]
  /// The base names of functions that call their handler for each event.
  private(set) var subscriptions: Set<String> = []
  /// The functions with a handler and without an alternative, and subscriptions.
  private var others: [String: [StayingFunction]] = [:]
  /// The places of the names of the functions with an alternative, and of the alternatives.
  private(set) var places: Set<Place> = []
  /// What the compiler recorded about names.
  private var names = ResolvedNames()
  /// The absolute paths of files, by the paths of the parsed files.
  private var paths: [String: String] = [:]
  /// Why the functions of unclear calls are not known.
  private var obstacle = "the index of the compiler was not read"

  package init(_ files: [ParsedFile]) {
    let aliases = SharedAliases(files)
    let finders = files.map { CandidateFinder($0, shared: aliases) }
    var twins = Twins()
    for (file, finder) in zip(files, finders) { twins.add(finder, file) }
    for (file, finder) in zip(files, finders) where !finder.candidates.isEmpty {
      let findings = check(file).findings
      for candidate in finder.candidates { add(candidate, twins, findings, file) }
    }
  }

  private mutating func add(
    _ candidate: Candidate, _ twins: Twins, _ findings: [Finding], _ file: ParsedFile
  ) {
    let function = candidate.function
    let place = file.place(of: function.name)
    func stays(_ reason: String) {
      others[candidate.name.base, default: []].append(
        StayingFunction(
          name: candidate.name, place: place, handlerIndex: candidate.handler.index, reason: reason))
    }
    if Subscription.find(of: candidate.handler, in: function, file: file) != nil {
      subscriptions.insert(candidate.name.base)
      return stays(Self.subscriptionReason)
    }
    guard candidate.handler.failureParameter == nil, let kind = Self.kind(of: candidate.handler),
      let (name, twin) = twins.twin(of: candidate, in: file)
    else { return stays("the function that it calls has no alternative") }
    places.formUnion([place, twin.place])
    let range = function.position.utf8Offset..<function.endPosition.utf8Offset
    let finding = findings.first { range.contains($0.place.offset) && $0.kind != .nothing }
    let isThrowing = twin.function.signature.effectSpecifiers?.throwsClause != nil
    let obstacle =
      Self.hasErrors(candidate.handler) && !isThrowing
      ? "its alternative does not throw"
      : finding.map { "adopt check reports '\($0.kind.rawValue)' for the function that it calls" }
    functions[candidate.name.base, default: []].append(
      MigratableFunction(
        name: candidate.name, type: candidate.scope.type, place: place, twin: name, kind: kind,
        handlerIndex: candidate.handler.index,
        isThrowing: isThrowing,
        returnsNothing: twin.function.returnsNothing,
        annotation: twins.differOnlyInResult(twin, name, candidate) ? twin.function.resultText : nil,
        unwrapped: Self.unwrapped(candidate.handler, by: twin.function),
        actor: candidate.handler.attributes.first { $0.hasSuffix("Actor") }, obstacle: obstacle))
  }

  /// Returns whether a handler takes an error that an alternative throws.
  private static func hasErrors(_ handler: Handler) -> Bool {
    switch handler.shape {
    case .result(_, let failure): !["Never", "Swift.Never"].contains(failure?.trimmedDescription)
    case .valuesAndError, .error, .successFailure: true
    case .values, .nothing, nil: false
    }
  }

  private static func unwrapped(_ handler: Handler, by twin: FunctionDeclSyntax) -> Set<Int> {
    guard case .valuesAndError(let values, _) = handler.shape else { return [] }
    let returned = twin.returnedTypes
    return Set(
      values.indices.filter { index in
        guard values[index].type.wrappedOptional != nil else { return false }
        return returned.count != values.count || returned[index].wrappedOptional == nil
      })
  }

  static let subscriptionReason = "it is a subscription, whose closure runs for each event"

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

  // MARK: - Calls

  /// The function of a call.
  enum Callee {
    case function(MigratableFunction)
    /// The call stays, for this reason.
    case stays(String)

    var function: MigratableFunction? {
      if case .function(let function) = self { function } else { nil }
    }
  }

  /// Returns the function that a call calls, or nil for calls of functions without a handler or with other labels.
  ///
  /// Its name and labels are enough if all functions that have them would be rewritten in the same way, because the
  /// compiler verifies the result. Otherwise, the index of the compiler decides.
  func callee(of call: FunctionCallExprSyntax, in file: ParsedFile) -> Callee? {
    guard let matching = matching(call) else { return nil }
    if let only = matching.unambiguous { return Self.callee(of: call, only) }
    guard let used = point(of: call, in: file), let declared = names.declarations(ofNameAt: used) else {
      return .stays("several functions with this name have different handlers, and \(obstacle)")
    }
    if let found = matching.functions.first(where: { declared.contains(point(of: $0.place)) }) {
      return Self.callee(of: call, found)
    }
    if let found = matching.others.first(where: { declared.contains(point(of: $0.place)) }) {
      return .stays(found.reason)
    }
    return .stays("the function that it calls has no alternative")
  }

  private static func callee(of call: FunctionCallExprSyntax, _ function: MigratableFunction) -> Callee {
    let base = call.calledExpression.bare.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
    let isOwn = base == nil || base == "self" || base == "super"
    if isOwn, Surroundings(of: call).function?.fullName == function.twin {
      return .stays("the alternative would call itself")
    }
    if call.calledExpression.tokens(viewMode: .sourceAccurate).contains(where: {
      $0.tokenKind == .postfixQuestionMark
    }) {
      return .stays("without an object, nothing is called, and the code after it would still run")
    }
    return .function(function)
  }

  /// The functions that a call may call, by its name and labels.
  private struct Matching {
    let functions: [MigratableFunction]
    let others: [StayingFunction]

    var unambiguous: MigratableFunction? {
      guard others.isEmpty, let first = functions.first else { return nil }
      return functions.allSatisfy { $0.isRewritten(like: first) } ? first : nil
    }
  }

  private func matching(_ call: FunctionCallExprSyntax) -> Matching? {
    guard let base = call.calledName?.text.withoutBackticks, let named = functions[base] else { return nil }
    let matching = named.filter { Self.matches(call, $0.name, $0.handlerIndex) }
    guard !matching.isEmpty else { return nil }
    let others = (others[base] ?? []).filter { Self.matches(call, $0.name, $0.handlerIndex) }
    return Matching(functions: matching, others: others)
  }

  private static func matches(
    _ call: FunctionCallExprSyntax, _ name: FunctionName, _ handlerIndex: Int
  ) -> Bool {
    guard call.additionalTrailingClosures.isEmpty else { return false }
    var labels = call.arguments.map { $0.label?.text ?? "_" }
    var expected = name.labels
    if call.trailingClosure == nil {
      guard let last = labels.popLast(), last == expected[handlerIndex] else { return false }
    }
    expected.remove(at: handlerIndex)
    // Parameters with default values may be left out.
    var rest = expected[...]
    for label in labels {
      guard let index = rest.firstIndex(of: label) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }

  // MARK: - Names that the compiler resolved

  /// Returns whether a file has calls whose function can only be found in the compiler's index.
  package func hasUnclearCalls(_ file: ParsedFile) -> Bool {
    Calls(file).found.contains { call in
      guard let matching = matching(call) else { return false }
      return matching.unambiguous == nil
    }
  }

  /// The files that declare the functions.
  package var declaringFiles: Set<String> {
    Set(functions.values.joined().map(\.place.path)).union(others.values.joined().map(\.place.path))
  }

  /// Uses names that the compiler resolved.
  ///
  /// - Parameter paths: The absolute paths of the files, by the paths of the parsed files.
  package mutating func use(_ names: ResolvedNames, paths: [String: String]) {
    self.names = names
    self.paths = paths
    obstacle = "the index of the compiler does not contain the call"
  }

  /// Notes why the names could not be resolved, for the reasons of calls that stay.
  package mutating func noteObstacle(_ reason: String) {
    obstacle = "the index of the compiler cannot be used: \(reason)"
  }

  private func point(of call: FunctionCallExprSyntax, in file: ParsedFile) -> ResolvedNames.Point? {
    call.calledName.map { point(of: file.place(of: $0)) }
  }

  private func point(of place: Place) -> ResolvedNames.Point {
    ResolvedNames.Point(path: paths[place.path] ?? place.path, line: place.line, column: place.column)
  }
}

extension FunctionCallExprSyntax {
  /// The base name of the function.
  var calledName: TokenSyntax? {
    let callee = calledExpression.bare
    return
      (callee.as(MemberAccessExprSyntax.self)?.declName ?? callee.as(DeclReferenceExprSyntax.self))?.baseName
  }
}
