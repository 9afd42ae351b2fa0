import Foundation
import HTTPService
import KennelCore
import TerminalProgram

/// How a kennel is served, as the settings have it.
struct ServerSettings: Sendable {
  var server: HTTPServerConfiguration
  var site: KennelSite.Configuration
  var grace: Duration
  var logsRequests: Bool
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
    server.tls = try Self.certificate(settings)
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
    site.trustedProxies = Set(settings.values("trusted-proxy").map(\.text))
    grace = try settings.seconds("grace") ?? .seconds(10)
    logsRequests = try settings.flag("log")
  }

  private static func certificate(_ settings: Settings) throws -> HTTPServerConfiguration.TLS? {
    switch (settings.value("tls-certificate"), settings.value("tls-key")) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return HTTPServerConfiguration.TLS(
        certificateChain: try read(certificate), privateKey: try read(key))
    case (let one?, nil): throw UsageError("\(one.source) needs tls-key too")
    case (nil, let one?): throw UsageError("\(one.source) needs tls-certificate too")
    }
  }

  private static func read(_ value: Settings.Value) throws -> String {
    do {
      return try String(contentsOfFile: value.text, encoding: .utf8)
    } catch {
      throw Failure(
        .fileSystem, "\(value.source): \(value.text) cannot be read: \(Failure(general: error).message)")
    }
  }
}
