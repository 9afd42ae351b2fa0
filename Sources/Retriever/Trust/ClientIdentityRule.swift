#if !canImport(Darwin)
import TransferEngine

/// Chooses the client certificate for a server.
struct ClientIdentityRule: Sendable {
  /// By the host, or the host and port, as written.
  private let exact: [String: ClientKey]
  /// The longest pattern first.
  private let patterns: [(pattern: HostPattern, key: ClientKey)]

  init(_ identities: [String: ClientIdentity]) {
    exact = Dictionary(
      identities.map { (HostPattern.normalized($0.key), $0.value.key) },
      uniquingKeysWith: { first, _ in first })
    patterns = identities.sorted { ($0.key.utf8.count, $0.key) > ($1.key.utf8.count, $1.key) }
      .compactMap { entry in HostPattern(entry.key).map { ($0, entry.value.key) } }
  }

  var isEmpty: Bool { exact.isEmpty }

  func key(forHost host: String, port: Int) -> ClientKey? {
    let name = HostPattern.normalized(host)
    if let key = exact["\(name):\(port)"] ?? exact[name] { return key }
    // An IPv6 address is written in brackets if a port follows.
    if name.contains(":") { return exact["[\(name)]:\(port)"] ?? exact["[\(name)]"] }
    return patterns.first { $0.pattern.matches(name, port: port) }?.key
  }
}
#endif
