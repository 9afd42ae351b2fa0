import AdoptAnalysis
import SwiftParser
import SwiftSyntax

/// Writes the twins of the functions of a file, or the reasons why they cannot have one.
struct TwinWriter {
  let file: ParsedFile
  let options: TwinOptions
  let found: CandidateFinder
  let style: FileStyle

  enum Decision {
    case twin(Twin)
    case existing(String)
    case declined(String)
  }

  struct Refusal: Error {
    let reason: String
  }

  init(file: ParsedFile, options: TwinOptions) {
    self.file = file
    self.options = options
    found = CandidateFinder(file, shared: options.aliases)
    style = FileStyle(of: file.text)
  }

  func result() -> TwinFile {
    var result = TwinFile()
    var taken: Set<String> = []
    for candidate in found.candidates where isVisible(candidate.function, in: candidate.scope) {
      let place = file.place(of: candidate.function.name)
      let old = candidate.name
      switch decision(for: candidate, taken: &taken) {
      case .twin(let twin): result.twins.append(twin)
      case .existing(let twin):
        result.existing.append(ExistingTwin(place: place, function: old, twin: twin))
      case .declined(let reason):
        result.declined.append(Declined(place: place, function: old, reason: reason))
      }
    }
    for candidate in found.initializers where options.access == .all {
      result.declined.append(
        Declined(
          place: file.place(of: candidate.declaration.initKeyword), function: candidate.name,
          reason: "an initializer returns its object before it calls its handler"))
    }
    result.declined.sort { $0.place.offset < $1.place.offset }
    return result
  }

  /// `any Error`, or `any Swift.Error` where a type is called `Error`.
  var errorType: String { found.declaredTypes.contains("Error") ? "any Swift.Error" : "any Error" }

  // MARK: One function

  private func decision(for candidate: Candidate, taken: inout Set<String>) -> Decision {
    let function = candidate.function
    do {
      try checkScope(of: candidate)
      if let subscription = Subscription.find(of: candidate.handler, in: function, file: file) {
        return try streamDecision(for: candidate, subscription, taken: &taken)
      }
      let renamed = try checkAttributes(of: function)
      let name = twinName(of: candidate)
      if let renamed { return .existing(renamed) }
      let key = AsyncFunction(type: candidate.scope.type, name: name)
      let kept = ParameterTypes(
        of: function, without: Set(handlerIndices(of: candidate.handler) + queueIndices(of: function)))
      if found.asyncFunctions.contains(key, kept) || options.known.contains(key, kept) {
        return .existing(name.description)
      }
      try checkModifiers(of: function)
      try checkParameters(of: candidate)
      if found.plainFunctions.contains(key) {
        throw Refusal(reason: "async callers of the existing `\(name)` would call its twin instead")
      }
      if name.labels.isEmpty, found.properties.contains(key), !mayBe(name, beside: candidate) {
        throw Refusal(reason: "its twin would have the same name as the property `\(name.base)`")
      }
      let twin = try twin(of: candidate, named: name)
      guard taken.insert(overloadKey(of: candidate, named: name)).inserted else {
        throw Refusal(reason: "its twin would be a duplicate of another `\(name)`")
      }
      return .twin(twin)
    } catch let refusal as Refusal {
      return .declined(refusal.reason)
    } catch let unsupported as Outcome.Unsupported {
      return .declined(unsupported.reason)
    } catch {
      return .declined("\(error)")
    }
  }

  private func twin(of candidate: Candidate, named name: FunctionName) throws -> Twin {
    let function = candidate.function
    let handler = candidate.handler
    let indices = handlerIndices(of: handler)
    guard let types = TypeNames(of: handler) else {
      throw Refusal(reason: "its handler's type is a generic alias whose arguments are not written out")
    }
    let base = indentation(at: function.positionAfterSkippingLeadingTrivia.utf8Offset)
    let queues = queueIndices(of: function)
    var signature = TwinSignature(function: function, removed: indices + queues, name: name, base: base)
    signature.dropped = Set(queues)
    let internalNames = Set(signature.internalNames.values)
    let callsThrowing = function.signature.effectSpecifiers?.throwsClause != nil
    let continuation = Outcome.unique("continuation", not: internalNames.union([function.name.text]))
    let outcome = try Outcome(
      of: handler, types: types, continuation: continuation,
      throwsBefore: callsThrowing)
    let cancellation = try cancellation(of: function)
    var support = outcome.support
    if cancellation != nil { support.insert(.startedWork) }
    try checkSupport(support)

    var localStyle = style
    if let body = function.body { localStyle.opensOnNextLine = body.leftBrace.leadingTrivia.containsNewline }
    var body = TwinBody(
      signature: signature, outcome: outcome, handlerIndices: indices, continuation: continuation,
      takesTrailingClosure: takesTrailingClosure(candidate, indices: indices), cancellation: cancellation,
      callsThrowing: callsThrowing, annotatesClosures: annotatesClosures(function, outcome),
      callee: try callee(of: candidate, internalNames: internalNames), style: localStyle)

    body.errorType = errorType

    func lines(separate: Bool, unsendable: Bool) -> [Line] {
      documentation(of: candidate, base: base, dropsResult: function.signature.returnClause != nil)
        + [Line(0, declaration(candidate, signature, outcome, separate: separate), opens: true)]
        + body.lines(unsendable: unsendable).indented() + [Line(0, "}")]
    }
    let twin = Twin(
      place: file.place(of: function.name),
      range: function.position.utf8Offset..<function.endPosition.utf8Offset, function: candidate.name,
      name: name, type: candidate.scope.type,
      reasonAgainstSeparate: reasonAgainstSeparate(candidate), isRequirement: isRequirement(candidate),
      support: support, insertion: insertion(for: candidate),
      renaming: renaming(function, name: name, base: base),
      condition: Condition.around(function), extensionHeader: extensionHeader(candidate.scope),
      style: localStyle,
      sources: Twin.Sources(
        inline: lines(separate: false, unsendable: false),
        inlineUnsendable: lines(separate: false, unsendable: true),
        separate: lines(separate: true, unsendable: false),
        separateUnsendable: lines(separate: true, unsendable: true)))
    let inType = candidate.scope.type.isEmpty ? twin.text : "extension X {\n\(twin.text)\n}"
    guard !Parser.parse(source: inType).hasError else {
      throw Refusal(reason: "its twin would not parse")
    }
    return twin
  }

  func handlerIndices(of handler: Handler) -> [Int] {
    handler.failureParameter == nil ? [handler.index] : [handler.index, handler.index + 1]
  }

  private func twinName(of candidate: Candidate) -> FunctionName {
    let isExported = candidate.function.attributes.names.contains("objc")
    let naming = options.usesImportedNames || isExported ? TwinNaming.imported : .handwritten
    return naming.name(
      of: candidate.name,
      handlers: handlerIndices(of: candidate.handler) + queueIndices(of: candidate.function))
  }

  // MARK: Reasons against a twin

  func checkScope(of candidate: Candidate) throws {
    if candidate.function.hasError { throw Refusal(reason: "it has a syntax error") }
    if case .local = candidate.scope.kind {
      throw Refusal(reason: "it is local, so only the enclosing function can call it")
    }
    if case .requirement = candidate.scope.kind, candidate.scope.isInsideFunction {
      throw Refusal(reason: "its protocol is local, so it cannot have an extension")
    }
    guard case .identifier = candidate.function.name.tokenKind else {
      throw Refusal(reason: "it is an operator")
    }
    if isDelegateMethod(candidate) {
      throw Refusal(reason: "it is a delegate method, which other code calls")
    }
  }

  /// Returns the twin that the function already names.
  func checkAttributes(of function: FunctionDeclSyntax) throws -> String? {
    var renamed: String?
    for element in function.attributes {
      guard case .attribute(let attribute) = element else {
        throw Refusal(reason: "it has attributes inside `#if`")
      }
      guard attribute.attributeName.trimmedDescription == "available" else { continue }
      let words = attribute.words
      if let word = ["deprecated", "unavailable", "obsoleted"].first(where: words.contains) {
        throw Refusal(reason: "it is \(word)")
      }
      if words.contains("renamed") {
        let literals = attribute.tokens(viewMode: .sourceAccurate).filter {
          if case .stringSegment = $0.tokenKind { true } else { false }
        }
        renamed = literals.last?.text ?? "another function"
      }
    }
    return renamed
  }

  func checkModifiers(of function: FunctionDeclSyntax) throws {
    for modifier in function.modifiers {
      switch modifier.name.text {
      case "override":
        throw Refusal(reason: "it is an override, and the twin of the overridden function already calls it")
      case "distributed": throw Refusal(reason: "it is distributed, so callers can already await it")
      case "optional": throw Refusal(reason: "it is an optional requirement, which may not be implemented")
      case "consuming", "__consuming":
        throw Refusal(reason: "it consumes `self`, which the closure of a continuation cannot do")
      default: break
      }
    }
    if function.signature.effectSpecifiers?.throwsClause?.throwsSpecifier.text == "rethrows" {
      throw Refusal(reason: "it rethrows the errors of another closure")
    }
  }

  func checkParameters(of candidate: Candidate) throws {
    let handlers = handlerIndices(of: candidate.handler)
    for (index, parameter) in candidate.function.signature.parameterClause.parameters.enumerated() {
      guard !handlers.contains(index) else { continue }
      let name = parameter.internalName
      if parameter.ellipsis != nil {
        throw Refusal(reason: "its parameter `\(name)` is variadic, so its values cannot be passed on")
      }
      let specifiers = parameter.type.specifiers
      if let word = ["consuming", "__owned", "sending"].first(where: specifiers.contains) {
        throw Refusal(
          reason: "its parameter `\(name)` is \(word), and a closure cannot give up a captured value")
      }
      if parameter.type.attributeNames.contains("autoclosure"), parameter.type.isThrowingClosure {
        throw Refusal(reason: "its parameter `\(name)` is an autoclosure that throws or is async")
      }
    }
  }

  private func checkSupport(_ support: Set<TwinSupport>) throws {
    for kind in support.sorted(by: { $0.rawValue < $1.rawValue })
    where found.declaredTypes.contains(kind.typeName) && !file.text.contains(kind.lines()[0].text) {
      throw Refusal(
        reason: "its twin needs a type `\(kind.typeName)`, but the file declares another type with that name")
    }
  }

  private func cancellation(of function: FunctionDeclSyntax) throws -> TwinBody.Cancellation? {
    guard let type = function.signature.returnClause?.type, !Outcome.isVoid(type.trimmedDescription) else {
      return nil
    }
    let unwrapped = type.wrappedOptional ?? type
    if let name = unwrapped.plainName {
      if let needsResume = Self.knownCancellable[name] {
        let resumes =
          function.body?.tokens(viewMode: .sourceAccurate).contains { $0.text == "resume" } ?? false
        return TwinBody.Cancellation(
          isOptional: type.wrappedOptional != nil, needsResume: needsResume && !resumes)
      }
      if found.cancellableTypes.contains(name) {
        return TwinBody.Cancellation(isOptional: type.wrappedOptional != nil, needsResume: false)
      }
    }
    guard function.attributes.names.contains("discardableResult") else {
      throw Refusal(
        reason: "it returns `\(type.trimmedDescription)` as well, which its twin would have to discard")
    }
    return nil
  }

  /// Types with a thread-safe `cancel()`, and whether their work only starts when `resume()` is called.
  private static let knownCancellable: [String: Bool] = [
    "URLSessionTask": true, "URLSessionDataTask": true, "URLSessionUploadTask": true,
    "URLSessionDownloadTask": true, "URLSessionStreamTask": true, "URLSessionWebSocketTask": true,
    "Progress": false, "Operation": false, "BlockOperation": false, "DispatchWorkItem": false,
    "AnyCancellable": false, "Cancellable": false, "Task": false, "DataRequest": false,
    "DownloadRequest": false,
    "UploadRequest": false,
  ]

  // MARK: Text

  private func declaration(
    _ candidate: Candidate, _ signature: TwinSignature, _ outcome: Outcome, separate: Bool
  ) -> String {
    var extra = availability(of: candidate)
    let handler = candidate.handler
    let mayBeLeftOut = handler.isOptional || handler.parameter.defaultValue != nil
    if mayBeLeftOut, outcome.returns != nil { extra.append("@discardableResult") }
    if isInsideObjCMembers(candidate.scope),
      !candidate.function.modifiers.contains(where: { $0.name.text == "private" })
    {
      // Otherwise both functions would have the Objective-C name `…WithCompletionHandler:`.
      extra.append("@nonobjc")
    }
    var modifiers: [String] = []
    if case .requirement(let declaration) = candidate.scope.kind,
      let access = declaration.modifiers.first(where: { ["public", "package"].contains($0.name.text) })
    {
      modifiers.append(access.name.text)
    }
    if options.inheritsIsolation, belongsToNoActor(candidate) { modifiers.append("nonisolated(nonsending)") }
    return signature.prefix(separate: separate, extra: extra, modifiersBefore: modifiers)
      + signature.declaration(effect: outcome.effect, returns: outcome.returns)
  }

  func documentation(of candidate: Candidate, base: String, dropsResult: Bool) -> [Line] {
    var comment = DocComment(above: candidate.function, base: base)
    var names: Set<String> = [candidate.handler.name, candidate.handler.label ?? candidate.handler.name]
    if let failure = candidate.handler.failureParameter {
      names.formUnion([failure.label, failure.internalName])
    }
    let parameters = Array(candidate.function.signature.parameterClause.parameters)
    for index in queueIndices(of: candidate.function) {
      names.formUnion([parameters[index].label, parameters[index].internalName])
    }
    comment.remove(parameters: names, result: dropsResult)
    return comment.lines.map { Line(0, $0) }
  }

  func callee(of candidate: Candidate, internalNames: Set<String>) throws -> String {
    let name = candidate.function.name.text
    guard internalNames.contains(candidate.name.base) else { return name }
    if candidate.scope.type.isEmpty {
      throw Refusal(reason: "a parameter with the same name hides it")
    }
    return "self." + name
  }

  private func takesTrailingClosure(_ candidate: Candidate, indices: [Int]) -> Bool {
    let parameters = candidate.function.signature.parameterClause.parameters
    guard indices.count == 1, indices[0] == parameters.count - 1 else { return false }
    let key = labelsKey(of: candidate)
    return found.candidates.count { labelsKey(of: $0) == key } == 1
  }

  /// Returns the parts of a function's name that a call with a trailing closure contains.
  private func labelsKey(of candidate: Candidate) -> String {
    let indices = handlerIndices(of: candidate.handler)
    let labels = candidate.name.labels.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
    return candidate.scope.type + "." + FunctionName(base: candidate.name.base, labels: labels).description
  }

  private func annotatesClosures(_ function: FunctionDeclSyntax, _ outcome: Outcome) -> Bool {
    guard let generics = function.genericParameterClause?.parameters else { return false }
    let names = Set(generics.map(\.name.text))
    return outcome.closures.contains { closure in
      closure.parameters.contains { parameter in
        parameter.type.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains {
          names.contains(String($0))
        }
      }
    }
  }

  /// - Parameter keepsQueues: Whether the twin has the parameters for the queue of the handler.
  func overloadKey(of candidate: Candidate, named name: FunctionName, keepsQueues: Bool = false) -> String {
    let function = candidate.function
    let indices =
      handlerIndices(of: candidate.handler) + (keepsQueues ? [] : queueIndices(of: function))
    let types = function.signature.parameterClause.parameters.enumerated()
      .filter { !indices.contains($0.offset) }.map { $0.element.type.trimmedDescription }
    let isStatic = function.modifiers.contains { ["static", "class"].contains($0.name.text) }
    let clause = function.genericWhereClause?.trimmedDescription ?? ""
    let around = extensionHeader(candidate.scope)
    let condition = Condition.around(function) ?? ""
    return "\(around)|\(condition)|\(isStatic)|\(name)|\(types)|\(clause)"
  }
}
