/// The rules for the name of an async twin.
package enum TwinNaming: Sendable, Hashable {
  /// The convention for Swift functions: the base name is kept and the handler's label is removed.
  case handwritten
  /// The rules by which the compiler names functions imported from Objective-C (SE-0297).
  case imported

  /// Returns the name of the twin.
  ///
  /// - Parameter handlers: The positions of the parameters that the twin does not have.
  package func name(of function: FunctionName, handlers: [Int]) -> FunctionName {
    var twin = function
    twin.labels = function.labels.enumerated().filter { !handlers.contains($0.offset) }.map(\.element)
    guard self == .imported, let handler = handlers.first else { return twin }
    let handlerLabel = function.labels.indices.contains(handler) ? function.labels[handler] : "_"

    if CamelCase.words(of: twin.base).first == "get", twin.base.count > 3 {
      twin.base.removeFirst(3)
      if twin.labels.first == "_" { Self.moveLastPhrase(in: &twin) }
    }
    if handler == 0, let rest = Self.withoutHandlerPhrase(twin.base, label: handlerLabel) { twin.base = rest }
    let asynchronously = "Asynchronously"
    if CamelCase.words(of: twin.base).last == asynchronously, twin.base.count > asynchronously.count {
      twin.base.removeLast(asynchronously.count)
    }
    // The handler's label in `save(_:thenCloseWithCompletion:)` describes a part of what the function does.
    if handler > 0, let rest = Self.withoutHandlerPhrase(handlerLabel, label: "") {
      twin.base += CamelCase.capitalized(rest)
    }
    twin.base = CamelCase.lowercasedInitialism(twin.base)
    // These are not valid names of members.
    return ["", "init", "self", "Self", "Type", "Protocol"].contains(twin.base)
      ? FunctionName(base: function.base, labels: twin.labels) : twin
  }

  private static func withoutHandlerPhrase(_ name: String, label: String) -> String? {
    var phrases = [
      "WithCompletionHandler", "WithCompletionBlock", "WithCompletion", "WithBlock", "WithReplyTo",
      "WithReply",
    ]
    // The rest of "WithBlock" if the parameter's type already shows that it is a block.
    if label == "_" { phrases.append("With") }
    guard let phrase = phrases.first(where: name.hasSuffix), name.count > phrase.count else { return nil }
    return String(name.dropLast(phrase.count))
  }

  /// Changes `urlForName(_:)` to `url(forName:)`. Only used if a `get` was removed, because the importer does not split
  /// names that begin with `get`.
  private static func moveLastPhrase(in name: inout FunctionName) {
    let words = CamelCase.words(of: name.base)
    guard words.first != "set", var place = lastPreposition(of: words[...]) else { return }
    let preposition = words[place]
    let before = place > 0 ? words[place - 1] : ""
    let after = place + 1 < words.count ? words[place + 1] : ""
    guard !conflicts(preposition, before: before, after: after) else { return }
    if extends(before, preposition) { place -= 1 }
    if ["X", "Y", "Z"].contains(words[(place + 1)...].joined()) { place += 1 }
    guard place > 0, place < words.count || after.isEmpty == false else { return }
    let kept = words[..<place]
    if isVacuous(kept[0]), kept.count < 3 { return }
    if ["init", "self", "Type", "Protocol"].contains(kept[0]), kept.count < 2 { return }
    name.base = kept.joined()
    name.labels[0] = CamelCase.lowercasedInitialism(words[place...].joined())
  }

  private static func lastPreposition(of words: ArraySlice<String>) -> Int? {
    guard let last = words.lastIndex(where: { prepositions.contains($0.lowercased()) }) else { return nil }
    // "of" belongs to the words before it, as in "with contents of".
    if words[last].lowercased() == "of",
      let earlier = words[..<last].lastIndex(where: { prepositions.contains($0.lowercased()) }),
      !["of", "for"].contains(words[earlier].lowercased())
    {
      return earlier
    }
    return last
  }

  private static func conflicts(_ preposition: String, before: String, after: String) -> Bool {
    switch preposition.lowercased() {
    case "in": before.lowercased() == "plug"
    case "with": ["error", "no"].contains(after.lowercased())
    case "to": ["visible", "backing"].contains(after.lowercased())
    case "from": after.lowercased() == "backing"
    default: false
    }
  }

  private static func extends(_ before: String, _ preposition: String) -> Bool {
    switch (before.lowercased(), preposition.lowercased()) {
    case ("compatible", "with"), ("best", "matching"), ("according", "to"), ("bound", "by"),
      ("separated", "by"):
      true
    default: false
    }
  }

  private static func isVacuous(_ word: String) -> Bool {
    ["get", "for", "set", "using", "with"].contains(word.lowercased())
  }

  private static let prepositions: Set<String> = [
    "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from",
    "given", "in", "including", "inside", "into", "matching", "of", "on", "since", "to", "until", "using",
    "via",
    "with", "within",
  ]
}
