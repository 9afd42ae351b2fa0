import COwnTransport
import Glibc

/// The connections to one server.
///
/// `@unchecked Sendable`: only the holder of its loop's lock uses it.
final class Pool: @unchecked Sendable {
  /// A socket address as bytes.
  struct Address {
    let family: sa_family_t
    let bytes: [UInt8]
  }

  let destination: Destination
  private let verifies: Bool
  var addresses: [Address] = []
  var opening: [Connection] = []
  /// HTTP/1 connections without a request; the one used last comes last.
  var idle: [Connection] = []
  /// HTTP/2 connections.
  var shared: [Connection] = []
  /// The last TLS session, which makes the next handshake shorter.
  private var session: OpaquePointer?
  /// The fields that all requests to the server have in common, with the value that they were made for.
  var fieldBlock: (headers: [TransferHeader], encodings: String?, bytes: [UInt8])?

  init(_ destination: Destination, verifies: Bool) {
    self.destination = destination
    self.verifies = verifies
  }

  deinit { SSL_SESSION_free(session) }

  func forget(_ connection: Connection) {
    opening.removeAll { $0 === connection }
    idle.removeAll { $0 === connection }
    shared.removeAll { $0 === connection }
  }

  func retire() {
    for connection in opening + shared { connection.isRetired = true }
    for connection in idle { connection.close() }
    shared = shared.filter { connection in
      guard connection.http2?.isEmpty == true else { return true }
      connection.close()
      return false
    }
  }

  func makeTLS(_ context: OpaquePointer, _ socket: Int32, offersHTTP2: Bool) -> OpaquePointer? {
    let protocols = Array((offersHTTP2 ? "\u{2}h2\u{8}http/1.1" : "\u{8}http/1.1").utf8)
    let host = destination.address.host
    let isAddress = destination.address.isIPv6Literal || Self.address(host, port: 0) != nil
    let tls = own_transport_connection(
      context, socket, host, isAddress ? 1 : 0, verifies ? 1 : 0, protocols, UInt32(protocols.count))
    if let tls, let session {
      SSL_set_session(tls, session)
      // A ticket of TLS 1.3 is for one connection.
      SSL_SESSION_free(session)
      self.session = nil
    }
    return tls
  }

  /// Keeps the session of a connection for the next one.
  func keepSession(of connection: Connection) {
    guard session == nil, let tls = connection.tlsConnection.map({ OpaquePointer($0) }) else { return }
    guard let known = SSL_get1_session(tls) else { return }
    if SSL_SESSION_is_resumable(known) == 1 { session = known } else { SSL_SESSION_free(known) }
  }

  // MARK: Addresses

  /// Takes over addresses that were looked up, or those that need no look-up.
  func learnAddresses() {
    let server = destination.address
    if let line = destination.resolveLines.first {
      let list = line.dropFirst(server.host.count + 1).drop { $0 != ":" }.dropFirst()
      addresses = list.split(separator: ",").compactMap { Self.address(String($0), port: server.port) }
      destination.addressesAreKnown()
    }
    guard addresses.isEmpty else { return }
    let hosts = Self.address(server.host, port: 0) == nil ? ["127.0.0.1", "::1"] : [server.host]
    addresses = hosts.compactMap { Self.address($0, port: server.port) }
  }

  private static func address(_ text: String, port: UInt16) -> Address? {
    let text = text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
    var v4 = sockaddr_in()
    if inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = port.bigEndian
      return Address(family: v4.sin_family, bytes: withUnsafeBytes(of: v4) { Array($0) })
    }
    var v6 = sockaddr_in6()
    guard inet_pton(AF_INET6, text, &v6.sin6_addr) == 1 else { return nil }
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = port.bigEndian
    return Address(family: v6.sin6_family, bytes: withUnsafeBytes(of: v6) { Array($0) })
  }

  static func unixAddress(_ path: String) -> Address? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return Address(family: address.sun_family, bytes: withUnsafeBytes(of: address) { Array($0) })
  }
}
