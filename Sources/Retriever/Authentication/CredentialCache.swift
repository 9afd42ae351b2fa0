#if !canImport(Darwin)
import Foundation
import Synchronization

/// The credentials that servers accepted during one session, so that the session does not ask for them again.
///
/// The number of entries is limited: a new entry replaces the least recently used one.
package final class CredentialCache: Sendable {
  /// A remembered credential and its value of `Authorization`.
  package struct Entry: Sendable {
    package let protectionSpace: URLProtectionSpace
    package let credential: URLCredential
    package let authorization: String
  }

  private struct Remembered {
    let space: URLProtectionSpace
    let origin: Origin
    /// Path prefixes known to lie within the space, each ending in a slash.
    var directories: [String]
    var credential: URLCredential
    let scheme: AuthenticationScheme
  }

  let maximumCount: Int
  /// The entries, with the most recently used one at the end.
  private let entries = Mutex<[Remembered]>([])
  private let count = Atomic<Int>(0)

  /// Limits the list for a server that uses a different directory for every request.
  static let maximumDirectories = 32

  /// - Parameter maximumCount: The maximum number of credentials to remember.
  package init(maximumCount: Int = 256) { self.maximumCount = max(1, maximumCount) }

  /// Whether no credential is remembered. It costs only one atomic load, for sessions without passwords.
  package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Remembers a credential for its space, and for the paths at and below the directory of a URL.
  ///
  /// A credential with the persistence `.none` is not remembered.
  package func remember(_ credential: URLCredential, for space: URLProtectionSpace, at url: URL) {
    guard credential.persistence != .none, let origin = Origin(url),
      let scheme = AuthenticationScheme.allCases.first(where: { $0.method == space.authenticationMethod })
    else { return }
    let directory = Self.directory(of: url)
    entries.withLock { entries in
      var entry = Remembered(
        space: space, origin: origin, directories: [directory], credential: credential, scheme: scheme)
      if let index = entries.firstIndex(where: { $0.space == space }) {
        let known = entries.remove(at: index)
        // Directories inside the new one add nothing.
        entry.directories += known.directories.filter { !$0.hasPrefix(directory) }
        if known.directories.contains(where: { directory.hasPrefix($0) }) {
          entry.directories.removeFirst()
        }
        entry.directories = Array(entry.directories.prefix(Self.maximumDirectories))
      } else if entries.count >= maximumCount {
        entries.removeFirst()
      }
      entries.append(entry)
      count.store(entries.count, ordering: .relaxed)
    }
  }

  /// The entry to send before the server asks (RFC 7617, 2.2): the one with the most specific directory.
  package func entry(for url: URL) -> Entry? {
    guard !isEmpty, let origin = Origin(url) else { return nil }
    let path = Self.path(of: url)
    return entries.withLock { entries in
      var best: (index: Int, depth: Int)?
      for (index, entry) in entries.enumerated() where entry.origin == origin {
        for directory in entry.directories where path.hasPrefix(directory) {
          let depth = directory.utf8.count
          if best.map({ depth >= $0.depth }) ?? true { best = (index, depth) }
        }
      }
      guard let best else { return nil }
      let entry = entries.remove(at: best.index)
      entries.append(entry)
      guard let authorization = entry.scheme.preemptiveAuthorization(with: entry.credential) else {
        return nil
      }
      return Entry(
        protectionSpace: entry.space, credential: entry.credential, authorization: authorization)
    }
  }

  /// The credential remembered for a space.
  package func credential(for space: URLProtectionSpace) -> URLCredential? {
    guard !isEmpty else { return nil }
    return entries.withLock { entries in entries.first { $0.space == space }?.credential }
  }

  /// Removes a credential that the server no longer accepts. A newer one for the same space stays.
  package func forget(_ credential: URLCredential, for space: URLProtectionSpace) {
    guard !isEmpty else { return }
    entries.withLock { entries in
      entries.removeAll { $0.space == space && $0.credential == credential }
      count.store(entries.count, ordering: .relaxed)
    }
  }

  /// Removes all credentials.
  package func removeAll() {
    entries.withLock { entries in
      entries.removeAll()
      count.store(0, ordering: .relaxed)
    }
  }

  private static func path(of url: URL) -> String {
    let path = url.path(percentEncoded: true)
    return path.isEmpty ? "/" : path
  }

  /// The path up to and including the last slash.
  private static func directory(of url: URL) -> String {
    let path = path(of: url)
    guard let slash = path.lastIndex(of: "/") else { return "/" }
    return String(path[...slash])
  }
}
#endif
