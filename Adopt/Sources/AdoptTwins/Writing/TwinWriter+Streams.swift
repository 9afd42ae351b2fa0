import AdoptAnalysis
import SwiftParser
import SwiftSyntax

extension TwinWriter {
  // MARK: - Subscriptions

  /// Decides about a function that calls its handler for each event: it gets a stream, and never an async function.
  func streamDecision(for candidate: Candidate, _ subscription: Subscription, taken: inout Set<String>) throws
    -> Decision
  {
    if subscription.isConditional { throw Refusal(reason: subscription.reason) }
    let function = candidate.function
    _ = try checkAttributes(of: function)
    var name = candidate.name
    name.labels = name.labels.enumerated().filter { $0.offset != candidate.handler.index }.map(\.element)
    let key = AsyncFunction(type: candidate.scope.type, name: name)
    let kept = ParameterTypes(of: function, without: [candidate.handler.index])
    if found.streamFunctions.contains(key, kept) || options.known.contains(key, kept) {
      return .existing(name.description)
    }
    let reason = "it calls its handler for each event (\(subscription.reason))"
    guard let unsubscribing = unsubscribing(candidate) else {
      throw Refusal(reason: "\(reason), and no way to end that is visible")
    }
    guard candidate.handler.failureParameter == nil, function.signature.effectSpecifiers?.throwsClause == nil,
      let types = TypeNames(of: candidate.handler)
    else { throw Refusal(reason: reason) }
    try checkModifiers(of: function)
    try checkParameters(of: candidate)
    if found.plainFunctions.contains(key) {
      throw Refusal(reason: "\(reason), and a function \(name) already exists")
    }
    let twin = try stream(of: candidate, named: name, types: types, unsubscribing)
    guard taken.insert(overloadKey(of: candidate, named: name, keepsQueues: true)).inserted else {
      throw Refusal(reason: "its twin would be a duplicate of another `\(name)`")
    }
    return .twin(twin)
  }

  private static let knownTypes: [String: String] = [
    "AnyCancellable": "cancel", "Cancellable": "cancel", "Disposable": "dispose",
    "ListenerRegistration": "remove",
    "NSKeyValueObservation": "invalidate", "Subscription": "cancel",
  ]

  private func unsubscribing(_ candidate: Candidate) -> Unsubscribing? {
    let function = candidate.function
    if let type = function.signature.returnClause?.type, !type.isVoidType {
      let unwrapped = type.wrappedOptional ?? type
      let isOptional = type.wrappedOptional != nil
      let name = unwrapped.plainName ?? ""
      if let method = found.stoppingMethods[name] ?? Self.knownTypes[name] {
        return .method(method, isOptional: isOptional)
      }
      let text = unwrapped.trimmedDescription
      let remover = found.removers.first { $0.type == candidate.scope.type && $0.parameter == text }
      return isOptional ? nil : remover.map { .function(name: $0.name, label: $0.label) }
    }
    let base = function.name.text
    guard base.hasPrefix("start") else { return nil }
    let stop = FunctionName(base: "stop" + base.dropFirst("start".count), labels: [])
    return found.plainFunctions.contains(AsyncFunction(type: candidate.scope.type, name: stop))
      ? .stopping(name: stop.base) : nil
  }

  private func stream(
    of candidate: Candidate, named name: FunctionName, types: TypeNames, _ unsubscribing: Unsubscribing
  ) throws -> Twin {
    let function = candidate.function
    let base = indentation(at: function.positionAfterSkippingLeadingTrivia.utf8Offset)
    let signature = TwinSignature(
      function: function, removed: [candidate.handler.index], name: name, base: base)
    let body = StreamBody(
      signature: signature, handler: candidate.handler, types: types, unsubscribing: unsubscribing,
      callee: try callee(of: candidate, internalNames: Set(signature.internalNames.values)),
      isMember: !candidate.scope.type.isEmpty, errorType: errorType)
    let returns = try body.returnType()
    func lines(separate: Bool, unsendable: Bool) throws -> [Line] {
      let text =
        signature.prefix(separate: separate, extra: availability(of: candidate), modifiersBefore: [])
        + signature.declaration(effect: nil, returns: returns)
      return documentation(of: candidate, base: base, dropsResult: true) + [Line(0, text, opens: true)]
        + (try body.lines(unsendable: unsendable)).indented() + [Line(0, "}")]
    }
    let twin = Twin(
      place: file.place(of: function.name),
      range: function.position.utf8Offset..<function.endPosition.utf8Offset, function: candidate.name,
      name: name,
      type: candidate.scope.type, reasonAgainstSeparate: reasonAgainstSeparate(candidate),
      isRequirement: isRequirement(candidate), isStream: true, support: [],
      insertion: insertion(for: candidate),
      renaming: nil, condition: Condition.around(function), extensionHeader: extensionHeader(candidate.scope),
      style: style,
      sources: Twin.Sources(
        inline: try lines(separate: false, unsendable: false),
        inlineUnsendable: try lines(separate: false, unsendable: true),
        separate: try lines(separate: true, unsendable: false),
        separateUnsendable: try lines(separate: true, unsendable: true)))
    let inType = candidate.scope.type.isEmpty ? twin.text : "extension X {\n\(twin.text)\n}"
    guard !Parser.parse(source: inType).hasError else { throw Refusal(reason: "its twin would not parse") }
    return twin
  }

  // MARK: - Availability and access

  /// Returns the attribute for systems without Swift concurrency, unless the code requires newer ones.
  ///
  /// It replaces the attribute of the function that names system versions, if there is one.
  func availability(of candidate: Candidate) -> [String] {
    guard options.marksAvailability else { return [] }
    let lists =
      [candidate.function.attributes] + candidate.scope.declarations.compactMap(\.declarationAttributes)
    let required = Availability(
      lists.joined().compactMap { element in
        if case .attribute(let attribute) = element { attribute } else { nil }
      })
    return required.hasConcurrency ? [] : [required.withConcurrency]
  }

  /// Returns whether a function has the access level that the options select.
  func isVisible(_ function: FunctionDeclSyntax, in scope: Scope) -> Bool {
    guard options.access != .all else { return true }
    var level = Self.level(function.modifiers)
    if level == nil {
      switch scope.kind {
      case .extensionOf(let declaration): level = Self.level(declaration.modifiers)
      case .requirement(let declaration): level = Self.level(declaration.modifiers)
      default: break
      }
    }
    return options.access == .public ? level == "public" : level == "public" || level == "package"
  }

  private static func level(_ modifiers: DeclModifierListSyntax) -> String? {
    for modifier in modifiers where modifier.detail == nil {
      switch modifier.name.text {
      case "public", "open": return "public"
      case "package", "internal", "fileprivate", "private": return modifier.name.text
      default: break
      }
    }
    return nil
  }

  // MARK: - Parameters and names

  /// Returns the positions of the parameters for the queue of the handler, which the twin does not have.
  func queueIndices(of function: FunctionDeclSyntax) -> [Int] {
    function.signature.parameterClause.parameters.enumerated().filter { CallbackQueue.isOne($0.element) }.map(
      \.offset)
  }

  /// Returns whether the twin may have the name of a property: one of them is static, and the other is not.
  func mayBe(_ name: FunctionName, beside candidate: Candidate) -> Bool {
    let isStatic = candidate.function.modifiers.contains { ["static", "class"].contains($0.name.text) }
    return found.staticProperties.contains(AsyncFunction(type: candidate.scope.type, name: name)) != isStatic
  }
}

extension TypeSyntax {
  var isVoidType: Bool { Outcome.isVoid(trimmedDescription) }
}
