import Glibc
import HTTPSyntax

/// The servers a client talks to, and the loads that wait for a place at one: the driver of ``LoadQueue``.
struct LoadScheduler {
  /// How many streams one HTTP/2 connection is given at most; a server may allow fewer.
  static let streamsPerConnection = 100
  /// Servers that nobody uses any more are forgotten beyond this many.
  private static let maximumDestinations = 1024

  var queue: LoadQueue<Transfer>
  private let options: TransferClientOptions
  /// By the scheme, host and port that a URL begins with.
  private var destinations: [String: Destination] = [:]
  private var lastPrefix: [UInt8] = []
  private var lastDestination: Destination?
  /// What is to be taken out of libcurl's cache of names.
  private var removalLines: [String] = []

  init(options: TransferClientOptions) {
    self.options = options
    queue = LoadQueue(sharedPlaces: max(options.connectionsPerHost, Self.sharedPlaces))
  }

  /// A part of the descriptors that the process may have: those of a crowd of hosts must not take all of them.
  private static let sharedPlaces: Int = {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 768 }
    return Int(min(65_536, max(64, limit.rlim_cur / 4 * 3)))
  }()

  // MARK: Destinations

  /// The server of a URL.
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
    // What libcurl does not understand either, it is given to say why.
    guard let address else {
      return Destination(
        address: ServerAddress(isSecure: false, host: "", port: 0), proxy: nil,
        place: queue.addHost(limit: options.connectionsPerHost), looksUpNames: false)
    }
    var proxy: ProxyAddress?
    if options.usesProxies, let text = options.proxies.proxy(for: address) {
      guard let parsed = ProxyAddress(text) else { throw .unusableProxy }
      proxy = parsed
    }
    return Destination(
      address: address, proxy: proxy, place: queue.addHost(limit: options.connectionsPerHost),
      looksUpNames: options.unixSocketPath == nil)
  }

  private mutating func forgetUnused() {
    for (key, destination) in destinations
    where destination.admittedCount == 0 && queue.removeHost(destination.place) {
      removalLines += destination.removalLines
      destinations[key] = nil
    }
    (lastPrefix, lastDestination) = ([], nil)
  }

  mutating func removeAll() {
    destinations = [:]
    (lastPrefix, lastDestination) = ([], nil)
  }

  /// Those where transfers wait for something else than their turn.
  var destinationsWithPending: [Destination] { destinations.values.filter { !$0.pending.isEmpty } }

  /// The lines about names that a transfer takes along for libcurl.
  mutating func resolveLines(for destination: Destination) -> [String] {
    guard !removalLines.isEmpty || !destination.resolveLines.isEmpty else { return [] }
    defer { removalLines = [] }
    return removalLines + destination.resolveLines
  }

  /// A connection tells whether it carries several transfers at the same time.
  mutating func learn(isMultiplexed: Bool, _ destination: Destination) {
    guard destination.isMultiplexed != isMultiplexed else { return }
    destination.isMultiplexed = isMultiplexed
    let perHost = max(1, options.connectionsPerHost)
    queue.setLimit(
      isMultiplexed ? perHost * Self.streamsPerConnection : perHost, takesSharedPlaces: !isMultiplexed,
      of: destination.place)
  }
}

extension TransferFailure {
  static let unusableProxy = TransferFailure(
    .proxyRefused,
    message:
      "The proxy that the environment names cannot be used. Check http_proxy, https_proxy and all_proxy.")
}
