import HTTPService

/// Keeps other sites from having a visitor's browser change something here.
enum OriginCheck {
  /// Whether a browser says that another site is behind the request. Programs say nothing of the kind.
  static func isForeign(_ request: HTTPRequest, client: Client) -> Bool {
    if let site = request.fields["Sec-Fetch-Site"]?.lowercased() {
      return site != "same-origin" && site != "none"
    }
    guard let origin = request.fields["Origin"] else { return false }
    return !matches(origin, client: client)
  }

  private static func matches(_ origin: String, client: Client) -> Bool {
    let origin = origin.lowercased()
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
      // A page that came without encryption may be anybody's.
      if client.isSecure, scheme == "http://" { return false }
      let authority = withoutPort(origin.dropFirst(scheme.count), port)
      return !authority.isEmpty && authority == withoutPort(client.host.lowercased()[...], port)
    }
    return false
  }

  private static func withoutPort(_ authority: Substring, _ port: String) -> Substring {
    authority.hasSuffix(port) ? authority.dropLast(port.utf8.count) : authority
  }
}
