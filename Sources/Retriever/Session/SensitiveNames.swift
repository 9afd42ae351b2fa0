#if !canImport(Darwin)
  import HTTPSyntax

  /// Tells by its name whether a header field, a query item or a form field holds a secret.
  ///
  /// Used where a secret might leave its origin or reach a file. A name that is taken for secret without being it
  /// does little harm, one that is missed does a lot: the lists are generous.
  package enum SensitiveNames {
    /// What no other origin may see although nothing in its name says so.
    private static let headers: Set<String> = ["cookie2", "set-cookie2"]

    /// Words that make a name secret wherever in it they stand.
    private static let words: Set<String> = [
      "token", "tokens", "jwt", "bearer", "secret", "secrets", "password", "passwords", "passwd",
      "passphrase",
      "passcode", "pwd", "pass", "credential", "credentials", "auth", "authorization", "authentication",
      "apikey",
      "session", "sessionid", "sid", "signature", "sig", "otp", "totp", "pin", "cookie", "csrf", "xsrf",
      "assertion",
      "accesstoken", "refreshtoken", "idtoken", "clientsecret", "phpsessid", "jsessionid", "hmac",
    ]

    /// Words that make a name secret when they are its last one: `code` does, `code-page` is harmless.
    private static let lastWords: Set<String> = ["key", "keys", "code", "verifier", "ticket"]

    /// Words that make a last word after them harmless: a `zip code`, an `idempotency key`.
    private static let harmlessQualifiers: Set<String> = [
      "public", "idempotency", "surrogate", "websocket", "sort", "cache", "status", "error", "exit",
      "response",
      "zip", "postal", "area", "country", "language", "lang", "currency", "color", "colour",
    ]

    /// Whether a header field is secret.
    package static func containsHeader(_ name: String) -> Bool {
      let folded = ASCII.lowercased(name)
      // A header that only asks for, or lists, something is not the something.
      if folded.hasPrefix("sec-fetch-") || folded.hasPrefix("access-control-") { return false }
      return headers.contains(folded) || isSecret(words(of: name), last: ["key", "keys"])
    }

    /// Whether a query item, a form field or a member of a JSON object is secret.
    static func containsField(_ name: String) -> Bool {
      isSecret(words(of: name), last: lastWords)
    }

    private static func isSecret(_ parts: [String], last: Set<String>) -> Bool {
      guard let final = parts.last else { return false }
      if parts.contains(where: words.contains) { return true }
      guard last.contains(final) else { return false }
      return parts.count == 1 || !harmlessQualifiers.contains(parts[parts.count - 2])
    }

    /// `X-Api-Key`, `apiKey`, `api_key` and `user[apiKey]` all end in the words `api` and `key`.
    private static func words(of name: String) -> [String] {
      var result: [String] = []
      var word: [UInt8] = []
      var lastWasCapital = true
      func finish() {
        if !word.isEmpty { result.append(String(decoding: word, as: UTF8.self)) }
        word.removeAll(keepingCapacity: true)
      }
      for byte in name.utf8.prefix(256) {
        let isCapital = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        let isLetter = isCapital || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        if !isLetter || (isCapital && !lastWasCapital) { finish() }
        if isLetter { word.append(ASCII.lowercased(byte)) }
        lastWasCapital = isCapital
      }
      finish()
      return result
    }
  }
#endif
