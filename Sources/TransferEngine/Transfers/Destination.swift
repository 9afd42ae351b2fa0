/// A server as one client reaches it: its names, its protocol, and the transfers that wait for these to be known.
///
/// `@unchecked Sendable`: `address`, `proxy` and `place` are immutable; only the holder of the loop's lock uses
/// everything else.
final class Destination: @unchecked Sendable {
  /// A host name that must be looked up before libcurl can connect.
  struct Name {
    let host: String
    let port: UInt16
    var isAsked = false
    var known: NameService.Known?
  }

  let address: ServerAddress
  let proxy: ProxyAddress?
  let place: LoadQueue<Transfer>.HostID

  /// Transfers that may run as soon as the names and the trust store are available.
  var pending: [Transfer] = []
  /// The number of transfers that hold a place: running or pending.
  var admittedCount = 0
  /// Whether several transfers share one connection; nil until a connection shows it.
  var isMultiplexed: Bool?
  /// The number of connections for such a server; nil until its loads share one.
  var growth: ConnectionGrowth?

  /// Whether the scheduler has forgotten the server, because it has no loads.
  var isForgotten = false

  /// Whether the server has refused a request because it was sent over HTTP/2.
  var requiresHTTP11 = false

  /// The decisions about the server; nil if no delegate is asked.
  var gate: TrustGate<ObjectIdentifier, ClientKey>?
  /// The server's pins; nil if it has none.
  let pins: Set<ServerPin>?
  /// What is presented to the server if it requests a certificate.
  let key: ClientKey?
  /// The pins of the proxy, if it is reached with TLS.
  let proxyPins: Set<ServerPin>?
  /// What is presented to such a proxy if it requests a certificate.
  let proxyKey: ClientKey?
  /// Whether the server may be reached with HTTP/3. QUIC has TLS of its own, to which the checks of pins, client
  /// certificates and delegates do not extend, and needs TLS 1.3.
  let allowsHTTP3: Bool

  /// The connections of the transport of our own to the server; nil if there never were any.
  var pool: ConnectionPool?

  private var names: [Name]
  /// When the first of the names expires; nil while one of them is unknown.
  private var expiry: Monotonic?
  /// The resolve lines that libcurl has not received yet.
  private(set) var resolveLines: [String] = []

  init(
    address: ServerAddress, proxy: ProxyAddress?, place: LoadQueue<Transfer>.HostID, looksUpNames: Bool,
    options: TransferClientOptions? = nil
  ) {
    pins = options.flatMap { PinnedServer.pins(for: address.host, in: $0.pinnedServers) }
    key = options?.clientKey?(address.host, address.port)
    let secureProxy = proxy.flatMap { $0.isSecure ? $0 : nil }
    proxyPins = options.flatMap { options in
      secureProxy.flatMap { PinnedServer.pins(for: $0.host, in: options.pinnedServers) }
    }
    proxyKey = secureProxy.flatMap { options?.clientKey?($0.host, $0.port) }
    allowsHTTP3 =
      address.isSecure && proxy == nil && pins == nil && key == nil
      && options.map {
        $0.usesHTTP3 && !$0.asksAboutServers && $0.unixSocketPath == nil && $0.maximumTLS == .v13
      }
        ?? false
    if let options, address.isSecure, options.asksAboutServers, options.trust != .anything,
      OpenSSL.checksHandshakes
    {
      gate = TrustGate()
    }
    self.address = address
    self.proxy = proxy
    self.place = place
    var names: [Name] = []
    if let proxy, !proxy.needsNoLookup { names.append(Name(host: proxy.host, port: proxy.port)) }
    let isReachedByAddress = proxy.map { $0.kind == .socksWithAddresses } ?? true
    if isReachedByAddress, !address.needsNoLookup {
      names.append(Name(host: address.host, port: address.port))
    }
    self.names = looksUpNames ? names : []
  }

  /// Whether an HTTP proxy opens a tunnel to the server.
  var usesTunnel: Bool { address.isSecure && proxy?.kind == .http }

  /// Whether the connection to the server or to its proxy uses TLS.
  var usesTLS: Bool { address.isSecure || proxy?.isSecure == true }

  /// Whether handshakes with the server have checks beyond those of libcurl.
  var checksHandshakes: Bool { address.isSecure && (gate != nil || pins != nil || key != nil) }

  /// The same for a proxy that is reached with TLS.
  var checksProxyHandshakes: Bool { proxyPins != nil || proxyKey != nil }

  // MARK: Names

  /// Whether libcurl has, or will receive, addresses that are still valid.
  func hasAddresses(now: Monotonic) -> Bool {
    if names.isEmpty { return true }
    guard let expiry else { return false }
    return now < expiry
  }

  /// Requests the names that have not been requested yet. Returns true if all of them are known.
  func askForNames(now: Monotonic, _ ask: (_ name: String, _ index: Int) -> NameService.Known?) -> Bool {
    if let expiry, expiry <= now { forgetNames() }
    for index in names.indices where !names[index].isAsked {
      // One of two names may expire before the other is known.
      if let known = names[index].known, now < known.expiry { continue }
      names[index].known = nil
      names[index].isAsked = true
      if let known = ask(names[index].host, index) { take(known, at: index) }
    }
    return hasAddresses(now: now)
  }

  /// Records the addresses of a name.
  func take(_ known: NameService.Known, at index: Int) {
    guard names.indices.contains(index) else { return }
    names[index].isAsked = false
    names[index].known = known
    let expiries = names.compactMap(\.known?.expiry)
    guard expiries.count == names.count else { return }
    expiry = expiries.min()
    resolveLines = names.flatMap { name in
      Self.spellings(of: name).map {
        "\($0):\(name.port):" + (name.known?.addresses ?? []).joined(separator: ",")
      }
    }
  }

  /// Records that a look-up failed. The next transfer requests the name again.
  func nameFailed(at index: Int) {
    guard names.indices.contains(index) else { return }
    names[index].isAsked = false
  }

  /// Forgets the addresses because they are too old or did not work.
  func forgetNames() {
    expiry = nil
    for index in names.indices { names[index].known = nil }
  }

  /// The numbers of the server's name that are known.
  var knownAddresses: [String] { names.flatMap { $0.known?.addresses ?? [] } }

  var namesToForget: [String] { names.map(\.host) }

  /// Records that libcurl has received the addresses: later transfers find them in its cache.
  func addressesAreKnown() { resolveLines = [] }

  /// The lines that remove the names from libcurl's cache.
  var removalLines: [String] {
    names.flatMap { name in Self.spellings(of: name).map { "-\($0):\(name.port)" } }
  }

  /// Returns the spellings of a name in libcurl's cache. Some versions of libcurl remove a trailing dot.
  private static func spellings(of name: Name) -> [String] {
    name.host.hasSuffix(".") ? [name.host, String(name.host.dropLast())] : [name.host]
  }
}
