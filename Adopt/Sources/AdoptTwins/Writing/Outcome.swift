import AdoptAnalysis
import SwiftSyntax

/// What a twin returns and throws, and the closures that convert the handler's arguments to that.
struct Outcome {
  enum Effect {
    case none
    case throwing
    /// The handler's `Result` has this failure type.
    case typed(String)
  }

  /// The type that the twin returns, or nil for none.
  var returns: String?
  var effect: Effect
  /// The closures to pass: one, or two for `success:failure:`.
  var closures: [Closure]
  var support: Set<TwinSupport> = []
  /// The type that the continuation returns, if it differs from the type that the twin returns.
  var resumedType: String?

  /// A closure that the twin passes for one of the function's handlers.
  struct Closure {
    var parameters: [(name: String, type: String)]
    var lines: [Step]

    /// A line of code, and the value in it that the twin returns.
    struct Step {
      var depth: Int
      var text: String
      /// The value that replaces `%` in `text`.
      var value: String?
    }
  }

  /// The reason why a twin cannot be written.
  struct Unsupported: Error {
    let reason: String
  }

  init(
    of handler: Handler, types: TypeNames, continuation: String, throwsBefore: Bool
  ) throws(Unsupported) {
    guard let shape = handler.shape else {
      throw Unsupported(reason: "its handler's type is declared in another file")
    }
    let resume = "\(continuation).resume"
    switch shape {
    case .result(let success, let failure):
      let success = types.name(of: success)
      let failureName = failure.map { types.name(of: $0) }
      returns = Self.isVoid(success) ? nil : success
      let type = types.name(of: handler.type?.parameters.first?.type)
      let parameter = Self.unique("result", not: [continuation])
      let isNever = failureName == "Never" || failureName == "Swift.Never"
      effect = isNever ? .none : .throwing
      var step = Closure.Step(depth: 0, text: "\(resume)(with: %)", value: parameter)
      if let failureName, !isNever, !Self.isAnyError(failureName), !throwsBefore {
        effect = .typed(failureName)
        resumedType = type
        step.text = "\(resume)(returning: %)"
      }
      closures = [Closure(parameters: [(parameter, type)], lines: [step])]

    case .valuesAndError(let values, let error):
      let values = try Self.values(values, types: types, not: [continuation, "error"])
      effect = .throwing
      returns = Self.returned(values, unwrapped: true)
      let unwrapped = values.filter { $0.wrapped != nil }.map { "let \($0.name)" }
      let value = Self.tuple(values)
      var lines = [
        Closure.Step(depth: 0, text: "if let error {"),
        Closure.Step(depth: 1, text: "\(resume)(throwing: error)"),
      ]
      if unwrapped.isEmpty {
        lines.append(Closure.Step(depth: 0, text: "} else {"))
        lines.append(Closure.Step(depth: 1, text: "\(resume)(returning: %)", value: value))
      } else {
        lines.append(Closure.Step(depth: 0, text: "} else if \(unwrapped.joined(separator: ", ")) {"))
        lines.append(Closure.Step(depth: 1, text: "\(resume)(returning: %)", value: value))
        lines.append(Closure.Step(depth: 0, text: "} else {"))
        lines.append(Closure.Step(depth: 1, text: "\(resume)(throwing: \(Self.missing))"))
        support = [.missingOutcome]
      }
      lines.append(Closure.Step(depth: 0, text: "}"))
      let parameters = values.map { ($0.name, $0.type) } + [("error", types.name(of: error.type))]
      closures = [Closure(parameters: parameters, lines: lines)]

    case .values(let values):
      let values = try Self.values(values, types: types, not: [continuation])
      effect = .none
      returns = Self.returned(values, unwrapped: false)
      closures = [
        Closure(
          parameters: values.map { ($0.name, $0.type) },
          lines: [.init(depth: 0, text: "\(resume)(returning: %)", value: Self.tuple(values))])
      ]

    case .nothing:
      effect = .none
      // `(Void) -> Void` takes one value without meaning.
      let parameters = handler.type?.parameters.map { ("_", types.name(of: $0.type)) } ?? []
      closures = [Closure(parameters: parameters, lines: [.init(depth: 0, text: "\(resume)()")])]

    case .error(let error):
      effect = .throwing
      closures = [
        Closure(
          parameters: [("error", types.name(of: error.type))],
          lines: [
            .init(depth: 0, text: "if let error {"),
            .init(depth: 1, text: "\(resume)(throwing: error)"),
            .init(depth: 0, text: "} else {"),
            .init(depth: 1, text: "\(resume)()"),
            .init(depth: 0, text: "}"),
          ])
      ]

    case .successFailure(let success, let failure):
      let values = try Self.values(success, types: types, not: [continuation])
      effect = .throwing
      returns = values.isEmpty ? nil : Self.returned(values, unwrapped: false)
      let given = values.isEmpty ? "\(resume)()" : "\(resume)(returning: %)"
      let succeeding = Closure(
        parameters: values.map { ($0.name, $0.type) },
        lines: [.init(depth: 0, text: given, value: values.isEmpty ? nil : Self.tuple(values))])
      closures = [succeeding]
      closures.append(try failing(failure, types: types, resume: resume))
    }
    if throwsBefore, case .none = effect { effect = .throwing }
  }

  private mutating func failing(
    _ parameters: [TupleTypeElementSyntax], types: TypeNames, resume: String
  ) throws(Unsupported) -> Closure {
    let missing = Self.missing
    guard let only = parameters.first else {
      support = [.missingOutcome]
      return Closure(parameters: [], lines: [.init(depth: 0, text: "\(resume)(throwing: \(missing))")])
    }
    guard parameters.count == 1, only.type.isErrorType || only.type.isOptionalError else {
      throw Unsupported(reason: "its failure handler does not take an error")
    }
    let type = types.name(of: only.type)
    if only.type.isOptionalError {
      support = [.missingOutcome]
      return Closure(
        parameters: [("error", type)],
        lines: [.init(depth: 0, text: "\(resume)(throwing: error ?? \(missing))")])
    }
    return Closure(
      parameters: [("error", type)], lines: [.init(depth: 0, text: "\(resume)(throwing: error)")])
  }

  // MARK: Values

  private struct Value {
    let name: String
    let label: String?
    let type: String
    /// The type without the optional, or nil if it is not optional.
    let wrapped: String?
  }

  private static func values(
    _ elements: [TupleTypeElementSyntax], types: TypeNames, not taken: Set<String>
  ) throws(Unsupported) -> [Value] {
    var taken = taken
    var values: [Value] = []
    for (index, element) in elements.enumerated() {
      guard element.ellipsis == nil, element.inoutKeyword == nil else {
        throw Unsupported(reason: "its handler takes a parameter that a continuation cannot return")
      }
      if element.type.isClosure { throw Unsupported(reason: "its handler takes another closure") }
      if element.type.is(AttributedTypeSyntax.self) {
        throw Unsupported(reason: "its handler takes a parameter that a continuation cannot return")
      }
      let written = (element.secondName ?? element.firstName)?.text.withoutBackticks
      let label = written == "_" ? nil : written
      let plain = elements.count == 1 ? "value" : "value\(index + 1)"
      let usable = label.flatMap { Keywords.reserved.contains($0) ? nil : $0 }
      let name = unique(usable ?? plain, not: taken)
      taken.insert(name)
      values.append(
        Value(
          name: name, label: label, type: types.name(of: element.type),
          wrapped: element.type.wrappedOptional.map { types.name(of: $0) }))
    }
    return values
  }

  private static func returned(_ values: [Value], unwrapped: Bool) -> String? {
    let parts = values.map { value in
      let type = unwrapped ? value.wrapped ?? value.type : value.type
      return values.count > 1 ? (value.label.map { "\($0): \(type)" } ?? type) : type
    }
    if parts.count == 1, isVoid(parts[0]) { return "Void" }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
  }

  private static func tuple(_ values: [Value]) -> String {
    values.count == 1 ? values[0].name : "(\(values.map(\.name).joined(separator: ", ")))"
  }

  private static let missing = "\(TwinSupport.missingOutcome.typeName)()"

  static func unique(_ name: String, not taken: Set<String>) -> String {
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name)\($0)" }.first { !taken.contains($0) } ?? name
  }

  static func isVoid(_ type: String) -> Bool { ["Void", "()", "Swift.Void"].contains(type) }

  private static func isAnyError(_ type: String) -> Bool {
    ["Error", "any Error", "Swift.Error", "any Swift.Error", "(any Error)"].contains(type)
  }
}

extension TypeSyntax {
  /// Whether this is a function type, with or without attributes.
  var isClosure: Bool {
    if self.is(FunctionTypeSyntax.self) { return true }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.isClosure }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return only.type.isClosure
    }
    return false
  }
}
