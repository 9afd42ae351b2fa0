#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import Synchronization

/// The credentials that servers accepted during one session, so that the session does not ask for them again.
///
/// The number of entries is limited: a new entry replaces the least recently used one.
package final class CredentialCache: Sendable {
  /// A remembered credential, and what answers with it.
  package struct Entry: Sendable {
    package let protectionSpace: URLProtectionSpace
    package let credential: URLCredential
    package let authorizer: Authorizer
  }

  private struct Remembered {
    let space: URLProtectionSpace
    /// The origin of a server; nil for a proxy.
    let origin: Origin?
    /// Path prefixes known to lie within the space.
    var directories: [String]
    let credential: URLCredential
    let authorizer: Authorizer

    var entry: Entry {
      Entry(protectionSpace: space, credential: credential, authorizer: authorizer)
    }
  }

  let maximumCount: Int
  /// The entries, with the most recently used one at the end.
  private let entries = Mutex<[Remembered]>([])
  private let count = Atomic<Int>(0)
  /// The latest Digest challenges.
  private let digestSessions = Mutex<[(space: URLProtectionSpace, session: DigestSession)]>([])

  /// The number of Digest challenges whose nonces are shared.
  static let maximumSessions = 64

  /// Limits the list for a server that uses a different directory for every request.
  static let maximumDirectories = 32

  /// - Parameter maximumCount: The maximum number of credentials to remember.
  package init(maximumCount: Int = 256) { self.maximumCount = max(1, maximumCount) }

  /// Whether no credential is remembered. It costs only one atomic load, for sessions without passwords.
  package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Remembers a credential for its space. For Basic, the space includes the paths at and below the directory of the
  /// URL; for Digest, what the server has said, or the complete server.
  ///
  /// A credential with the persistence `.none` is not remembered.
  package func remember(_ acceptance: ChallengeMachine.Acceptance) {
    let (space, credential) = (acceptance.protectionSpace, acceptance.credential)
    guard credential.persistence != .none, let origin = Origin(acceptance.url) else { return }
    let directories = Self.directories(of: acceptance)
    entries.withLock { entries in
      var entry = Remembered(
        space: space, origin: space.isProxy() ? nil : origin, directories: directories,
        credential: credential, authorizer: acceptance.authorizer)
      if let index = entries.firstIndex(where: { $0.space == space }) {
        let known = entries.remove(at: index).directories
        // Directories inside others add nothing.
        entry.directories.removeAll { directory in known.contains { directory.hasPrefix($0) } }
        entry.directories += known.filter { directory in
          !entry.directories.contains { directory.hasPrefix($0) }
        }
        entry.directories = Array(entry.directories.prefix(Self.maximumDirectories))
      } else if entries.count >= maximumCount {
        entries.removeFirst()
      }
      entries.append(entry)
      count.store(entries.count, ordering: .relaxed)
    }
  }

  private static func directories(of acceptance: ChallengeMachine.Acceptance) -> [String] {
    guard !acceptance.protectionSpace.isProxy() else { return [] }
    if case .connection = acceptance.authorizer { return ["/"] }
    guard case .digest(_, _, let session) = acceptance.authorizer else {
      return [directory(of: acceptance.url)]
    }
    // RFC 7616, 3.3. Other servers in the list get no answer before they ask for one.
    let origin = Origin(acceptance.url)
    let paths = session.challenge.domain.prefix(maximumDirectories).compactMap { text -> String? in
      guard let url = URL(string: text, relativeTo: acceptance.url)?.absoluteURL, Origin(url) == origin
      else { return nil }
      return path(of: url)
    }
    return session.challenge.domain.isEmpty ? ["/"] : paths
  }

  /// Whether a credential of the server is remembered, also one for another directory.
  func hasEntry(for url: URL) -> Bool {
    guard !isEmpty, let origin = Origin(url) else { return false }
    return entries.withLock { entries in entries.contains { $0.origin == origin } }
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
      return entry.entry
    }
  }

  /// The entry to send to a proxy before it asks.
  package func entry(forProxy host: String, port: Int, type: String) -> Entry? {
    guard !isEmpty else { return nil }
    return entries.withLock { entries in
      entries.last {
        $0.space.proxyType == type && $0.space.port == port && ASCII.equalIgnoringCase($0.space.host, host)
      }?.entry
    }
  }

  /// The session of a Digest challenge. Loads that were challenged with the same nonce share one.
  package func session(for challenge: DigestChallenge, in space: URLProtectionSpace) -> DigestSession {
    digestSessions.withLock { sessions in
      let known = sessions.first {
        $0.space == space && $0.session.challenge.nonce == challenge.nonce
          && $0.session.challenge.algorithm == challenge.algorithm
      }
      if let known { return known.session }
      let session = DigestSession(challenge)
      if sessions.count >= Self.maximumSessions { sessions.removeFirst() }
      sessions.append((space, session))
      return session
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
    digestSessions.withLock { $0.removeAll() }
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
