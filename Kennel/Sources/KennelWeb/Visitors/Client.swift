import HTTPService

/// The proxies in front of the server, and which of their reports are trusted.
struct TrustedProxies: Sendable {
  /// The addresses of proxies whose `X-Forwarded-…` fields are trusted; `unix` stands for those on a Unix socket.
  var addresses: Set<String> = []
  /// Whether all clients connect through a TLS proxy, so that this server does not see TLS itself.
  var isBehindTLS = false
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
