import HTTPService
import HTTPSyntax

/// A body's type, and what it says beside it.
struct ContentType: Sendable {
  /// In lower case, as in `multipart/form-data`; empty when nothing is said.
  let type: String
  private let parameters: [(name: String, value: String)]

  init(_ request: HTTPRequest) { self.init(request.fields["Content-Type"] ?? "") }

  init(_ text: String) {
    var pieces = Self.pieces(of: text)
    type = pieces.isEmpty ? "" : ASCII.lowercased(ASCII.trimmed(pieces.removeFirst()))
    parameters = pieces.prefix(16).compactMap { piece in
      guard let equals = piece.firstIndex(of: "=") else { return nil }
      let value = ASCII.trimmed(piece[piece.index(after: equals)...])
      return (ASCII.lowercased(ASCII.trimmed(piece[..<equals])), Self.unquoted(String(value)))
    }
  }

  /// Nil when it is not said.
  func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Split at the semicolons that stand outside of quotes.
  private static func pieces(of text: String) -> [String] {
    var pieces = [""]
    var isQuoted = false
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if !isQuoted, scalar == ";" {
        pieces.append("")
        continue
      }
      if !isEscaped, scalar == "\"" { isQuoted.toggle() }
      isEscaped = isQuoted && !isEscaped && scalar == "\\"
      pieces[pieces.count - 1].unicodeScalars.append(scalar)
    }
    return pieces
  }

  private static func unquoted(_ text: String) -> String {
    guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    var value = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars.dropFirst().dropLast() {
      // Browsers write %22 for a quote, and a backslash for itself only.
      if !isEscaped, scalar == "\\" {
        isEscaped = true
        continue
      }
      isEscaped = false
      value.append(scalar)
    }
    return String(value)
  }
}
