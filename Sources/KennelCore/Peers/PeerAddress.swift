import Foundation

/// Where another kennel is.
package struct PeerAddress: Sendable, Hashable {
  /// Without a slash at its end.
  private let base: String
  /// What posts from there are said to come from: its host, with its port when that is an unusual one, and its path when
  /// it has one.
  package let name: String

  /// - Parameter text: a URL; `https` is meant when it has no scheme.
  /// - Throws: `badAddress`, and what to do about it.
  package init(_ text: String) throws(KennelError) {
    func refuse(_ sentence: String) -> KennelError { KennelError(.badAddress, sentence) }
    guard text.utf8.count <= 1000,
      let parts = URLComponents(string: text.contains("://") ? text : "https://" + text),
      let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased(), !host.isEmpty
    else { throw refuse("That is no kennel's address. Give one such as https://dogs.example.") }
    guard scheme == "https" || scheme == "http" else {
      throw refuse("A kennel's address begins with https:// or http://.")
    }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw refuse("A kennel's address has no name and password, no question mark and no number sign.")
    }
    let usual = scheme == "https" ? 443 : 80
    let authority = host + (parts.port.map { $0 == usual ? "" : ":\($0)" } ?? "")
    let path = "/" + parts.percentEncodedPath.split(separator: "/").joined(separator: "/")
    name = authority + (path == "/" ? "" : path)
    base = "\(scheme)://\(name)"
    guard URL(string: base) != nil else { throw refuse("That is no kennel's address.") }
  }

  /// The address itself.
  package var url: URL { url("") }

  func page(after: Int64, limit: Int) -> URL { url("/peer/posts?after=\(after)&limit=\(limit)") }

  func photo(of post: Int64) -> URL { url("/posts/\(post)/photo") }

  var events: URL { url("/events") }

  private func url(_ rest: String) -> URL {
    // Seen to be one when this was made; what is added has nothing that needs escaping.
    URL(string: base + rest) ?? URL(fileURLWithPath: "/nonexistent")
  }
}
