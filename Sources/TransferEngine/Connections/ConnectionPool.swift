import COwnTransport
import Glibc

/// The connections to one server.
///
/// `@unchecked Sendable`: only the holder of its loop's lock uses it.
final class ConnectionPool: @unchecked Sendable {
  /// What the pool knows of its server, and whom it informs about it.
  struct Server {
    let address: ServerAddress
    /// The numbers that its name stands for at this time.
    let addresses: () -> [String]
    /// A connection has shown which protocol the server speaks.
    let spoke: (_ isHTTP2: Bool) -> Void
    /// The server refused a request because it was sent over HTTP/2.
    let refusedHTTP2: () -> Void
    /// None of the addresses could be connected to.
    let wasUnreachable: () -> Void
  }

  let server: Server
  private var lastAddresses: [String] = []
  var opening: [Connection] = []
  /// HTTP/1 connections without a request; the one used last comes last.
  private(set) var idle: [Connection] = []
  /// HTTP/2 connections.
  var shared: [Connection] = []
  /// The last TLS session, which makes the next handshake shorter.
  private var session: UnsafeMutableRawPointer?
  /// The fields that all requests to the server have in common, with the values that they were made for.
  private var fieldBlock: (headers: [TransferHeader], encodings: String?, bytes: [UInt8])?

  init(_ server: Server) { self.server = server }

  deinit { own_tls_free_session(session) }

  var socketAddresses: [SocketAddress] {
    let address = server.address
    if let number = SocketAddress(address.host, port: address.port) { return [number] }
    if address.needsNoLookup {
      return ["127.0.0.1", "::1"].compactMap { SocketAddress($0, port: address.port) }
    }
    // While a name is looked up again, its former addresses are used.
    let current = server.addresses()
    if !current.isEmpty { lastAddresses = current }
    let known = lastAddresses
    return SocketAddress.alternating(known.compactMap { SocketAddress($0, port: address.port) })
  }

  // MARK: Connections

  func addIdle(_ connection: Connection) { idle.append(connection) }

  func takeIdle() -> Connection? { idle.popLast() }

  func forget(_ connection: Connection) {
    opening.removeAll { $0 === connection }
    idle.removeAll { $0 === connection }
    shared.removeAll { $0 === connection }
  }

  /// Closes the connections that no request uses.
  func closeUnused() {
    for connection in idle + shared where connection.isUnused { connection.close() }
  }

  /// The shared connection with the fewest requests, if there are as many connections as there may be.
  func sharedAtLimit(_ limit: Int) -> Connection? {
    let usable = shared.filter { !$0.isRetired && $0.http2?.isDraining == false }
    guard opening.count + usable.count >= limit else { return nil }
    return usable.min { $0.http2?.count ?? 0 < $1.http2?.count ?? 0 }
  }

  /// A shared connection with room for one more stream.
  func sharedWithRoom() -> Connection? {
    shared.first { !$0.isRetired && $0.http2?.hasRoom == true }
  }

  // MARK: Requests

  /// Appends the fields of a request. Most requests of a session to a server have the same ones, which are kept.
  func appendFields(
    of request: TransferRequest, userAgent: String, to output: inout [UInt8]
  ) throws(TransferFailure) {
    if let fieldBlock, fieldBlock.encodings == request.acceptedEncodings,
      fieldBlock.headers == request.headers
    {
      output += fieldBlock.bytes
      return
    }
    let start = output.count
    for field in try request.fields(for: server.address, userAgent: userAgent) {
      output += field.name.utf8
      output.append(UInt8(ascii: ":"))
      if !field.value.isEmpty { output.append(UInt8(ascii: " ")) }
      output += field.value.utf8
      output.append(13)
      output.append(10)
    }
    fieldBlock = (request.headers, request.acceptedEncodings, Array(output[start...]))
  }

  // MARK: TLS

  func makeTLS(
    in context: UnsafeMutableRawPointer, over socket: Int32, offersHTTP2: Bool, verifies: Bool
  ) -> UnsafeMutableRawPointer? {
    let protocols = Array((offersHTTP2 ? "\u{2}h2\u{8}http/1.1" : "\u{8}http/1.1").utf8)
    let host = server.address.host
    let isAddress = SocketAddress(host, port: 0) != nil
    // A dot at the end belongs to the name, but neither to certificates nor to the handshake.
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    guard
      let tls = own_tls_make(context, socket, name, isAddress, verifies, protocols, UInt32(protocols.count))
    else { return nil }
    if let session {
      own_tls_use_session(tls, session)
      // A ticket of TLS 1.3 is for one connection.
      own_tls_free_session(session)
      self.session = nil
    }
    return tls
  }

  /// Keeps the session of a connection for the next one.
  func keepSession(of tls: UnsafeMutableRawPointer) {
    if session == nil { session = own_tls_take_session(tls) }
  }
}
