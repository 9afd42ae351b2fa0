#if !canImport(Darwin)
import HTTPSyntax

/// The header fields that follow a redirect to another origin: the ones listed here, and no others.
///
/// A list of secret names would never be complete, because programs name their secrets as they like. The list
/// therefore contains the fields that are known to reveal nothing about the sender.
enum RedirectFields {
  /// The client's preferences and capabilities, and the conditions of RFC 9110 and RFC 9111.
  static let harmless: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "pragma", "range", "sec-gpc",
    "user-agent",
  ]

  /// The fields that describe a body, which are harmless if the body is sent too.
  static let describingBody: Set<String> = [
    "content-digest", "content-disposition", "content-encoding", "content-language", "content-length",
    "content-md5", "content-type", "digest", "expect", "repr-digest",
  ]

  /// Whether a field follows a redirect to another origin.
  ///
  /// - Parameters:
  ///   - name: the field's name.
  ///   - hasBody: whether the body is sent too.
  ///   - isDowngrade: whether the redirect leads from https to http, where anyone could read the page's address.
  static func mayCross(_ name: String, hasBody: Bool, isDowngrade: Bool) -> Bool {
    let folded = ASCII.lowercased(name)
    if folded == "referer" { return !isDowngrade }
    return harmless.contains(folded) || (hasBody && describingBody.contains(folded))
  }
}
#endif
