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

  /// A URL without its user, password and fragment, and without the values of secret items in its path and query.
  package static func text(of url: URL) -> String {
    // If Foundation cannot find the parts of a URL, they are unknown here, too.
    guard URLComponents(url: url, resolvingAgainstBaseURL: true) != nil else { return replacement }
    // Fragments can contain tokens too, and a fragment is never sent over the network.
    let sent = url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }
    return URLTextRedaction.redact(Substring(sent))
  }

  /// The `name=value` pairs with the values of secret ones replaced.
  static func pairs(_ text: String) -> String {
    String(decoding: URLTextRedaction.redactPairs(Array(text.utf8)), as: UTF8.self)
  }

  /// A name or a value of a form in readable form.
  static func decoded(_ text: Substring) -> String {
    let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return String(decoding: URLTextRedaction.decode(spaced[...]), as: UTF8.self)
  }
}

// MARK: Header fields

extension Redaction {
  /// Fields whose value is one URL.
  private static let urlFields: Set<String> = [
    "content-location", "destination", "location", "origin", "referer", "sourcemap", "x-original-url",
    "x-rewrite-url",
  ]

  /// Schemes of credentials. They are secret in any field.
  private static let credentialSchemes: Set<String> = [
    "basic", "bearer", "digest", "dpop", "hawk", "negotiate", "ntlm", "token",
  ]

  /// The value of a header field with secrets removed.
  package static func value(_ value: String, ofHeader name: String) -> String {
    if SensitiveNames.containsHeader(name) { return replacement }
    let name = ASCII.lowercased(name)
    if urlFields.contains(name) { return URL(string: value).map { text(of: $0) } ?? replacement }
    if name == "www-authenticate" || name == "proxy-authenticate" { return challenges(value) }
    let words = ASCII.trimmed(value).utf8.split(maxSplits: 1, whereSeparator: ASCII.isBlank)
    if words.count == 2, credentialSchemes.contains(ASCII.lowercased(Substring(words[0]))) {
      return replacement
    }
    return textWithURLs(value, isListOfURLs: name == "link" || name == "refresh")
  }

  /// Redacts the URLs in a field such as `Link: </a?page=2>; rel="next"`.
  private static func textWithURLs(_ value: String, isListOfURLs: Bool) -> String {
    if looksLikeJSON(Array(value.utf8)[...]) {
      return String(decoding: body(Data(value.utf8), mimeType: "application/json"), as: UTF8.self)
    }
    let mayHoldURL = value.utf8.contains(UInt8(ascii: "?")) || value.utf8.contains("//".utf8)
    guard isListOfURLs || mayHoldURL else { return value }
    var result = ""
    var rest = Substring(value).utf8
    while !rest.isEmpty {
      // A secret value would continue to the end of the field, so each URL in angle brackets is redacted by itself.
      let part = rest.prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
      result += URLTextRedaction.redact(Substring(part))
      rest = rest[part.endIndex...]
      if let bracket = rest.popFirst() { result.unicodeScalars.append(Unicode.Scalar(bracket)) }
    }
    return result
  }

  /// Redacts the challenges of a server. Schemes and harmless parameters stay, but `Negotiate` and `NTLM` send
  /// tokens.
  private static func challenges(_ value: String) -> String {
    var isQuoted = false
    var isEscaped = false
    let parts = value.utf8.split(omittingEmptySubsequences: false) { byte in
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = isQuoted
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
    return parts.map { challenge(ASCII.trimmed(Substring($0))) }.joined(separator: ", ")
  }

  /// The maximum length of a word that counts as the name of a scheme instead of a token.
  private static let maximumSchemeLength = 32

  /// Redacts a scheme, a parameter, or a scheme with a parameter or a token.
  private static func challenge(_ text: Substring) -> String {
    let word = text.utf8.prefix(while: ASCII.isTokenCharacter)
    let rest = ASCII.trimmed(text[word.endIndex...])
    guard !rest.utf8.starts(with: "=".utf8) else { return parameter(text) }
    let isScheme =
      word.count <= maximumSchemeLength
      && (word.endIndex == text.endIndex || ASCII.isBlank(text.utf8[word.endIndex]))
    guard isScheme else { return replacement }
    return rest.isEmpty ? String(text) : "\(Substring(word)) \(parameter(rest))"
  }

  private static func parameter(_ text: Substring) -> String {
    let name = text.utf8.prefix(while: ASCII.isTokenCharacter)
    let rest = ASCII.trimmed(text[name.endIndex...])
    let value = ASCII.trimmed(Substring(rest.utf8.dropFirst()))
    // A token may end with equals signs.
    guard !name.isEmpty, rest.utf8.first == UInt8(ascii: "="), !value.utf8.allSatisfy({ $0 == 0x3D }),
      !SensitiveNames.containsField(String(Substring(name)))
    else { return replacement }
    return "\(Substring(name))=\(textWithURLs(String(value), isListOfURLs: false))"
  }
}
#endif
