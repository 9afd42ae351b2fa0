#if !canImport(Darwin)
import Foundation
import TransferEngine

/// The configuration in the form that a session uses: copied, validated and converted for the engine once.
///
/// This is a class because every task uses it: passing it costs one reference count instead of one for each property.
final class SessionSettings: Sendable {
  let configuration: URLSessionConfiguration
  let cookieStorage: HTTPCookieStorage?
  let cookieAcceptPolicy: HTTPCookie.AcceptPolicy
  let sendsCookies: Bool
  let credentialStorage: URLCredentialStorage?
  let cache: URLCache?
  /// Whether the methods of the cache may be overridden, so that its storage must not be used directly.
  let cacheIsSubclass: Bool
  let cachePolicy: URLRequest.CachePolicy
  /// Sorted by name, so that the same configuration always sends the same bytes.
  let additionalHeaders: [TransferHeader]
  let addressPolicy: AddressPolicy?
  let requestTimeout: TimeInterval
  let resourceTimeout: Duration?
  let maximumBufferedBodySize: Int64?
  /// The program's protocol classes. Those of the library need no question.
  let protocolClasses: [URLProtocol.Type]
  let compressesWebSocketMessages: Bool
  let asksDelegatesAboutServers: Bool
  let clientOptions: TransferClientOptions
  let wallClock: WallClock
  let waitsForConnectivity: Bool
  let networks: NetworkSource
  /// Whether any URL may be loaded through a proxy.
  let usesProxies: Bool

  init(_ original: URLSessionConfiguration) {
    let configuration = original.snapshot
    self.configuration = configuration
    cookieStorage = configuration.httpCookieStorage
    cookieAcceptPolicy = configuration.httpCookieAcceptPolicy
    sendsCookies = configuration.httpShouldSetCookies
    credentialStorage = configuration.urlCredentialStorage
    cache = configuration.urlCache
    cacheIsSubclass = configuration.urlCache.map { type(of: $0) != URLCache.self } ?? false
    cachePolicy = configuration.requestCachePolicy
    additionalHeaders = (configuration.httpAdditionalHeaders ?? [:])
      .map { TransferHeader("\($0.key)", "\($0.value)") }
      .sorted { $0.name < $1.name }
    addressPolicy = configuration.addressPolicy.isUnrestricted ? nil : configuration.addressPolicy
    requestTimeout = configuration.timeoutIntervalForRequest
    resourceTimeout = Duration(seconds: configuration.timeoutIntervalForResource)
    maximumBufferedBodySize = configuration.maximumBufferedBodySize
    protocolClasses = (configuration.protocolClasses ?? []).compactMap { candidate in
      guard let candidate = candidate as? URLProtocol.Type else { return nil }
      return BuiltInProtocols.all.contains { $0 == candidate } ? nil : candidate
    }
    compressesWebSocketMessages = configuration.compressesWebSocketMessages
    asksDelegatesAboutServers = configuration.asksDelegatesAboutServers
    clientOptions = Self.clientOptions(configuration)
    wallClock = configuration.wallClock
    // As on Apple's platforms, background sessions always wait.
    waitsForConnectivity = configuration.waitsForConnectivity || configuration.identifier != nil
    networks = configuration.networks
    usesProxies = clientOptions.usesProxies
  }

  /// The tasks on disk; nil if this is not a background session.
  var backgroundStore: BackgroundStore? {
    configuration.identifier.map { identifier in
      let directory = configuration.backgroundDirectory?.path ?? BackgroundStore.programDirectory
      return BackgroundStore(identifier: identifier, directory: directory)
    }
  }

  private static func clientOptions(_ configuration: URLSessionConfiguration) -> TransferClientOptions {
    var options = TransferClientOptions()
    options.connectionsPerHost = min(max(1, configuration.httpMaximumConnectionsPerHost), 65_535)
    options.userAgent = userAgent
    options.unixSocketPath = configuration.unixSocketPath
    options.usesHTTP3 = configuration.usesHTTP3
    options.usesOwnTransport = configuration.transport == .own
    options.reusesHTTP3Connections = configuration.reusesHTTP3Connections
    options.minimumTLS = engineVersion(configuration.tlsMinimumSupportedProtocolVersion)
    options.maximumTLS = engineVersion(configuration.tlsMaximumSupportedProtocolVersion)
    options.trust =
      switch configuration.trustedCertificates {
      case .system: .system
      case .file(let url): .file(path: url.path)
      case .pem(let data): .pem([UInt8](data))
      case .unverified: .anything
      }
    options.pinnedServers = configuration.pinnedHosts.map(\.engineValue)
    let identities = ClientIdentityRule(configuration.clientIdentities)
    if !identities.isEmpty { options.clientKey = { identities.key(forHost: $0, port: Int($1)) } }
    if let proxies = configuration.connectionProxyDictionary {
      options.proxies = ProxySelection(ProxySettings(connectionProxyDictionary: proxies))
    }
    let policy = configuration.addressPolicy
    if !policy.isUnrestricted {
      options.addressRefusal = { address, length, url in
        let origin = URL(string: url).flatMap(Origin.init)
        return policy.refusal(sockaddr: address, length: length, host: origin?.host, port: origin?.port)
      }
    }
    return options
  }

  private static func engineVersion(_ version: tls_protocol_version_t) -> TransferClientOptions.TLSVersion {
    switch version {
    case .TLSv10: .v10
    case .TLSv11: .v11
    case .TLSv12: .v12
    // Datagram versions have no meaning for HTTP.
    case .TLSv13, .DTLSv10, .DTLSv12: .v13
    }
  }

  private static let userAgent: String = {
    let program = ProcessInfo.processInfo.processName.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return "\(program.isEmpty ? "Swift" : program) Retriever/\(URLSession.libraryVersion)"
  }()
}

extension Duration {
  /// Converts seconds as in Apple's API; nil if the interval is too long to be a time-out.
  init?(seconds: TimeInterval) {
    guard !(seconds >= 1_000_000_000) else { return nil }
    // Not-a-number and negative intervals count as zero.
    self = seconds > 0 ? .seconds(seconds) : .zero
  }
}
#endif
