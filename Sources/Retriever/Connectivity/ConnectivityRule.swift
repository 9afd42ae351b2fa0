#if !canImport(Darwin)
import Foundation

/// Decides whether a load that could not connect waits for a network. It is asked after each failure.
///
/// As on Apple's platforms, only the time before a connection is established counts: a connection that is lost later fails
/// the load.
struct ConnectivityRule: Sendable, Equatable {
  enum Network: Sendable, Equatable {
    case online, offline
    /// The kernel does not report its networks to this process.
    case unknown
  }

  enum Decision: Sendable, Equatable {
    /// Report the error.
    case fail
    /// Wait until the network changes, or until this time is over. `isFirst`: inform the delegate.
    case wait(upTo: Duration, isFirst: Bool)
  }

  /// After the network has come back, the first attempts may be too early for the name servers.
  static let maximumAttemptsOnline = 5
  /// The longest time between two attempts.
  static let maximumPause = Duration.seconds(60)

  private var hasWaited = false
  private var attemptsOnline = 0
  private var pauses = 0

  /// The load has failed before it was connected.
  mutating func failed(_ code: URLError.Code, network: Network) -> Decision {
    guard Self.mayBeConnectivity(code, network) else { return .fail }
    switch network {
    case .offline: attemptsOnline = 0
    case .online:
      attemptsOnline += 1
      guard hasWaited, attemptsOnline <= Self.maximumAttemptsOnline else { return .fail }
    case .unknown: break
    }
    defer { hasWaited = true }
    return .wait(upTo: network == .offline ? Self.maximumPause : nextPause(), isFirst: !hasWaited)
  }

  private mutating func nextPause() -> Duration {
    defer { pauses = min(pauses + 1, 6) }
    return min(.seconds(1 << pauses), Self.maximumPause)
  }

  /// Whether the error may come from a missing network. A server that refuses the connection has answered.
  private static func mayBeConnectivity(_ code: URLError.Code, _ network: Network) -> Bool {
    switch code {
    case .notConnectedToInternet, .dnsLookupFailed: true
    case .cannotFindHost: network != .unknown
    default: false
    }
  }
}
#endif
