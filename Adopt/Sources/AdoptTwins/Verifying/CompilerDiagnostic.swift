/// A line in which the compiler complains of something.
package struct CompilerDiagnostic: Sendable, Hashable {
  package enum Severity: String, Sendable {
    case error, warning, note
  }

  package let path: String
  /// From 1.
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

  /// Those in a compiler's output, each once. The lines of source it shows are not looked at.
  package static func all(in output: String) -> [CompilerDiagnostic] {
    var seen: Set<CompilerDiagnostic> = []
    return output.split(whereSeparator: \.isNewline).compactMap { line in
      guard let diagnostic = CompilerDiagnostic(line), seen.insert(diagnostic).inserted else { return nil }
      return diagnostic
    }
  }

  /// `path:line:column: error: message`.
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

  /// Whether it is about values that cross from one isolation to another.
  var isAboutSending: Bool {
    ["sending", "Sendable", "data race", "data-race"].contains { message.contains($0) }
  }

  /// Whether it only says what `@available(*, renamed:)` is for, where warnings are errors.
  var offersTwin: Bool { message.contains("consider using asynchronous alternative") }
}
