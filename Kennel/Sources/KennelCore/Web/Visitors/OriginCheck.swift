import HTTPService

/// Prevents other sites from making changes through a visitor's browser.
enum OriginCheck {
  /// Returns whether the browser reports that another site caused the request. Programs send no such fields.
  static func isCrossSite(_ request: HTTPRequest, client: Client) -> Bool {
    if let site = request.fields["Sec-Fetch-Site"]?.lowercased() {
      return site != "same-origin" && site != "none"
    }
    guard let origin = request.fields["Origin"] else { return false }
    return !matches(origin, client: client)
  }

  private static func matches(_ origin: String, client: Client) -> Bool {
    let origin = origin.lowercased()
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
      // A page that was loaded without encryption may come from an attacker.
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
