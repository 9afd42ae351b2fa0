import Foundation
import Glibc
import HTTPService
import KennelCore
import TerminalProgram

/// How a kennel is served, as the settings have it.
struct ServerSettings: Sendable {
  var server: HTTPServerConfiguration
  var site: KennelSite.Configuration
  var grace: Duration
  var logsRequests: Bool
  /// Where the certificate comes from; who listens reads it.
  var certificate: CertificateFiles?
  /// Whether the port was asked for.
  var hasOwnPort: Bool

  static let usualPort = 8080

  init(_ settings: Settings) throws {
    let address = settings.text("address") ?? "127.0.0.1"
    let port = try settings.integer("port", in: 0...65535)
    hasOwnPort = port != nil
    let number = UInt16(clamping: port ?? Self.usualPort)
    server = HTTPServerConfiguration(address: .ip(address, port: number))
    if let path = settings.value("unix-socket") {
      if let other = settings.value("port") ?? settings.value("address") {
        throw UsageError("\(path.source) and \(other.source) cannot both be: listen on a socket or on a port")
      }
      server.address = .unixSocket(path: path.text)
    }
    certificate = try CertificateFiles(settings)
    server.limits.bodySize = KennelSite.bodySizeLimit
    if let count = try settings.integer("max-connections", in: 1...1_000_000) {
      server.limits.connections = count
    }
    if let count = try settings.integer("max-connections-per-address", in: 1...1_000_000) {
      server.limits.connectionsPerAddress = count
    }
    site = KennelSite.Configuration()
    if let title = settings.text("title") { site.title = title }
    if let size = try settings.byteCount("thumbnail-cache") { site.thumbnailCacheSize = size }
    site.isBehindTLS = try settings.flag("behind-tls")
    site.trustedProxies = try Set(settings.values("trusted-proxy").map(Self.proxy))
    for name in settings.values("name") {
      guard site.hosts.allow(name.text) else {
        throw UsageError(
          "\(name.source) is the name of a host such as dogs.example, without a port, not “\(name.text)”")
      }
    }
    grace = try settings.seconds("grace") ?? .seconds(10)
    logsRequests = try settings.flag("log")
  }

  /// As requests have it: an address that is spelled in another way would never be met.
  private static func proxy(_ value: Settings.Value) throws(UsageError) -> String {
    if value.text == "unix" { return value.text }
    guard let address = Self.canonicalAddress(value.text) else {
      throw UsageError("\(value.source) is an address in digits, or unix, not “\(value.text)”")
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
