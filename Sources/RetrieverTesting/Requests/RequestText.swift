import Foundation
import Retriever

/// Parts of requests as text for messages. Secrets are removed, because messages are logged.
enum RequestText {
  static func url(_ url: URL) -> String {
    #if canImport(Darwin)
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.user = nil
    components?.password = nil
    components?.query = nil
    return components?.string ?? "a URL"
    #else
    return Redaction.text(of: url)
    #endif
  }

  static func value(_ value: String, ofHeader name: String) -> String {
    #if canImport(Darwin)
    return name.lowercased() == "authorization" || name.lowercased() == "cookie" ? "REDACTED" : value
    #else
    return Redaction.value(value, ofHeader: name)
    #endif
  }

  static func queryValue(_ value: String, of name: String) -> String {
    #if canImport(Darwin)
    return value
    #else
    return SensitiveNames.containsField(name) ? "REDACTED" : value
    #endif
  }

  /// The fields of a form in their order; nil if a text is not a form.
  static func formFields(_ text: String) -> [(name: String, value: String)]? {
    var fields: [(name: String, value: String)] = []
    for field in text.split(separator: "&") {
      let parts = field.replacing("+", with: " ")
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = parts.compactMap(\.removingPercentEncoding)
      guard texts.count == parts.count else { return nil }
      fields.append((texts[0], texts.count == 1 ? "" : texts[1]))
    }
    return fields
  }

  /// A short form of a body or a part of it.
  static func excerpt(_ text: String) -> String {
    text.count > 80 ? "\(text.prefix(80))…" : text
  }
}
