#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// Takes what is secret out of what is about to be kept, shown or written.
  package enum Redaction {
    /// What stands where a secret was.
    static let mark = "REDACTED"

    /// A URL without the name and password in it; nil where they cannot be told from the rest.
    static func withoutCredentials(_ url: URL) -> URL? {
      guard url.absoluteString.utf8.contains(UInt8(ascii: "@")) else { return url }
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
      components?.user = nil
      components?.password = nil
      return components?.url
    }

    /// A URL without its user, password and fragment, and without the values of secret query items.
    package static func text(of url: URL) -> String {
      guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return mark }
      if components.user != nil { components.percentEncodedUser = mark }
      components.percentEncodedPassword = nil
      // Tokens are handed over in fragments too, and no fragment ever goes over the network.
      components.percentEncodedFragment = nil
      if let query = components.percentEncodedQuery { components.percentEncodedQuery = pairs(query) }
      return components.string ?? mark
    }

    /// The value of a header field, as it may be shown.
    package static func value(_ value: String, ofHeader name: String) -> String {
      if SensitiveNames.containsHeader(name) { return mark }
      guard ["location", "content-location", "referer"].contains(ASCII.lowercased(name)) else { return value }
      return URL(string: value).map { text(of: $0) } ?? mark
    }

    /// `name=value` pairs with the values of the secret ones replaced; names are compared decoded.
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
      return pair[...equals] + mark
    }

    static func decoded(_ text: Substring) -> String {
      let spaced = String(text.map { $0 == "+" ? " " : $0 })
      return spaced.removingPercentEncoding ?? spaced
    }

    /// A body without the values of secret fields, as far as its type tells where these are.
    static func body(_ body: Data, mimeType: String?) -> Data {
      let type = ASCII.lowercased(mimeType ?? "")
      if type.hasPrefix("application/x-www-form-urlencoded") {
        return Data(pairs(String(decoding: body, as: UTF8.self)).utf8)
      }
      // Most services hand out their tokens in JSON; some forget to say that it is.
      let start = body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
      let looksLikeJSON = start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
      if looksLikeJSON || type.contains("json") || type.hasPrefix("text/event-stream") {
        return JSONRedaction.redact(body)
      }
      // Which part of a form with several parts is secret is not worth the risk of being wrong about it.
      if type.hasPrefix("multipart/") { return Data("\(mark): \(body.count) bytes of \(type)".utf8) }
      return body
    }
  }
#endif
