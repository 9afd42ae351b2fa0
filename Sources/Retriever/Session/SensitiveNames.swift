#if !canImport(Darwin)
  import HTTPSyntax

  /// Decides by its name whether a header field, a query item or a form field holds a secret.
  ///
  /// Used where a secret might reach a file or a screen. A name that is taken for a secret's without being one does
  /// little harm, one that is missed does a lot: parts of names count, with and without hyphens, and only names that
  /// are known to be harmless are left out. What may follow a redirect is decided by ``RedirectFields``.
  package enum SensitiveNames {
    /// Parts that make a name secret wherever they stand, also across the words that the name consists of.
    private static let parts: [[UInt8]] = [
      "token", "tkn", "secret", "pass", "pwd", "sess", "csrf", "xsrf", "key", "auth", "cred", "ticket",
      "code",
      "sig", "cookie", "bearer", "jwt", "saml", "assertion", "verifier", "hmac",
    ].map { Array($0.utf8) }

    /// Words too short to be looked for inside of others: `shopping` is harmless.
    private static let words: Set<String> = ["pin", "otp", "totp", "hotp", "sid", "psk", "cvv", "cvc", "pw"]

    /// Words that have one of the parts in them and are harmless by themselves.
    private static let harmlessWords: Set<String> = [
      "author", "authors", "authored", "authority", "authorities", "codec", "codecs", "compass", "decode",
      "decoded", "decoder", "design", "designs", "designed", "designer", "assign", "assigned", "assignee",
      "assignment", "donkey", "encode", "encoded", "encoder", "hockey", "keyboard", "keyboards", "keyframe",
      "keyframes", "keyword", "keywords", "monkey", "monkeys", "passage", "passages", "passed", "passenger",
      "passengers", "passive", "postcode", "sacred", "signal", "signals", "significant", "statuscode",
      "tokenizer", "turkey", "unicode", "zipcode",
    ]

    /// Words that make a `key` or `code` after them harmless: a `zip code`, an `idempotency key`.
    private static let harmlessQualifiers: Set<String> = [
      "area", "cache", "color", "colour", "country", "currency", "error", "exit", "idempotency", "lang",
      "language", "postal", "public", "response", "sort", "status", "surrogate", "zip",
    ]

    private static let qualifiedWords: Set<String> = ["code", "codes", "key", "keys"]

    /// Standard header fields that look like secrets' and are none: the challenges of a server, a nonce that anybody may
    /// see, a permission.
    private static let harmlessHeaders: Set<String> = [
      "access-control-allow-credentials", "proxy-authenticate", "sec-websocket-key", "www-authenticate",
    ]

    /// A longer name is taken for a secret's without being looked through.
    private static let maximumLength = 256

    /// Whether a header field is secret.
    package static func containsHeader(_ name: String) -> Bool {
      !harmlessHeaders.contains(ASCII.lowercased(name)) && containsField(name)
    }

    /// Whether a query item, a form field or a member of a JSON object is secret.
    static func containsField(_ name: String) -> Bool {
      guard name.utf8.count <= maximumLength else { return true }
      let found = split(name)
      if found.contains(where: words.contains) { return true }
      // Joined, so that `pass-word` and `to_ken` are found; a harmless word ends what is joined.
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
