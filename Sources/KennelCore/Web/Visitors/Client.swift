import HTTPService

/// From where a request comes, seen through the proxies that are trusted to say it.
struct Client: Sendable {
  var address: String
  var isSecure: Bool
  /// The host and port the client has asked for.
  var host: String
  /// The hosts that trusted proxies have been asked for.
  var forwardedHosts: [String] = []

  init(_ request: HTTPRequest, configuration: KennelSite.Configuration) {
    address = request.remoteAddress
    isSecure = request.isSecure || configuration.isBehindTLS
    host = request.fields["Host"] ?? ""
    guard configuration.trustedProxies.contains(request.remoteAddress) else { return }
    // Each proxy adds the one it got the request from: the last that is no proxy of ours is the client.
    let passed = request.fields.listMembers("X-Forwarded-For")
    if let client = passed.last(where: { !configuration.trustedProxies.contains($0) }) ?? passed.first {
      address = String(client.prefix(64))
    }
    if let scheme = request.fields["X-Forwarded-Proto"] { isSecure = scheme.lowercased() == "https" }
    forwardedHosts = request.fields.listMembers("X-Forwarded-Host")
    if let host = forwardedHosts.first { self.host = host }
  }
}
