#if !canImport(Darwin)
import HTTPSyntax

/// Decides by name whether a header field, a query item or a form field contains a secret.
///
/// Used where a secret could end up in a file or on a screen. A false positive does little harm, but a false negative
/// does a lot. Parts of names therefore count, with and without hyphens, and only names known to be harmless are
/// exempt. ``RedirectFields`` decides what follows a redirect.
package enum SensitiveNames {
  /// Parts that make a name secret wherever they occur, even across the name's word boundaries.
  private static let parts: [[UInt8]] = [
    "token", "tkn", "secret", "pass", "pwd", "sess", "csrf", "xsrf", "key", "auth", "cred", "ticket",
    "code",
    "sig", "cookie", "bearer", "jwt", "saml", "assertion", "verifier", "hmac",
  ].map { Array($0.utf8) }

  /// Words too short to search for inside others: `shopping` is harmless.
  private static let words: Set<String> = ["pin", "otp", "totp", "hotp", "sid", "psk", "cvv", "cvc", "pw"]

  /// Words that contain one of the parts but are harmless by themselves.
  private static let harmlessWords: Set<String> = [
    "author", "authors", "authored", "authority", "authorities", "codec", "codecs", "compass", "decode",
    "decoded", "decoder", "design", "designs", "designed", "designer", "assign", "assigned", "assignee",
    "assignment", "donkey", "encode", "encoded", "encoder", "hockey", "keyboard", "keyboards", "keyframe",
    "keyframes", "keyword", "keywords", "monkey", "monkeys", "passage", "passages", "passed", "passenger",
    "passengers", "passive", "postcode", "sacred", "signal", "signals", "significant", "statuscode",
    "tokenizer", "turkey", "unicode", "zipcode",
  ]

  /// Words that make a `key` or `code` after them harmless, as in `zip code` or `idempotency key`.
  private static let harmlessQualifiers: Set<String> = [
    "area", "cache", "color", "colour", "country", "currency", "error", "exit", "idempotency", "lang",
    "language", "postal", "public", "response", "sort", "status", "surrogate", "zip",
  ]

  private static let qualifiedWords: Set<String> = ["code", "codes", "key", "keys"]

  /// Standard header fields whose names look like secrets but are not: a server's challenges, a public nonce, a
  /// permission.
  private static let harmlessHeaders: Set<String> = [
    "access-control-allow-credentials", "proxy-authenticate", "sec-websocket-key", "www-authenticate",
  ]

  /// Standard header fields that contain a secret, although their names do not show it.
  private static let secretHeaders: Set<String> = ["dpop", "sec-websocket-protocol"]

  /// The maximum length of a name that is analyzed. A longer name counts as secret.
  private static let maximumLength = 256

  /// Whether a header field contains a secret.
  package static func containsHeader(_ name: String) -> Bool {
    let lowercased = ASCII.lowercased(name)
    return secretHeaders.contains(lowercased)
      || (!harmlessHeaders.contains(lowercased) && containsField(name))
  }

  /// Whether a query item, a form field or a member of a JSON object contains a secret.
  package static func containsField(_ name: String) -> Bool {
    guard name.utf8.count <= maximumLength else { return true }
    let found = split(name)
    if found.contains(where: words.contains) { return true }
    // Joins the words, so that `pass-word` and `to_ken` are found. A harmless word ends a joined part.
    var joined: [UInt8] = []
    for (index, word) in found.enumerated() {
      if isHarmless(word, after: index > 0 ? found[index - 1] : nil) {
        joined.append(0)
      } else {
        joined += word.utf8
      }
    }
    return parts.contains { isPart($0, of: joined) }
  }

  private static func isHarmless(_ word: String, after previous: String?) -> Bool {
    if harmlessWords.contains(word) { return true }
    guard let previous, qualifiedWords.contains(word) else { return false }
    return harmlessQualifiers.contains(previous)
  }

  private static func isPart(_ part: [UInt8], of bytes: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { start in
      bytes[start..<start + part.count].elementsEqual(part)
    }
  }

  /// `X-Api-Key`, `apiKey`, `APIKey`, `api_key` and `user[apiKey]` all end in the words `api` and `key`.
  private static func split(_ name: String) -> [String] {
    let bytes = Array(name.utf8)
    var result: [String] = []
    var word: [UInt8] = []
    func isCapital(_ byte: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
    func isSmall(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
    func finish() {
      if !word.isEmpty { result.append(String(decoding: word, as: UTF8.self)) }
      word.removeAll(keepingCapacity: true)
    }
    for (index, byte) in bytes.enumerated() {
      guard isCapital(byte) || isSmall(byte) else {
        finish()
        continue
      }
      if isCapital(byte), index > 0 {
        let endsRun = index + 1 < bytes.count && isSmall(bytes[index + 1])
        if !isCapital(bytes[index - 1]) || endsRun { finish() }
      }
      word.append(ASCII.lowercased(byte))
    }
    finish()
    return result
  }
}
#endif
