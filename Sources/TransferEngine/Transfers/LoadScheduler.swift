import Glibc
import HTTPSyntax

/// The servers that a client uses, and the loads that wait for a place at one. It drives ``LoadQueue``.
struct LoadScheduler {
  /// The maximum number of streams on one HTTP/2 connection; a server may allow fewer.
  static let streamsPerConnection = 100
  /// Beyond this number, unused servers are forgotten.
  static let maximumDestinations = 1024

  var queue: LoadQueue<Transfer>
  private let options: TransferClientOptions
  /// The servers by the scheme, host and port at the start of a URL.
  private var destinations: [String: Destination] = [:]
  private var lastPrefix: [UInt8] = []
  private var lastDestination: Destination?
  /// The lines that remove names from libcurl's cache.
  private var removalLines: [String] = []

  init(options: TransferClientOptions) {
    self.options = options
    queue = LoadQueue(sharedPlaces: max(options.connectionsPerHost, Self.sharedPlaces))
  }

  /// The maximum number of loads that run at the same time without HTTP/2, in all hosts.
  static let maximumSharedPlaces = 65_536

  /// A share of the process's file descriptors, so that a large number of hosts cannot use all of them.
  private static let sharedPlaces = min(maximumSharedPlaces, max(64, descriptorLimit / 4 * 3))

  /// The number of descriptors that the process may have.
  static let descriptorLimit: Int = {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(min(limit.rlim_cur, rlim_t(Int32.max)))
  }()

  // MARK: Destinations

  /// Returns the server of a URL.
  mutating func destination(of request: TransferRequest) throws(TransferFailure) -> Destination {
    var url = request.url
    let known: Destination? = url.withUTF8 { bytes in
      guard let lastDestination, bytes.count > lastPrefix.count, bytes.starts(with: lastPrefix),
        ServerAddress.prefixLength(of: bytes) == lastPrefix.count
      else { return nil }
      return lastDestination
    }
    if let known { return known }
    return try findDestination(of: url)
  }

  private mutating func findDestination(of url: String) throws(TransferFailure) -> Destination {
    var url = url
    let (prefix, address) = url.withUTF8 { bytes -> ([UInt8], ServerAddress?) in
      let length = ServerAddress.prefixLength(of: bytes) ?? 0
      let prefix = UnsafeBufferPointer(rebasing: bytes[..<length])
      return (Array(prefix), ServerAddress(prefix: prefix))
    }
    let key = String(decoding: prefix, as: UTF8.self)
    let destination: Destination
    if let known = destinations[key] {
      destination = known
    } else {
      destination = try make(address, url)
      if destinations.count >= Self.maximumDestinations { forgetUnused() }
      destinations[key] = destination
    }
    (lastPrefix, lastDestination) = (prefix, destination)
    return destination
  }

  private mutating func make(_ address: ServerAddress?, _ url: String) throws(TransferFailure) -> Destination
  {
    var address = address
    if address == nil, let (host, port, scheme) = Curl.host(of: url), scheme == "http" || scheme == "https" {
      let isLiteral = host.hasPrefix("[")
      var parsed = ServerAddress(
        isSecure: scheme == "https",
        host: ASCII.lowercased(isLiteral ? String(host.dropFirst().dropLast()) : host), port: port)
      parsed.isIPv6Literal = isLiteral
      address = parsed
    }
    // If libcurl cannot parse the URL either, it gets the transfer and reports the reason.
    guard let address else {
      return Destination(
        address: ServerAddress(isSecure: false, host: "", port: 0), proxy: nil,
        place: queue.addHost(limit: options.connectionsPerHost), looksUpNames: false)
    }
    let proxy = options.usesProxies ? try options.proxies.proxy(for: address) : nil
    return Destination(
      address: address, proxy: proxy, place: queue.addHost(limit: options.connectionsPerHost),
      looksUpNames: options.unixSocketPath == nil, options: options)
  }

  private mutating func forgetUnused() {
    for (key, destination) in destinations
    where destination.admittedCount == 0 && queue.removeHost(destination.place) {
      removalLines += destination.removalLines
      destination.isForgotten = true
      destination.pool?.closeUnused()
      destinations[key] = nil
    }
    (lastPrefix, lastDestination) = ([], nil)
  }

  mutating func removeAll() {
    destinations = [:]
    (lastPrefix, lastDestination) = ([], nil)
  }

  /// The servers with transfers that wait for something other than their turn.
  var destinationsWithPending: [Destination] { destinations.values.filter { !$0.pending.isEmpty } }

  /// Returns the resolve lines that a transfer passes to libcurl.
  mutating func resolveLines(for destination: Destination) -> [String] {
    guard !removalLines.isEmpty || !destination.resolveLines.isEmpty else { return [] }
    defer { removalLines = [] }
    return removalLines + destination.resolveLines
  }

  /// Records whether a connection carries several transfers at the same time.
  mutating func learn(isMultiplexed: Bool, _ destination: Destination) {
    guard destination.isMultiplexed != isMultiplexed else { return }
    destination.isMultiplexed = isMultiplexed
    let perHost = max(1, options.connectionsPerHost)
    let growth =
      destination.growth
      ?? ConnectionGrowth(
        maximumConnections: perHost, streamsPerConnection: Self.streamsPerConnection,
        period: options.growthPeriod)
    if isMultiplexed { destination.growth = growth }
    queue.setLimit(
      isMultiplexed ? growth.limit : perHost, takesSharedPlaces: !isMultiplexed, of: destination.place)
  }

  // MARK: Connections with several streams

  /// Records that a load to this server may have to wait for a stream.
  ///
  /// - Returns: When to call ``timerFired(for:now:)``, if the loop has no timer for the server yet.
  mutating func loadMayWait(for destination: Destination, now: Monotonic) -> Monotonic? {
    guard waitsForStream(destination) else { return nil }
    return destination.growth?.loadWaits(now: now)
  }

  /// Records that a load has ended that held a place.
  mutating func loadEnded(at destination: Destination) {
    queue.ended(on: destination.place)
    guard let connections = destination.growth?.connections else { return }
    destination.growth?.loadEnded(
      isWaiting: waitsForStream(destination), isLast: queue.runningCount(of: destination.place) == 0)
    if destination.growth?.connections != connections { applyGrowth(of: destination) }
  }

  private func waitsForStream(_ destination: Destination) -> Bool {
    destination.isMultiplexed == true && queue.hasWaiting(on: destination.place)
  }

  /// Decides whether the server's loads use more or fewer connections.
  ///
  /// - Returns: When to call this function again, if the timer is still needed.
  mutating func timerFired(for destination: Destination, now: Monotonic) -> Monotonic? {
    // Its place may be that of another server by now.
    guard !destination.isForgotten else { return nil }
    let next = destination.growth?.timerFired(isWaiting: waitsForStream(destination), now: now)
    applyGrowth(of: destination)
    return next
  }

  private mutating func applyGrowth(of destination: Destination) {
    guard let growth = destination.growth, destination.isMultiplexed == true else { return }
    queue.setLimit(growth.limit, takesSharedPlaces: false, of: destination.place)
  }
}

extension TransferFailure {
  static let unusableProxy = TransferFailure(
    .proxyRefused,
    message:
      "The proxy in the environment is invalid or unsupported. Check http_proxy, https_proxy and all_proxy.")
}
