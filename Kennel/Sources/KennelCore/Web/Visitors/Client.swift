import HTTPService

/// The client of a request, as reported by trusted proxies.
struct Client: Sendable {
  var address: String
  var isSecure: Bool
  /// The host and port that the client requested.
  var host: String
  /// The hosts that clients requested from trusted proxies.
  var forwardedHosts: [String] = []

  init(_ request: HTTPRequest, configuration: KennelSite.Configuration) {
    address = request.remoteAddress
    isSecure = request.isSecure || configuration.isBehindTLS
    host = request.fields["Host"] ?? ""
    guard configuration.trustedProxies.contains(request.remoteAddress) else { return }
    // Each proxy appends the address from which it received the request. The last address that is not a trusted proxy
    // is the client.
    let passed = request.fields.listMembers("X-Forwarded-For")
    if let client = passed.last(where: { !configuration.trustedProxies.contains($0) }) ?? passed.first {
      address = String(client.prefix(64))
    }
    if let scheme = request.fields["X-Forwarded-Proto"] { isSecure = scheme.lowercased() == "https" }
    forwardedHosts = request.fields.listMembers("X-Forwarded-Host")
    if let host = forwardedHosts.first { self.host = host }
  }
}
