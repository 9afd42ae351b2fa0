#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// The scheme, host and port of a URL (RFC 6454). Secrets stay within one origin.
package struct Origin: Sendable, Hashable {
  package let scheme: String
  package let host: String
  package let port: Int

  /// Creates the origin of an http or https URL, with an explicit port; `nil` if the URL has no host.
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
