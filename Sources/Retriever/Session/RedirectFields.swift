#if !canImport(Darwin)
  import HTTPSyntax

  /// Which header fields follow a redirect to another origin: the ones listed here, and no others.
  ///
  /// A list of secret names would always lack one, since programs name their secrets as they like. So the rule is the
  /// reverse: a field goes along when it is known to say nothing about who asks.
  enum RedirectFields {
    /// What the client wants and can handle, and the conditions of RFC 9110 and RFC 9111.
    static let harmless: Set<String> = [
      "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "if-match",
      "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "pragma", "range", "sec-gpc",
      "user-agent",
    ]

    /// What describes a body, harmless when the body goes along.
    static let describingBody: Set<String> = [
      "content-digest", "content-disposition", "content-encoding", "content-language", "content-length",
      "content-md5", "content-type", "digest", "expect", "repr-digest",
    ]

    /// Whether a field follows a redirect to another origin.
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - hasBody: whether the body goes along.
    ///   - isDowngrade: whether the redirect leads from https to http, where everybody could read the page's address.
    static func mayCross(_ name: String, hasBody: Bool, isDowngrade: Bool) -> Bool {
      let folded = ASCII.lowercased(name)
      if folded == "referer" { return !isDowngrade }
      return harmless.contains(folded) || (hasBody && describingBody.contains(folded))
    }
  }
#endif
