import HTTPService

/// The security fields of every response: no type guessing, no referrers to other sites, no outside resources.
enum CommonFields {
  static let contentSecurityPolicy =
    "default-src 'none'; img-src 'self' blob: data:; media-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  static func add(to fields: inout HTTPFields) {
    guard fields["X-Content-Type-Options"] == nil else { return }
    fields.append("X-Content-Type-Options", "nosniff")
    if fields["Referrer-Policy"] == nil { fields.append("Referrer-Policy", "same-origin") }
    if fields["Cross-Origin-Resource-Policy"] == nil {
      fields.append("Cross-Origin-Resource-Policy", "same-origin")
    }
    if fields["Content-Security-Policy"] == nil {
      fields.append("Content-Security-Policy", contentSecurityPolicy)
    }
  }
}

/// The fields of what is shown with a secret link: the address is a secret, and the link may be revoked.
enum LinkFields {
  static func add(to fields: inout HTTPFields) {
    if fields["Cache-Control"] != "no-store" { fields["Cache-Control"] = "private, no-cache" }
    fields["Referrer-Policy"] = "no-referrer"
    fields["X-Robots-Tag"] = "noindex, nofollow"
  }
}

/// Values of the field `Cache-Control`.
enum CacheControl {
  /// For thumbnails: the picture of a post never changes, and its id is never used again.
  static let immutable = "public, max-age=31536000, immutable"
  /// For photos: their metadata may be taken out.
  static let revalidated = "public, no-cache"
  /// For pictures of people, with their version in the address.
  static let privateImmutable = "private, max-age=31536000, immutable"
  static let privateRevalidated = "private, no-cache"

  /// Keeps a response out of caches that several people share.
  static func makePrivate(_ fields: inout HTTPFields) {
    let value = fields["Cache-Control"] ?? "no-cache"
    let directives = value.split(separator: ",").map { $0.drop { $0 == " " } }
    if directives.contains("private") || directives.contains("no-store") { return }
    fields["Cache-Control"] = (["private"] + directives.filter { $0 != "public" }).joined(separator: ", ")
  }
}
