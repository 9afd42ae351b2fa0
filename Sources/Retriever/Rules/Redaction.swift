#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// Removes secrets from data that is about to be recorded, shown or written.
  package enum Redaction {
    /// The text that replaces a secret.
    static let replacement = "REDACTED"

    /// A URL without its name and password; nil if they cannot be separated from the rest.
    static func withoutCredentials(_ url: URL) -> URL? {
      guard url.absoluteString.utf8.contains(UInt8(ascii: "@")) else { return url }
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
      components?.user = nil
      components?.password = nil
      return components?.url
    }

    /// A URL without its user, password and fragment, and without the values of secret query items.
    package static func text(of url: URL) -> String {
      guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
        return replacement
      }
      if components.user != nil { components.percentEncodedUser = replacement }
      components.percentEncodedPassword = nil
      // Fragments can contain tokens too, and a fragment is never sent over the network.
      components.percentEncodedFragment = nil
      if let query = components.percentEncodedQuery { components.percentEncodedQuery = pairs(query) }
      return components.string ?? replacement
    }

    /// The value of a header field with secrets removed.
    package static func value(_ value: String, ofHeader name: String) -> String {
      if SensitiveNames.containsHeader(name) { return replacement }
      guard ["location", "content-location", "referer"].contains(ASCII.lowercased(name)) else { return value }
      return URL(string: value).map { text(of: $0) } ?? replacement
    }

    /// The `name=value` pairs with the values of secret ones replaced. Names are decoded before they are compared.
    static func pairs(_ text: String) -> String {
      var result = ""
      var rest = text[...]
      while true {
        let end = rest.firstIndex { $0 == "&" || $0 == ";" } ?? rest.endIndex
        result += pair(rest[..<end])
        guard end < rest.endIndex else { return result }
        result.append(rest[end])
        rest = rest[rest.index(after: end)...]
      }
    }

    private static func pair(_ pair: Substring) -> String {
      guard let equals = pair.firstIndex(of: "="), SensitiveNames.containsField(decoded(pair[..<equals]))
      else {
        return String(pair)
      }
      return pair[...equals] + replacement
    }

    static func decoded(_ text: Substring) -> String {
      let spaced = String(text.map { $0 == "+" ? " " : $0 })
      return spaced.removingPercentEncoding ?? spaced
    }

    /// A body without the values of secret fields, if its type shows where these are.
    static func body(_ body: Data, mimeType: String?) -> Data {
      let type = ASCII.lowercased(mimeType ?? "")
      if type.hasPrefix("application/x-www-form-urlencoded") {
        return Data(pairs(String(decoding: body, as: UTF8.self)).utf8)
      }
      // Most services send tokens as JSON, and some do not declare the type.
      let start = body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
      let looksLikeJSON = start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
      if looksLikeJSON || type.contains("json") || type.hasPrefix("text/event-stream") {
        return JSONRedaction.redact(body)
      }
      // A multipart form is removed completely, because it is not certain which parts are secret.
      if type.hasPrefix("multipart/") { return Data("\(replacement): \(body.count) bytes of \(type)".utf8) }
      return body
    }
  }
#endif
