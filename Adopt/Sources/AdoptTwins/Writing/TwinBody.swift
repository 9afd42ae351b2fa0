import AdoptAnalysis
import SwiftSyntax

/// Writes the body of a twin.
struct TwinBody {
  let signature: TwinSignature
  let outcome: Outcome
  let handlerIndices: [Int]
  let continuation: String
  /// Whether the closure can be a trailing closure.
  let takesTrailingClosure: Bool
  let cancellation: Cancellation?
  let callsThrowing: Bool
  let annotatesClosures: Bool
  let callee: String
  let style: FileStyle
  /// `any Error`, or `any Swift.Error` where a type is called `Error`.
  var errorType = "any Error"

  /// How to cancel the object that the function returns.
  struct Cancellation {
    let isOptional: Bool
    /// Whether the work only starts when `resume()` is called.
    let needsResume: Bool
  }

  /// Returns a name that does not conflict with the function's arguments.
  private func unique(_ name: String) -> String {
    Outcome.unique(name, not: Set(signature.internalNames.values).union([callee]))
  }

  func lines(unsendable: Bool) -> [Line] {
    let throwing = if case .throwing = outcome.effect { true } else { false }
    let waiting = throwing ? "try await" : "await"
    var lines = continuationLines(waiting: waiting, throwing: throwing, unsendable: unsendable)
    let started = unique("started")
    if cancellation != nil {
      lines =
        [Line(0, "\(waiting) withTaskCancellationHandler {")] + lines.indented()
        + [Line(0, "} onCancel: {"), Line(1, "\(started).cancel()"), Line(0, "}")]
    }
    var prefix = ""
    var after: [Line] = []
    if case .typed = outcome.effect, let type = outcome.resumedType {
      let result = unique("result")
      prefix = "let \(result): \(type) = "
      after = [Line(0, (outcome.returns == nil ? "" : "return ") + "try \(result).get()")]
    } else if cancellation != nil, outcome.returns != nil {
      prefix = "return "
    }
    if !lines.isEmpty { lines[0].text = prefix + lines[0].text }
    if cancellation != nil {
      lines.insert(Line(0, "let \(started) = \(TwinSupport.startedWork.typeName)()"), at: 0)
    }
    return lines + after
  }

  private func continuationLines(waiting: String, throwing: Bool, unsendable: Bool) -> [Line] {
    let function = throwing ? "withCheckedThrowingContinuation" : "withCheckedContinuation"
    var parameter = continuation
    let resumesNothing = outcome.resumedType == nil && (outcome.returns == nil || outcome.returns == "Void")
    if resumesNothing {
      parameter = "(\(continuation): CheckedContinuation<Void, \(throwing ? errorType : "Never")>)"
    }
    var call = callLines(unsendable: unsendable)
    if callsThrowing {
      call =
        [Line(0, "do", opens: true)] + call.indented()
        + closing("catch", opens: true) + [Line(1, "\(continuation).resume(throwing: error)"), Line(0, "}")]
    }
    return [Line(0, "\(waiting) \(function) { \(parameter) in")] + call.indented() + [Line(0, "}")]
  }

  private func callLines(unsendable: Bool) -> [Line] {
    let parameters = Array(signature.function.signature.parameterClause.parameters)
    let task = unique("task")
    var head = callsThrowing ? "try \(callee)" : callee
    if cancellation != nil { head = "let \(task) = \(head)" }
    var lines: [Line] = []
    if takesTrailingClosure, let closure = outcome.closures.first {
      let arguments = parameters.indices
        .filter { !handlerIndices.contains($0) && !signature.dropped.contains($0) }
        .map { signature.argument($0, of: parameters[$0]) }
      if !arguments.isEmpty { head += "(\(arguments.joined(separator: ", ")))" }
      lines =
        [Line(0, "\(head) \(opening(closure))")] + steps(closure, unsendable: unsendable) + [Line(0, "}")]
    } else {
      var current = head + "("
      var isFirst = true
      for (index, parameter) in parameters.enumerated() where !signature.dropped.contains(index) {
        if !isFirst { current += ", " }
        isFirst = false
        guard let position = handlerIndices.firstIndex(of: index), position < outcome.closures.count else {
          current += signature.argument(index, of: parameter)
          continue
        }
        let closure = outcome.closures[position]
        let label = parameter.label == "_" ? "" : "\(parameter.label): "
        lines.append(Line(0, current + label + opening(closure)))
        lines += steps(closure, unsendable: unsendable)
        current = "}"
      }
      lines.append(Line(0, current + ")"))
    }
    if let cancellation {
      let mark = cancellation.isOptional ? "?" : ""
      lines.append(Line(0, "\(unique("started")).hold { \(task)\(mark).cancel() }"))
      if cancellation.needsResume { lines.append(Line(0, "\(task)\(mark).resume()")) }
    }
    return lines
  }

  private func opening(_ closure: Outcome.Closure) -> String {
    guard !closure.parameters.isEmpty else { return "{" }
    if annotatesClosures, !closure.parameters.contains(where: { $0.name == "_" }) {
      return "{ (\(closure.parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", "))) in"
    }
    return "{ \(closure.parameters.map(\.name).joined(separator: ", ")) in"
  }

  private func steps(_ closure: Outcome.Closure, unsendable: Bool) -> [Line] {
    var lines: [Line] = []
    for step in closure.lines {
      var text = step.text
      if let value = step.value {
        var passed = value
        if unsendable {
          passed = value.hasPrefix("(") ? "values" : value
          lines.append(
            Line(step.depth, "// Not Sendable: the function must not use it after its handler was called."))
          // The compiler reported that the value is not Sendable. The generated comment explains why this is safe.
          lines.append(Line(step.depth, "nonisolated(unsafe) let \(passed) = \(value)"))
        }
        text = text.replacing("%", with: passed)
      }
      if text.hasPrefix("} else") {
        lines += closing(String(text.dropFirst(2).dropLast(2)), opens: true).indented(by: step.depth)
      } else if text.hasSuffix(" {") {
        lines.append(Line(step.depth, String(text.dropLast(2)), opens: true))
      } else {
        lines.append(Line(step.depth, text))
      }
    }
    return lines.indented()
  }

  /// Returns a closing brace and the keyword that follows it, on the same or the next line.
  private func closing(_ keyword: String, opens: Bool) -> [Line] {
    style.elseOnNextLine
      ? [Line(0, "}"), Line(0, keyword, opens: opens)] : [Line(0, "} \(keyword)", opens: opens)]
  }
}
