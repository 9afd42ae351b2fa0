import Foundation
import Glibc
import HTTPService
import KennelModel
import KennelWeb
import TerminalProgram

/// The settings of the server.
struct ServerSettings: Sendable {
  var server: HTTPServerConfiguration
  var site: KennelSite.Configuration
  var grace: Duration
  var logsRequests: Bool
  /// The files of the certificate. ``KennelListener`` reads them.
  var certificate: CertificateFiles?
  /// The host names of the server, without patterns.
  var names: [String]
  /// Whether the port was set explicitly.
  var hasExplicitPort: Bool

  static let defaultPort = 8080

  init(_ settings: Settings) throws {
    let address = settings.text("address") ?? "127.0.0.1"
    let port = try settings.integer("port", in: 0...65535)
    hasExplicitPort = port != nil
    let number = UInt16(clamping: port ?? Self.defaultPort)
    server = HTTPServerConfiguration(address: .ip(address, port: number))
    if let path = settings.value("unix-socket") {
      if let other = settings.value("port") ?? settings.value("address") {
        throw path.error("cannot be used together with \(other.mention). Use a socket or a port.")
      }
      server.address = .unixSocket(path: path.text)
    }
    certificate = try CertificateFiles(settings)
    server.limits.maximumBodySize = KennelSite.maximumBodySize(video: try settings.byteCount("max-video"))
    if let count = try settings.integer("max-connections", in: 1...1_000_000) {
      server.limits.maximumConnections = count
    }
    if let count = try settings.integer("max-connections-per-address", in: 1...1_000_000) {
      server.limits.maximumConnectionsPerAddress = count
    }
    site = KennelSite.Configuration()
    if let title = settings.text("title") { site.title = title }
    if let language = settings.value("language") {
      guard let known = Language(rawValue: language.text) else {
        let all = Language.allCases.map(\.rawValue).joined(separator: " or ")
        throw language.error("must be \(all), not “\(language.text)”.")
      }
      site.language = known
    }
    if let size = try settings.byteCount("thumbnail-cache") { site.thumbnailCacheSize = size }
    site.isOpenToEveryone = try settings.flag("public")
    site.hasServiceWorker = try !settings.flag("no-worker")
    site.ignoresAuthorization = try settings.flag("ignore-authorization")
    site.isBehindTLS = try settings.flag("behind-tls")
    site.trustedProxies = try Set(settings.values("trusted-proxy").map(Self.proxy))
    if let field = settings.value("trusted-user-header") {
      site.trustedUserField = try Self.fieldName(field, proxies: site.trustedProxies)
    }
    names = settings.values("name").map(\.text).filter { !$0.hasPrefix(".") && $0 != "*" }
    for name in settings.values("name") {
      guard site.hosts.allow(name.text) else {
        throw name.error(
          "must be a host name such as dogs.example, without a port, not “\(name.text)”.")
      }
    }
    grace = try settings.seconds("grace") ?? .seconds(10)
    logsRequests = try settings.flag("log")
  }

  private static func fieldName(
    _ value: Settings.Value, proxies: Set<String>
  ) throws(UsageError) -> String {
    guard !value.text.isEmpty, value.text.utf8.allSatisfy({ $0.isFieldCharacter }) else {
      throw value.error("must be the name of a header field such as Remote-User, not “\(value.text)”.")
    }
    guard !proxies.isEmpty else {
      throw value.error("needs \(value.name(of: "trusted-proxy")): only such a proxy may name users.")
    }
    return value.text
  }

  /// Returns the address in the spelling of ``HTTPRequest/remoteAddress``, so that the two can be compared.
  private static func proxy(_ value: Settings.Value) throws(UsageError) -> String {
    if value.text == "unix" { return value.text }
    guard let address = Self.canonicalAddress(value.text) else {
      throw value.error("must be an IP address or unix, not “\(value.text)”.")
    }
    return address
  }

  private static func canonicalAddress(_ text: String) -> String? {
    var bytes = in6_addr()
    var result = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    for family in [AF_INET, AF_INET6] where inet_pton(family, text, &bytes) == 1 {
      guard inet_ntop(family, &bytes, &result, socklen_t(result.count)) != nil else { return nil }
      return String(decoding: result.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return nil
  }
}

extension UInt8 {
  /// Whether the byte is a letter, a digit, a hyphen or an underscore.
  fileprivate var isFieldCharacter: Bool {
    (self | 0x20) &- 0x61 < 26 || self &- 0x30 < 10 || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
  }
}
