/// An error, warning or note of the compiler.
package struct CompilerDiagnostic: Sendable, Hashable {
  package enum Severity: String, Sendable {
    case error, warning, note
  }

  package let path: String
  /// The line, counted from 1.
  package let line: Int
  package let column: Int
  package let severity: Severity
  package let message: String

  init(path: String, line: Int, column: Int, severity: Severity, message: String) {
    self.path = path
    self.line = line
    self.column = column
    self.severity = severity
    self.message = message
  }

  /// Returns the diagnostics in a compiler's output, each once. Lines of source in the output are ignored.
  package static func all(in output: String) -> [CompilerDiagnostic] {
    var seen: Set<CompilerDiagnostic> = []
    return output.split(whereSeparator: \.isNewline).compactMap { line in
      guard let diagnostic = CompilerDiagnostic(line), seen.insert(diagnostic).inserted else { return nil }
      return diagnostic
    }
  }

  /// Parses a line of the form `path:line:column: error: message`.
  private init?(_ line: Substring) {
    for severity in [Severity.error, .warning, .note] {
      guard let range = line.firstRange(of: ": \(severity.rawValue): ") else { continue }
      let place = line[..<range.lowerBound].split(separator: ":", omittingEmptySubsequences: false)
      guard place.count >= 3, let lineNumber = Int(place[place.count - 2]),
        let column = Int(place[place.count - 1])
      else { continue }
      path = place.dropLast(2).joined(separator: ":")
      self.line = lineNumber
      self.column = column
      self.severity = severity
      message = String(line[range.upperBound...])
      return
    }
    return nil
  }

  /// Whether the diagnostic is about values that cross isolation boundaries.
  var isAboutSending: Bool {
    ["sending", "Sendable", "data race", "data-race"].contains { message.contains($0) }
  }

  /// Whether the diagnostic only suggests the twin because of `@available(*, renamed:)`, in code where warnings are
  /// errors.
  var suggestsTwin: Bool { message.contains("consider using asynchronous alternative") }
}
