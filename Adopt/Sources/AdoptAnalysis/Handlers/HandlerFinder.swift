import SwiftSyntax

/// Finds the closure parameters that a function has to call exactly once.
package struct HandlerFinder: Sendable {
  private let aliases: TypeAliases

  /// - Parameter shared: Type aliases of handlers in other files.
  package init(_ file: ParsedFile, shared: SharedAliases = SharedAliases()) {
    aliases = TypeAliases(file, shared: shared)
  }

  /// Returns the handler that an async function would replace with its return value: the last or only one.
  package func handler(in parameters: FunctionParameterListSyntax) -> Handler? {
    successAndFailure(in: parameters) ?? handlers(in: parameters).last
  }

  /// Returns all handlers that have to be called, in order.
  ///
  /// A closure is a handler if it returns nothing, is escaping or optional, and its name is or ends in a word such as
  /// `completion`, `handler` or `callback`. The last closure is also a handler if it takes a `Result` or an optional
  /// error. If a function has several, only names like `completion` count, because closures with names like `handler`
  /// may be called many times or never.
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

  /// Returns the names of the types of possible handlers that are declared elsewhere.
  func unresolvedNames(in parameters: FunctionParameterListSyntax) -> [String] {
    parameters.compactMap { parameter in
      let type = HandlerType(parameter.type, aliases: aliases)
      return type.isEscaping && type.function == nil && type.alias == nil ? type.name : nil
    }
  }

  /// Returns the handler of a function whose last two closures take the success and the failure.
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
      // Only a closure can be escaping. For an optional, only the name shows that it is a closure.
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
      // `onError`, `failureHandler`: called only if there is an error.
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
