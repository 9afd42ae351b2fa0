import CLinux
import COwnTransport
import Glibc

/// What connections need of the client that they belong to, and of its loop.
protocol ConnectionHost: AnyObject {
  var now: Monotonic { get }
  func opened(_ socket: Int32)
  func closed(_ socket: Int32)
  func want(_ events: UInt32, on socket: Int32)
  /// Whether the last look at all sockets would have shown input on this one.
  func hasSeenNoInput(on socket: Int32) -> Bool
  /// Asks for a call of ``ConnectionPools/finishRound()`` in this round of the loop.
  func touch()
  /// Asks for a call of ``ConnectionPools/readRest()`` in the next round of the loop, after everything else had a turn.
  func readInNextRound()
  func setTimer(of connection: Connection, due: Monotonic?)
  /// Makes a TLS context (`SSL_CTX *`); nil if there is no memory.
  func makeContext() -> UnsafeMutableRawPointer?
}

/// The connections of one client over the transport of our own: epoll, OpenSSL, nghttp2, and a reader of HTTP/1.1.
///
/// `@unchecked Sendable`: only the holder of the loop's lock uses it.
final class ConnectionPools: @unchecked Sendable {
  struct Settings {
    var userAgent = ""
    /// Whether the certificates of servers are verified.
    var verifies = true
    var maximumIdleConnections = 1024
    var connectionsPerHost = 6
    /// How long a TLS handshake may take.
    var handshakeLimit: Duration
    var addressRefusal: (@Sendable (_ address: UnsafeRawPointer, _ length: Int, _ url: String) -> String?)?
  }

  /// How a request may be sent.
  struct Offer {
    /// Whether TLS negotiates HTTP/2.
    var http2: Bool
    /// Whether HTTP/2 is spoken from the first byte.
    var isPriorKnowledge: Bool
    /// Whether to wait for a connection that is being opened, which the request may share.
    var waitsToShare: Bool
  }

  unowned let host: any ConnectionHost
  let settings: Settings
  /// The buffers for received bytes, for heads and frames, and for pieces of bodies, which are used for one event at a
  /// time.
  let input: UnsafeMutableRawBufferPointer
  var output: [UInt8] = []
  let body: UnsafeMutableRawBufferPointer

  /// The connections by their sockets.
  private var connections: [Connection?] = []
  private var unflushed: [Connection] = []
  private var unread: [Connection] = []
  private var idleCount = 0
  private var lastPruning: Monotonic?
  private var isClosed = false
  private var knownContext: UnsafeMutableRawPointer?

  private static let inputBytes = 256 << 10
  private static let bodyBytes = 64 << 10
  /// Idle connections are not used again after this time, like those of libcurl.
  static let maximumIdleTime = Duration.seconds(118)

  init(host: any ConnectionHost, settings: Settings) {
    self.host = host
    self.settings = settings
    input = .allocate(byteCount: Self.inputBytes, alignment: 64)
    body = .allocate(byteCount: Self.bodyBytes, alignment: 64)
  }

  deinit {
    input.deallocate()
    body.deallocate()
    own_tls_free_context(knownContext)
  }

  /// Whether the libraries are loaded that the transport needs.
  static let isAvailable = own_tls_is_available() && own_http2_is_available()

  /// The TLS settings of all connections.
  var context: UnsafeMutableRawPointer? {
    if knownContext == nil { knownContext = host.makeContext() }
    return knownContext
  }

  // MARK: Placing requests

  /// Gives a request a connection, or makes it wait for one.
  func place(_ exchange: any Exchange, in pool: ConnectionPool, _ offer: Offer, fresh: Bool) {
    guard !isClosed else { return exchange.ended(.cancelled) }
    let trustsLook = TransferRequest.isIdempotent(exchange.request.method)
    if !fresh {
      while offer.http2 || offer.isPriorKnowledge, let connection = pool.sharedWithRoom() {
        if connection.isIdle, connection.isTooOld || connection.isStale(trustsLook: trustsLook) {
          connection.close()
        } else {
          connection.carry(exchange)
          return flushLater(connection)
        }
      }
      while !offer.isPriorKnowledge, let connection = pool.takeIdle() {
        if connection.isTooOld || connection.isStale(trustsLook: trustsLook) {
          connection.close()
        } else {
          return connection.carry(exchange)
        }
      }
    }
    if offer.waitsToShare,
      let connection = pool.opening.first(where: { !$0.isRetired && $0.hasRoomToWait })
    {
      return connection.add(exchange)
    }
    // nghttp2 keeps a request until the server allows another stream.
    if !fresh, offer.http2 || offer.isPriorKnowledge,
      let connection = pool.sharedAtLimit(max(1, settings.connectionsPerHost))
    {
      connection.carry(exchange)
      return flushLater(connection)
    }
    prune()
    let connection = Connection(
      pool: pool, pools: self, offersHTTP2: offer.http2, isPriorKnowledge: offer.isPriorKnowledge)
    pool.opening.append(connection)
    connection.add(exchange)
    connection.connectNext()
  }

  /// Keeps a connection for later requests.
  func keepIdle(_ connection: Connection) {
    guard !connection.isIdle else { return }
    if idleCount >= settings.maximumIdleConnections { closeOldest() }
    connection.isIdle = true
    connection.idleSince = host.now
    if connection.http2 == nil { connection.pool.addIdle(connection) }
    idleCount += 1
  }

  /// Closes an eighth of the idle connections, those that were not used for the longest time.
  private func closeOldest() {
    let idle = connections.compactMap { $0 }.filter(\.isIdle).sorted { $0.idleSince < $1.idleSince }
    for connection in idle.prefix(max(1, idle.count / 8)) { connection.close() }
  }

  /// Closes the connections that are too old to be used again, at most once a second.
  private func prune() {
    if let lastPruning, host.now < lastPruning + .seconds(1) { return }
    lastPruning = host.now
    for connection in connections.compactMap({ $0 }) where connection.isIdle && connection.isTooOld {
      connection.close()
    }
  }

  /// Makes a connection send the frames of all requests of this round together.
  func flushLater(_ connection: Connection) {
    // Nothing else is coming: the request of a single caller is sent immediately.
    if connection.http2?.count == 1 { return connection.flush() }
    flushInThisRound(connection)
  }

  /// Makes a connection send when the requests of this round were placed.
  private func flushInThisRound(_ connection: Connection) {
    guard !connection.isListedForFlush else { return }
    connection.isListedForFlush = true
    unflushed.append(connection)
    host.touch()
  }

  /// Makes a connection with more than its share to read or to send continue after others had their turn.
  func continueLater(_ connection: Connection) {
    unread.append(connection)
    host.readInNextRound()
  }

  // MARK: Called by connections

  func opened(_ socket: Int32, by connection: Connection) {
    while connections.count <= Int(socket) { connections.append(nil) }
    connections[Int(socket)] = connection
    host.opened(socket)
  }

  func closes(_ socket: Int32) {
    host.closed(socket)
    if Int(socket) < connections.count { connections[Int(socket)] = nil }
    Glibc.close(socket)
  }

  func forgetIdle(_ connection: Connection) {
    guard connection.isIdle else { return }
    connection.isIdle = false
    idleCount -= 1
  }

  // MARK: Called by the client

  /// Acts on a socket that is ready. False if it is not one of these connections.
  func act(on socket: Int32, events: UInt32) -> Bool {
    guard Int(socket) < connections.count, let connection = connections[Int(socket)] else { return false }
    connection.act(events, on: socket)
    host.touch()
    return true
  }

  /// Reads and sends what is left of connections that had more than their share.
  func readRest() {
    guard !unread.isEmpty else { return }
    let connections = unread
    unread = []
    for connection in connections {
      connection.readable()
      connection.flush()
    }
  }

  /// Sends the requests of this round.
  func finishRound() {
    guard !unflushed.isEmpty else { return }
    let connections = unflushed
    unflushed.removeAll(keepingCapacity: true)
    for connection in connections {
      connection.isListedForFlush = false
      connection.flush()
    }
  }

  /// Makes later requests use new connections.
  func retire() {
    for connection in connections.compactMap({ $0 }) {
      connection.isRetired = true
      if connection.isUnused { connection.close() }
    }
  }

  func close() {
    isClosed = true
    for connection in connections.compactMap({ $0 }) { connection.close() }
    unread = []
    unflushed = []
  }
}
