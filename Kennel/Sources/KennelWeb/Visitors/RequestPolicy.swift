import HTTPService

/// Decides which requests are answered at all: those for a host name of this kennel, and those that were not caused by
/// another site.
struct RequestPolicy: Sendable {
  let hosts: AllowedHosts
  let proxies: TrustedProxies

  /// Returns the client of a request.
  func client(of request: HTTPRequest) -> Client { Client(request, behind: proxies) }

  /// Refuses requests for a host name that this kennel does not accept.
  func refuseUnknownHost(_ request: HTTPRequest) throws(Problem) {
    let client = client(of: request)
    // Over TLS, the browser has verified a certificate for the name. A proxy's claim of TLS only counts on a Unix
    // socket: on a TCP port, a page that rebinds its name to this server could make the same claim.
    if request.isSecure || (client.isSecure && request.remoteAddress == "unix") { return }
    for host in [request.fields["Host"] ?? ""] + client.forwardedHosts {
      switch hosts.verdict(on: host) {
      case .allowed: continue
      case .malformed:
        throw .badRequest("The Host field of the request is not a valid name or address. Check the address.")
      case .unknown(let name):
        throw Problem(
          .misdirectedRequest,
          "This kennel does not accept the name “\(name)”. If the name is correct, the owner can add --name \(name)."
        )
      }
    }
  }

  /// Refuses changes that another site makes through a visitor's browser.
  func refuseCrossSite(_ request: HTTPRequest) throws(Problem) {
    if request.method == .get || request.method == .head { return }
    guard OriginCheck.isCrossSite(request, client: client(of: request)) else { return }
    throw Problem(.forbidden, "The request comes from another site. Repeat the action on Kennel's own page.")
  }
}

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

/// The proxies in front of the server, and which of their reports are trusted.
struct TrustedProxies: Sendable {
  /// The addresses of proxies whose `X-Forwarded-…` fields are trusted; `unix` stands for those on a Unix socket.
  var addresses: Set<String> = []
  /// Whether all clients connect through a TLS proxy, so that this server does not see TLS itself.
  var isBehindTLS = false
  /// The field in which these proxies name the user whom they have signed in, or nil if they sign in nobody.
  var userField: String?

  /// Returns the name of the user whom a trusted proxy has signed in. A field of any other client is ignored.
  ///
  /// - Throws: a problem if there are several: the proxy may have passed on a field that its client has sent.
  func userName(in request: HTTPRequest) throws(Problem) -> String? {
    guard let userField, addresses.contains(request.remoteAddress) else { return nil }
    let names = request.fields.values(userField)
    guard names.count <= 1 else {
      throw .badRequest(
        "The request has several \(userField) fields. The proxy must replace the field of its client.")
    }
    return names.first.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The client of a request, as reported by trusted proxies.
struct Client: Sendable {
  var address: String
  var isSecure: Bool
  /// The host and port that the client requested.
  var host: String
  /// The hosts that clients requested from trusted proxies.
  var forwardedHosts: [String] = []

  init(_ request: HTTPRequest, behind proxies: TrustedProxies) {
    address = request.remoteAddress
    isSecure = request.isSecure || proxies.isBehindTLS
    host = request.fields["Host"] ?? ""
    guard proxies.addresses.contains(request.remoteAddress) else { return }
    // Each proxy appends the address from which it received the request. The last address that is not a trusted proxy
    // is the client.
    let passed = request.fields.listMembers("X-Forwarded-For")
    if let client = passed.last(where: { !proxies.addresses.contains($0) }) ?? passed.first {
      address = String(client.prefix(64))
    }
    if let scheme = request.fields["X-Forwarded-Proto"] { isSecure = scheme.lowercased() == "https" }
    forwardedHosts = request.fields.listMembers("X-Forwarded-Host")
    if let host = forwardedHosts.first { self.host = host }
  }
}
