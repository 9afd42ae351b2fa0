import SwiftSyntax

/// Finds the parameters that a function has to call exactly once.
package struct HandlerFinder: Sendable {
  private let aliases: TypeAliases

  /// - Parameter shared: What other files call handlers' types.
  package init(_ file: ParsedFile, shared: SharedAliases = SharedAliases()) {
    aliases = TypeAliases(file, shared: shared)
  }

  /// The one that an async function would return for: the last, or the only one.
  package func handler(in parameters: FunctionParameterListSyntax) -> Handler? {
    successAndFailure(in: parameters) ?? handlers(in: parameters).last
  }

  /// All that have to be called, in order.
  ///
  /// A closure counts if it returns nothing, outlives the call or is optional, and is called `completion`,
  /// `handler`, `callback`… or ends in such a word; or if it is the last closure, and takes a `Result` or an
  /// optional error. Where a function has several, names like `completion` win over names like `handler`, which
  /// may well be called many times or never; without such a winner none counts.
  package func handlers(in parameters: FunctionParameterListSyntax) -> [Handler] {
    var found: [(handler: Handler, strength: HandlerName.Strength)] = []
    var last: Handler?
    for (index, parameter) in parameters.enumerated() {
      guard let handler = handler(parameter, at: index) else { continue }
      let strength = max(
        handler.label.map(HandlerName.strength(of:)) ?? .none, HandlerName.strength(of: handler.name))
      last = handler
      if strength != .none { found.append((handler, strength)) }
    }
    if found.isEmpty, let last, takesOutcome(last) { return [last] }
    let strong = found.filter { $0.strength == .strong }
    if !strong.isEmpty { return strong.map(\.handler) }
    return found.count == 1 ? found.map(\.handler) : []
  }

  /// Two closures in the end, of which the first takes what came of it and the second what went wrong.
  package func successAndFailure(in parameters: FunctionParameterListSyntax) -> Handler? {
    guard parameters.count >= 2 else { return nil }
    let pair = Array(parameters.suffix(2))
    guard let success = handler(pair[0], at: parameters.count - 2),
      let failure = handler(pair[1], at: parameters.count - 1),
      let successType = success.type, let failureType = failure.type,
      Self.names(pair[0]).contains(where: Self.speaksOfSuccess),
      Self.names(pair[1]).contains(where: Self.speaksOfFailure)
    else { return nil }
    return Handler(
      parameter: pair[0], index: success.index, label: success.label, name: success.name, type: successType,
      alias: success.alias, isOptional: success.isOptional, isEscaping: success.isEscaping,
      attributes: success.attributes,
      shape: .successFailure(success: Array(successType.parameters), failure: Array(failureType.parameters)),
      failureParameter: pair[1])
  }

  private func handler(_ parameter: FunctionParameterSyntax, at index: Int) -> Handler? {
    guard parameter.ellipsis == nil else { return nil }
    let type = HandlerType(parameter.type, aliases: aliases)
    guard type.isEscaping else { return nil }
    if let function = type.function {
      guard function.returnsVoid, function.effectSpecifiers == nil else { return nil }
    } else {
      // Only a closure can be escaping. Of an optional, nothing but the name tells.
      guard let name = type.name,
        type.attributes.contains("escaping") || HandlerName.strength(of: Self.lowercasingFirst(name)) != .none
          || name.hasSuffix("Block")
      else { return nil }
    }
    let label = parameter.firstName.text
    return Handler(
      parameter: parameter, index: index, label: label == "_" ? nil : label,
      name: (parameter.secondName ?? parameter.firstName).text, type: type.function, alias: type.alias,
      isOptional: type.isOptional, isEscaping: type.isEscaping, attributes: type.attributes,
      shape: type.function.map(HandlerShape.init), failureParameter: nil)
  }

  private func takesOutcome(_ handler: Handler) -> Bool {
    switch handler.shape {
    case .result, .valuesAndError, .error:
      // `onError`, `failureHandler`: called only if something goes wrong.
      let name = handler.name.lowercased()
      return !["error", "failure", "fail", "catch"].contains { name.contains($0) }
    default: return false
    }
  }

  private static func names(_ parameter: FunctionParameterSyntax) -> [String] {
    [parameter.firstName.text.lowercased(), (parameter.secondName?.text ?? "").lowercased()]
  }

  private static func speaksOfSuccess(_ name: String) -> Bool {
    name.contains("success") || name == "onsucceed"
  }

  private static func speaksOfFailure(_ name: String) -> Bool {
    name.contains("failure") || name.contains("error") || name == "onfail"
  }

  private static func lowercasingFirst(_ name: String) -> String {
    name.prefix(1).lowercased() + name.dropFirst()
  }
}
