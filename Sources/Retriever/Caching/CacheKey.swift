#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// The identity of a resource in the cache: its URL without a fragment, name and password.
///
/// Responses to GET and HEAD share one key. Responses to other methods are stored only if the program itself does so, and
/// their keys begin with the method.
package struct CacheKey: Sendable, Hashable {
  package let text: String

  /// - Parameter url: The URL in the form that is sent to the server.
  package init(method: String = "GET", sentURL url: String) {
    let url = Self.normalised(url)
    text = method == "GET" || method == "HEAD" ? url : "\(method) \(url)"
  }

  /// - Returns: nil for a relative URL.
  package init?(method: String = "GET", _ url: URL?) {
    guard let url, url.scheme != nil else { return nil }
    self.init(method: method, sentURL: Self.sentForm(of: url))
  }

  package init?(_ request: URLRequest) { self.init(method: request.httpMethod ?? "GET", request.url) }

  /// The text of an existing key.
  package init(text: String) { self.text = text }

  /// The URL in the form that is sent to the server. The fragment is removed because it is for the client only. The name
  /// and password are removed because a header field contains them if the server asks for them.
  package static func sentForm(of url: URL) -> String {
    let text = url.absoluteString
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") }),
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return text }
    components.fragment = nil
    components.user = nil
    components.password = nil
    return components.string ?? text
  }

  /// Writes the scheme and the host in lower case, removes the default port, and completes an empty path. Most URLs have
  /// this form already.
  private static func normalised(_ url: String) -> String {
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return url }
    let afterColon = url.utf8.index(after: colon)
    guard url[afterColon...].utf8.starts(with: "//".utf8) else { return url }
    let start = url.utf8.index(afterColon, offsetBy: 2)
    let end =
      url[start...].utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? url.endIndex
    let hasPath = end != url.endIndex && url.utf8[end] == UInt8(ascii: "/")
    let isPlain = url[..<end].utf8.allSatisfy { !(0x41...0x5A ~= $0) }
    let scheme = ASCII.lowercased(url[..<colon])
    let defaultPort = scheme == "https" ? ":443" : scheme == "http" ? ":80" : nil
    let hasDefaultPort = defaultPort.map { url[start..<end].utf8.reversed().starts(with: $0.utf8.reversed()) }
    if isPlain, hasPath, hasDefaultPort != true { return url }
    var authority = ASCII.lowercased(url[start..<end])
    if hasDefaultPort == true, let defaultPort { authority.removeLast(defaultPort.count) }
    return "\(scheme)://\(authority)\(hasPath ? "" : "/")\(url[end...])"
  }
}
#endif
