#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// Who answers for a URL: its scheme, host and port (RFC 6454). What is secret stays within one origin.
  package struct Origin: Sendable, Hashable {
    package let scheme: String
    package let host: String
    package let port: Int

    /// The origin of an http or https URL, with the port spelled out; `nil` when there is no host.
    package init?(_ url: URL) {
      guard let scheme = url.scheme.map({ ASCII.lowercased($0) }), let host = url.host, !host.isEmpty else {
        return nil
      }
      switch (url.port, scheme) {
      case (let port?, _): self.port = port
      case (nil, "https"): self.port = 443
      case (nil, "http"): self.port = 80
      default: return nil
      }
      self.scheme = scheme
      self.host = ASCII.lowercased(host)
    }
  }
#endif
