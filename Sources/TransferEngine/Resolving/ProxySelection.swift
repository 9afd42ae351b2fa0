import Glibc
import HTTPSyntax

/// Which proxy a client uses for which server.
package struct ProxySelection: Sendable {
  private enum Source: Sendable {
    case environment(ProxyEnvironment)
    case settings(ProxySettings)
  }

  private let source: Source

  /// The proxies of the environment, as it is now.
  package static func environment() -> ProxySelection { ProxySelection(.ofProcess()) }

  /// No proxies.
  package static let none = ProxySelection(ProxyEnvironment())

  init(_ environment: ProxyEnvironment) { source = .environment(environment) }

  package init(_ settings: ProxySettings) { source = .settings(settings) }

  var isEmpty: Bool {
    switch source {
    case .environment(let environment): environment.isEmpty
    case .settings(let settings): settings.http == .direct && settings.https == .direct
    }
  }

  /// Returns the proxy to use for a server; nil for none.
  func proxy(for server: ServerAddress) throws(TransferFailure) -> ProxyAddress? {
    switch source {
    case .environment(let environment):
      guard let text = environment.proxy(for: server) else { return nil }
      guard let proxy = ProxyAddress(text) else { throw .unusableProxy }
      return proxy
    case .settings(let settings): return try settings.proxy(for: server)
    }
  }
}

/// Proxies that a program chose.
package struct ProxySettings: Sendable {
  /// How the servers of one scheme are reached.
  package enum Route: Hashable, Sendable {
    case direct
    case proxy(ProxyAddress)
    /// The program wants a proxy, but has not given a valid address. Nothing is sent past it.
    case unusable
  }

  package var http = Route.direct
  package var https = Route.direct
  /// Whether names without a dot are reached directly.
  package var exceptsSimpleNames = false
  private var patterns: [String] = []
  private var ranges: [ProxyException] = []

  package init() {}

  /// Adds servers that are reached directly: a name, in which `*` stands for any text, an address, or a range of
  /// addresses such as `10.0.0.0/8` or `169.254/16`.
  package mutating func except(_ pattern: String) {
    let pattern = ASCII.lowercased(String(ASCII.trimmed(pattern)))
    if let range = ProxyException(Self.completed(pattern)), range.isRange {
      ranges.append(range)
    } else if !pattern.isEmpty {
      patterns.append(pattern)
    }
  }

  /// Adds the numbers that a short range leaves out: "169.254/16" is 169.254.0.0/16.
  private static func completed(_ range: String) -> String {
    guard let slash = range.firstIndex(of: "/"), !range.contains(":") else { return range }
    let numbers = range[..<slash].split(separator: ".")
    guard 1..<4 ~= numbers.count else { return range }
    return (numbers + Array(repeating: "0", count: 4 - numbers.count)).joined(separator: ".")
      + range[slash...]
  }

  func proxy(for server: ServerAddress) throws(TransferFailure) -> ProxyAddress? {
    let route = server.isSecure ? https : http
    if route == .direct { return nil }
    var host = server.host
    if host.hasSuffix(".") { host.removeLast() }
    if exceptsSimpleNames, !host.contains("."), !server.isIPv6Literal { return nil }
    if ranges.contains(where: { $0.covers(server) }) { return nil }
    let name = Array(host.utf8)
    if patterns.contains(where: { Self.matches(name, Array($0.utf8)) }) { return nil }
    guard case .proxy(let proxy) = route else { throw .invalidProxySettings }
    return proxy
  }

  /// Whether a name matches a pattern with asterisks. A dot at the start of a pattern stands for an asterisk and a dot.
  static func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
    let asterisk = UInt8(ascii: "*")
    let pattern = pattern.first == UInt8(ascii: ".") ? [asterisk] + pattern : pattern
    var (index, place) = (0, 0)
    var retry: (index: Int, place: Int)?
    while index < name.count {
      if place < pattern.count, pattern[place] == asterisk {
        retry = (index, place)
        place += 1
      } else if place < pattern.count, pattern[place] == name[index] {
        (index, place) = (index + 1, place + 1)
      } else if let known = retry {
        // The last asterisk stands for one byte more.
        retry = (known.index + 1, known.place)
        (index, place) = (known.index + 1, known.place + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == asterisk }
  }
}

extension TransferFailure {
  static let invalidProxySettings = TransferFailure(
    .proxyRefused,
    message: "The session's proxy is invalid. Check the host and port in connectionProxyDictionary.")
}
