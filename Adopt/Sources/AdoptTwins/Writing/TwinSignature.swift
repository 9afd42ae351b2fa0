import AdoptAnalysis
import SwiftSyntax

/// The parts of a function that its twin copies.
struct TwinSignature {
  let function: FunctionDeclSyntax
  let removed: [Int]
  /// The removed parameters that the call of the function leaves out as well, so that it uses their default values.
  var dropped: Set<Int> = []
  let name: FunctionName
  /// The indentation of the function, which the continuation lines of copied text also have.
  let base: String

  /// The internal names of the twin's parameters. Parameters without a name get one.
  let internalNames: [Int: String]

  init(function: FunctionDeclSyntax, removed: [Int], name: FunctionName, base: String) {
    self.function = function
    self.removed = removed
    self.name = name
    self.base = base
    let parameters = Array(function.signature.parameterClause.parameters.enumerated())
    var taken = Set(parameters.map(\.element.internalName))
    var names: [Int: String] = [:]
    for (index, parameter) in parameters where !removed.contains(index) {
      var name = parameter.internalName
      if name == "_" {
        name = Outcome.unique("argument", not: taken)
        taken.insert(name)
      }
      names[index] = name
    }
    internalNames = names
  }

  /// Returns a text with the indentation of its continuation lines relative to the function's.
  func relative(_ text: String) -> String {
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { index, line in
      index > 0 && line.hasPrefix(base) ? String(line.dropFirst(base.count)) : String(line)
    }.joined(separator: "\n")
  }

  // MARK: Attributes

  /// Attributes that are not copied: they concern calling or compiling the original function, or would give two
  /// functions the same name.
  private static let ownAttributes: Set<String> = [
    "objc", "IBAction", "IBSegueAction", "inlinable", "inline", "usableFromInline", "discardableResult",
    "_transparent",
    "_alwaysEmitIntoClient", "_silgen_name", "_cdecl", "cdecl", "c", "_expose", "_extern", "_specialize",
    "specialized",
    "specialize", "_dynamicReplacement", "backDeployed", "_backDeploy", "_optimize", "_semantics", "_effects",
    "_implements", "differentiable", "derivative", "transpose", "export",
  ]

  var attributes: [AttributeSyntax] {
    function.attributes.compactMap { element in
      guard case .attribute(let attribute) = element else { return nil }
      let name = attribute.attributeName.trimmedDescription
      if Self.ownAttributes.contains(name) { return nil }
      if name == "available", attribute.words.contains("noasync") { return nil }
      return attribute
    }
  }

  /// Returns the attributes and modifiers, followed by a space or a line ending.
  func prefix(separate: Bool, extra: [String], modifiersBefore: [String]) -> String {
    var text = ""
    let replacesVersions = extra.contains { $0.hasPrefix("@available(") }
    for attribute in attributes {
      if replacesVersions, Availability.versions(in: attribute) != nil { continue }
      let next = attribute.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)
      let breaks = next?.leadingTrivia.containsNewline ?? false
      text += relative(attribute.trimmedDescription) + (breaks ? "\n" : " ")
    }
    for attribute in extra { text = attribute + "\n" + text }
    var modifiers = modifiersBefore
    for modifier in function.modifiers {
      switch modifier.name.text {
      case "dynamic": continue
      case "final" where separate: continue
      case "open" where separate: modifiers.append("public")
      default: modifiers.append(modifier.trimmedDescription)
      }
    }
    return text + modifiers.map { $0 + " " }.joined()
  }

  // MARK: The declaration

  func declaration(effect: Outcome.Effect?, returns: String?) -> String {
    var text = "func " + (name.base == function.fullName.base ? function.name.text : name.base.escaped)
    text += relative(function.genericParameterClause?.trimmedDescription ?? "")
    text += relative(parameters)
    switch effect {
    // A function that returns a stream is not async.
    case nil: break
    case .some(.none): text += " async"
    case .throwing: text += " async throws"
    case .typed(let failure): text += " async throws(\(failure))"
    }
    if let returns { text += " -> \(returns)" }
    if let clause = function.genericWhereClause {
      let indent = clause.leadingTrivia.containsNewline ? "\n" + clause.leadingTrivia.lastIndentation : nil
      text += relative((indent ?? " ") + clause.trimmedDescription)
    }
    return text
  }

  private var parameters: String {
    let all = Array(function.signature.parameterClause.parameters)
    let kept = all.indices.filter { !removed.contains($0) }
    guard let first = kept.first, let last = kept.last else { return "()" }
    let short = kept.enumerated().map {
      parameter(all[$0.element], label: name.labels[$0.offset], index: $0.element)
    }
    .joined(separator: ", ")
    // Parameters that were on separate lines only because of the handler are joined.
    let isApart = kept.dropFirst().contains { all[$0].leadingTrivia.containsNewline }
    if !isApart, short.utf8.count < 60, !short.contains("\n") { return "(\(short))" }
    var text = function.signature.parameterClause.leftParen.trimmedDescription
    for (position, index) in kept.enumerated() {
      text += (index == first ? all[0] : all[index]).leadingTrivia.description
      text += parameter(all[index], label: name.labels[position], index: index)
      guard index != last else { continue }
      let after = all[index].trailingComma?.trailingTrivia.description ?? ""
      // If the handler's line was removed, the next parameter still begins a line.
      let next = kept[position + 1]
      let breaks = all[next].leadingTrivia.containsNewline
      text += "," + (after.isEmpty && !breaks ? " " : after)
    }
    let end = function.signature.parameterClause.rightParen
    if end.leadingTrivia.containsNewline { text += "\n" + end.leadingTrivia.lastIndentation }
    return text + ")"
  }

  private func parameter(_ parameter: FunctionParameterSyntax, label: String, index: Int) -> String {
    var result = parameter.with(\.trailingComma, nil).trimmed
    let internalName = internalNames[index] ?? parameter.internalName
    let label = label == "_" ? "_" : label
    if label != parameter.label || internalName != parameter.internalName {
      let colon = result.colon
      let labelText = label == "inout" || label == "var" || label == "let" ? "`\(label)`" : label
      result.firstName = .identifier(labelText, trailingTrivia: .space)
      result.secondName = .identifier(internalName.escaped)
      result.colon = colon
    }
    return result.trimmedDescription
  }

  // MARK: The call

  /// Returns the argument that the twin passes for a parameter.
  func argument(_ index: Int, of parameter: FunctionParameterSyntax) -> String {
    let name = (internalNames[index] ?? parameter.internalName).escaped
    let type = parameter.type
    var value = name
    if type.is(PackExpansionTypeSyntax.self) {
      value = "repeat each \(name)"
    } else if type.specifiers.contains("inout") {
      value = "&\(name)"
    } else if type.attributeNames.contains("autoclosure") {
      value = "\(name)()"
    }
    return parameter.label == "_" ? value : "\(parameter.label): \(value)"
  }
}

extension Trivia {
  /// The spaces and tabs after the last line ending.
  var lastIndentation: String {
    var text = ""
    for piece in pieces {
      switch piece {
      case .newlines, .carriageReturns, .carriageReturnLineFeeds: text = ""
      case .spaces(let count): text += String(repeating: " ", count: count)
      case .tabs(let count): text += String(repeating: "\t", count: count)
      default: text = ""
      }
    }
    return text
  }
}

extension TypeSyntax {
  /// The specifiers of the type: `inout`, `borrowing`, `isolated`…
  var specifiers: Set<String> {
    guard let type = self.as(AttributedTypeSyntax.self) else { return [] }
    return Set(type.specifiers.map { $0.trimmedDescription }).union(type.baseType.specifiers)
  }

  var attributeNames: Set<String> {
    guard let type = self.as(AttributedTypeSyntax.self) else { return [] }
    return Set(
      type.attributes.compactMap { element in
        guard case .attribute(let attribute) = element else { return nil }
        return attribute.attributeName.trimmedDescription
      })
  }
}

extension AttributeSyntax {
  /// The text of every token.
  var words: Set<String> { Set(tokens(viewMode: .sourceAccurate).map(\.text)) }
}
