import Foundation
import KennelStorage

/// The address of another kennel.
package struct PeerAddress: Sendable, Hashable {
  /// The URL without a trailing slash.
  private let base: String
  /// The name that is shown as the source of posts: the host, with the port if it is not the default port, and the path
  /// if there is one.
  package let name: String

  /// - Parameter text: a URL. The default scheme is `https`.
  /// - Throws: `badAddress`. The description explains what to do.
  package init(_ text: String) throws(KennelError) {
    func refuse(_ sentence: String) -> KennelError { KennelError(.badAddress, sentence) }
    guard text.utf8.count <= 1000,
      let parts = URLComponents(string: text.contains("://") ? text : "https://" + text),
      let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased(), !host.isEmpty
    else { throw refuse("The address is not valid. Use an address such as https://dogs.example.") }
    guard scheme == "https" || scheme == "http" else {
      throw refuse("The address has an unknown scheme. Use https:// or http://.")
    }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw refuse("The address has a user name, password, query or fragment. Remove it.")
    }
    let defaultPort = scheme == "https" ? 443 : 80
    let authority = host + (parts.port.map { $0 == defaultPort ? "" : ":\($0)" } ?? "")
    let path = "/" + parts.percentEncodedPath.split(separator: "/").joined(separator: "/")
    name = authority + (path == "/" ? "" : path)
    base = "\(scheme)://\(name)"
    guard URL(string: base) != nil else { throw refuse("The address is not valid.") }
  }

  /// The address itself.
  package var url: URL { url("") }

  func page(after: Int64, limit: Int) -> URL { url("/peer/posts?after=\(after)&limit=\(limit)") }

  func photo(of post: Int64) -> URL { url("/posts/\(post)/photo") }

  var events: URL { url("/events") }

  private func url(_ rest: String) -> URL {
    // `init` has verified the URL, and the added text needs no escaping.
    URL(string: base + rest) ?? URL(fileURLWithPath: "/nonexistent")
  }
}
