/// Which servers a client reaches with HTTP/3, by their `Alt-Svc` fields and by what happened before: a pure value.
///
/// The first connection to an announced server competes with one over TCP, and one transfer at a time tries it. After
/// HTTP/3 has worked, all transfers use it. After it has failed, none does for some time, which doubles each time.
/// Only alternatives with the host and port of the server itself are used: another port of a machine may belong to
/// someone else (RFC 7838, 9.1).
struct HTTP3Servers: Sendable {
  enum Route: Equatable, Sendable {
    /// HTTP/2 or HTTP/1.1.
    case tcp
    /// HTTP/3, or TCP if that connects earlier. If `fresh`, no open connection is used.
    case race(fresh: Bool)
    /// HTTP/3 only. It has worked before.
    case http3
  }

  private enum Phase: Sendable {
    case untried
    /// One transfer tries the announced alternative.
    case trying
    case working
    case broken(until: Monotonic)
  }

  private struct Entry: Sendable {
    /// When the announcement expires; nil if there is none.
    var expiry: Monotonic?
    var phase = Phase.untried
    /// How often HTTP/3 failed since it last worked.
    var failures = 0
    var lastUse: Monotonic
  }

  /// Beyond this number, the servers that were not used for the longest time are forgotten.
  static let maximumServers = 1024
  static let shortestBreak = Duration.seconds(60)
  static let longestBreak = Duration.seconds(86_400)

  private var entries: [ServerAddress: Entry] = [:]

  var count: Int { entries.count }

  /// Returns how a transfer reaches a server. After ``Route/race(fresh:)``, the outcome must be reported.
  ///
  /// - Parameter assumes: Whether to try HTTP/3 although the server has not announced it.
  mutating func route(to server: ServerAddress, assumes: Bool, now: Monotonic) -> Route {
    guard var entry = entries[server] else { return assumes ? .race(fresh: false) : .tcp }
    entry.lastUse = now
    if let expiry = entry.expiry, expiry <= now { entry.expiry = nil }
    defer { entries[server] = entry }
    guard assumes || entry.expiry != nil else { return .tcp }
    switch entry.phase {
    case .working: return .http3
    case .trying: return entry.expiry == nil ? .race(fresh: false) : .tcp
    case .broken(let end) where now < end: return .tcp
    case .broken, .untried:
      guard entry.expiry != nil else { return .race(fresh: false) }
      entry.phase = .trying
      return .race(fresh: true)
    }
  }

  /// A server has sent `Alt-Svc`, which replaces what it announced before.
  mutating func announced(_ field: AlternativeServiceField, by server: ServerAddress, now: Monotonic) {
    let service = field.services.first {
      $0.port == server.port && ($0.host.isEmpty || $0.host == server.host) && $0.maximumAge > .zero
    }
    guard let service else {
      entries[server]?.expiry = nil
      return
    }
    var entry = entries[server] ?? makeEntry(now)
    entry.expiry = now + service.maximumAge
    entries[server] = entry
  }

  /// A response has arrived over HTTP/3.
  mutating func worked(_ server: ServerAddress, now: Monotonic) {
    var entry = entries[server] ?? makeEntry(now)
    entry.phase = .working
    entry.failures = 0
    entries[server] = entry
  }

  /// There was no connection with HTTP/3, or TCP connected earlier.
  mutating func failed(_ server: ServerAddress, now: Monotonic) {
    var entry = entries[server] ?? makeEntry(now)
    // Several transfers may notice the same failure.
    if case .broken(let end) = entry.phase, now < end { return }
    entry.failures = min(entry.failures + 1, 32)
    let pause = min(Self.longestBreak, Self.shortestBreak * (1 << min(entry.failures - 1, 16)))
    entry.phase = .broken(until: now + pause)
    entries[server] = entry
  }

  /// A connection that worked was lost, or an attempt ended without an outcome. The next transfer tries again.
  mutating func isUncertain(_ server: ServerAddress) {
    switch entries[server]?.phase {
    case .working, .trying: entries[server]?.phase = .untried
    case .broken, .untried, nil: break
    }
  }

  private mutating func makeEntry(_ now: Monotonic) -> Entry {
    if entries.count >= Self.maximumServers,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    return Entry(lastUse: now)
  }
}
