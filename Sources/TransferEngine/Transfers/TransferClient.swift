import HTTPSyntax
import Synchronization

/// Options for all transfers of one client, and so for its connections.
package struct TransferClientOptions: Sendable {
  package enum Trust: Sendable, Hashable {
    case system
    /// A file of PEM certificates.
    case file(path: String)
    case pem([UInt8])
    /// Accepts any certificate for any name. For diagnosis only.
    case anything
  }

  package enum TLSVersion: Int, Sendable, Hashable, Comparable {
    case v10 = 0
    case v11, v12, v13
    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
  }

  package var connectionsPerHost = 6
  package var trust = Trust.system
  package var minimumTLS = TLSVersion.v12
  package var maximumTLS = TLSVersion.v13
  package var userAgent = ""
  /// Whether observers are asked about servers and for client certificates. Only OpenSSL supports this, and only if
  /// certificates are verified at all.
  package var asksAboutServers = false
  package var pinnedServers: [PinnedServer] = []
  /// Returns the key for a host and port. Loads of other servers present none.
  package var clientKey: (@Sendable (_ host: String, _ port: UInt16) -> ClientKey?)?
  package var unixSocketPath: String?
  /// Whether requests may use HTTP/3, if libcurl supports it.
  package var usesHTTP3 = false
  /// Whether the transport of our own carries the requests that it can, instead of libcurl.
  package var usesOwnTransport = false
  /// Whether idle connections of HTTP/3 are used again. Tests change it, because they cannot wait until one is too old.
  package var reusesHTTP3Connections = true
  /// Called with each address, and the URL it is for, before the engine connects to it. Returns a sentence to reject
  /// the address.
  package var addressRefusal:
    (@Sendable (_ address: UnsafeRawPointer, _ length: Int, _ url: String) -> String?)?

  package init() {}

  /// The proxies; the default is those in the environment when the options were created.
  package var proxies = ProxySelection.environment()
  /// How long loads wait for streams before there are more connections to their server. Tests change it.
  var growthPeriod = ConnectionGrowth.defaultPeriod
  /// How long a TLS handshake of the transport of our own may take.
  var handshakeLimit = Duration.seconds(300)
  /// The name service that looks up host names.
  var names = NameService.shared

  /// With an address policy no proxy is used, because a proxy would bypass the policy.
  package var usesProxies: Bool { addressRefusal == nil && unixSocketPath == nil && !proxies.isEmpty }
}

extension TransferClientOptions {
  /// Returns the proxy that transfers of this URL use; nil for none, or if the proxy is unusable.
  package func proxy(for url: String) -> ProxyAddress? {
    guard usesProxies, let (host, port, scheme) = Curl.host(of: url) else { return nil }
    let isLiteral = host.hasPrefix("[")
    var server = ServerAddress(
      isSecure: scheme == "https",
      host: ASCII.lowercased(isLiteral ? String(host.dropFirst().dropLast()) : host), port: port)
    server.isIPv6Literal = isLiteral
    return (try? proxies.proxy(for: server)) ?? nil
  }
}

/// Transfers that share connections, name look-ups and TLS sessions: one curl multi handle, bound to one loop.
///
/// The client is thread-safe. Releasing the last reference closes its connections. Transfers hold their client, so this
/// never interrupts a transfer.
package final class TransferClient: Sendable {
  private let core: ClientCore

  /// Throws if the system has no thread, descriptor or memory left.
  package init(options: TransferClientOptions = .init()) throws(TransferFailure) {
    guard let loop = EventLoopGroup.next() else {
      throw TransferFailure(
        .outOfMemory,
        message: "Could not start a transfer loop: the system has no thread or descriptor left.")
    }
    do {
      core = try ClientCore(loop: loop, options: options)
    } catch {
      throw TransferFailure(
        .outOfMemory, curl: error.code, message: "Could not initialize libcurl: \(error.message).")
    }
  }

  deinit { close() }

  /// Closes the connections after all requested ends of transfers. No other transfer may be running or be started.
  package func close() { core.loop.post(.close(core)) }

  /// Makes transfers that start after this call use new connections. Running transfers keep theirs.
  package func retireConnections() { core.wantsNewConnections.store(true, ordering: .releasing) }

  /// Creates a transfer. The observer receives its events after it is started.
  package func makeTransfer(_ request: TransferRequest, observer: any TransferObserver) -> Transfer {
    Transfer(request: request, observer: observer, client: self, core: core)
  }

  /// The version of the linked libcurl, as libcurl reports it.
  package static var libraryVersion: String { Curl.version }

  /// Whether the linked libcurl has a usable HTTP/3.
  package static var supportsHTTP3: Bool { Curl.hasHTTP3 }
}
