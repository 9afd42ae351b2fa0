import AdoptAnalysis
import SwiftSyntax

/// How to end a subscription that a function has begun.
enum Unsubscribing {
  /// The function returns an object with a method for that, such as `cancel()`.
  case method(String, isOptional: Bool)
  /// The function returns a token, and another function takes it, such as `removeListener(_:)`.
  case function(name: String, label: String)
  /// Another function without parameters, such as `stopUpdates()`.
  case stopping(name: String)
}

/// Writes the body of a twin that returns an `AsyncStream` of the values that a subscription gets.
struct StreamBody {
  let signature: TwinSignature
  let handler: Handler
  let types: TypeNames
  let unsubscribing: Unsubscribing
  let callee: String
  let isMember: Bool
  /// `any Error`, or `any Swift.Error` where a type is called `Error`.
  let errorType: String

  private struct Value {
    let name: String
    let type: String
    let isOptional: Bool
  }

  /// The element type, and whether the stream ends with an error.
  private struct Elements {
    var type: String
    var parameters: [String]
    var lines: [Line]
    var canThrow: Bool
  }

  private func elements() throws -> Elements {
    switch handler.shape {
    case .nothing:
      return Elements(type: "Void", parameters: [], lines: [Line(0, "continuation.yield()")], canThrow: false)
    case .values(let values):
      let values = try values.enumerated().map { try value($0.element, $0.offset, of: values.count) }
      return Elements(
        type: Self.tuple(values.map(\.type)), parameters: values.map(\.name),
        lines: [Line(0, "continuation.yield(\(Self.tuple(values.map(\.name))))")], canThrow: false)
    case .result(let success, _):
      return Elements(
        type: types.name(of: success), parameters: ["result"],
        lines: [
          Line(0, "switch result", opens: true),
          Line(0, "case .success(let value): continuation.yield(value)"),
          Line(0, "case .failure(let error): continuation.finish(throwing: error)"), Line(0, "}"),
        ], canThrow: true)
    case .error:
      return Elements(
        type: "Void", parameters: ["error"],
        lines: [
          Line(0, "if let error {"), Line(1, "continuation.finish(throwing: error)"), Line(0, "} else {"),
          Line(1, "continuation.yield()"), Line(0, "}"),
        ], canThrow: true)
    case .valuesAndError(let values, _):
      let values = try values.enumerated().map { try value($0.element, $0.offset, of: values.count) }
      let bindings = values.filter(\.isOptional).map { "let \($0.name)" }.joined(separator: ", ")
      let end = bindings.isEmpty ? "} else {" : "} else if \(bindings) {"
      return Elements(
        type: Self.tuple(values.map { $0.isOptional ? String($0.type.dropLast()) : $0.type }),
        parameters: values.map(\.name) + ["error"],
        lines: [
          Line(0, "if let error {"), Line(1, "continuation.finish(throwing: error)"), Line(0, end),
          Line(1, "continuation.yield(\(Self.tuple(values.map(\.name))))"), Line(0, "}"),
        ], canThrow: true)
    case .successFailure, nil:
      throw Outcome.Unsupported(reason: "it is a subscription whose values are not known")
    }
  }

  private func value(_ element: TupleTypeElementSyntax, _ index: Int, of count: Int) throws -> Value {
    guard element.ellipsis == nil, element.inoutKeyword == nil, !element.type.isClosure,
      !element.type.is(AttributedTypeSyntax.self)
    else { throw Outcome.Unsupported(reason: "its handler takes a parameter that a stream cannot contain") }
    let written = types.name(of: element.type)
    return Value(
      name: count == 1 ? "value" : "value\(index + 1)", type: written,
      isOptional: element.type.wrappedOptional != nil && written.hasSuffix("?"))
  }

  private static func tuple(_ parts: [String]) -> String {
    parts.count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
  }

  func returnType() throws -> String {
    let elements = try elements()
    return elements.canThrow
      ? "AsyncThrowingStream<\(elements.type), \(errorType)>" : "AsyncStream<\(elements.type)>"
  }

  func lines(unsendable: Bool) throws -> [Line] {
    let elements = try elements()
    let subscription = Outcome.unique("subscription", not: Set(signature.internalNames.values))
    var keepsResult = true
    if case .stopping = unsubscribing { keepsResult = false }
    // Written code marks the subscription as unsafe only if the compiler asks for that; only the end of the stream uses it.
    let declaration = keepsResult ? "\(unsendable ? "nonisolated(unsafe) " : "")let \(subscription) = " : ""
    var lines = unsendable && keepsResult ? [Line(1, "// Only the end of the stream uses it.")] : []
    lines += call(elements, prefix: declaration)
    let end =
      switch unsubscribing {
      case .method(let name, let isOptional): "\(subscription)\(isOptional ? "?" : "").\(name)()"
      case .function(let name, let label):
        "\(isMember ? "self." : "")\(name)(\(label == "_" ? "" : label + ": ")\(subscription))"
      case .stopping(let name): "\(isMember ? "self." : "")\(name)()"
      }
    lines += [
      Line(1, "continuation.onTermination = { _ in"), Line(2, end), Line(1, "}"),
    ]
    let kind = elements.canThrow ? "AsyncThrowingStream" : "AsyncStream"
    return [Line(0, "\(kind) { continuation in")] + lines + [Line(0, "}")]
  }

  private func call(_ elements: Elements, prefix: String) -> [Line] {
    let parameters = Array(signature.function.signature.parameterClause.parameters)
    let opening = elements.parameters.isEmpty ? "{" : "{ \(elements.parameters.joined(separator: ", ")) in"
    let before = parameters.indices.filter { $0 < handler.index && !signature.dropped.contains($0) }
      .map { signature.argument($0, of: parameters[$0]) }
    let after = parameters.indices.filter { $0 > handler.index && !signature.dropped.contains($0) }
      .map { signature.argument($0, of: parameters[$0]) }
    if after.isEmpty {
      let arguments = before.isEmpty ? "" : "(\(before.joined(separator: ", ")))"
      return [Line(1, "\(prefix)\(callee)\(arguments) \(opening)")] + elements.lines.indented(by: 2) + [
        Line(1, "}")
      ]
    }
    let label = handler.label.map { "\($0): " } ?? ""
    let start = (before + [label + opening]).joined(separator: ", ")
    return [Line(1, "\(prefix)\(callee)(\(start)")] + elements.lines.indented(by: 2)
      + [Line(1, "}, \(after.joined(separator: ", ")))")]
  }
}

extension FunctionDeclSyntax {
  /// Whether it returns an `AsyncStream` or `AsyncThrowingStream`.
  var returnsStream: Bool {
    guard let type = signature.returnClause?.type.trimmedDescription else { return false }
    return ["AsyncStream<", "AsyncThrowingStream<", "some AsyncSequence"].contains(where: type.hasPrefix)
  }
}
