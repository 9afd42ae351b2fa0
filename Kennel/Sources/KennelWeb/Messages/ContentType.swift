import Foundation
import HTTPService
import HTTPSyntax

/// The media type of a body, with its parameters.
struct ContentType: Sendable {
  /// The type in lower case, such as `multipart/form-data`. It is empty if there is none.
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

  /// Returns the value of a parameter, or nil if it is missing.
  func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Splits a text at the semicolons outside of quotes.
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
      // Browsers write a quote as %22 and do not escape a backslash.
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

/// Reads complete small bodies into memory.
enum SmallBody {
  static let limit = 64 << 10

  static func text(of request: HTTPRequest) async throws -> String {
    let bytes = try await request.body.collectedBody(upTo: limit)
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw Problem.badRequest("The text is not valid UTF-8. Send UTF-8.")
    }
    return text
  }

  /// - Parameter form: an example of the expected JSON, for the error message.
  static func json<Value: Decodable>(
    _ type: Value.Type, of request: HTTPRequest, form: String
  ) async throws -> Value {
    let bytes = try await request.body.collectedBody(upTo: limit)
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch {
      throw Problem.badRequest("The body is not the expected JSON. Send \(form).")
    }
  }
}
