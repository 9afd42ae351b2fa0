import COwnTransport
import CLinux
import Glibc
import Synchronization

/// The part of a client that belongs to the loop: the connections, and the transfers that wait for them.
///
/// `@unchecked Sendable`: `loop` and `options` are immutable; only the holder of the loop's lock uses everything else.
final class ClientCore: DeadlineOwner, @unchecked Sendable {
  let loop: EventLoop
  let options: TransferClientOptions
  let wantsNewConnections = Atomic<Bool>(false)
  var scheduler: LoadScheduler
  var trust: TrustState

  // State that the loop keeps for this core.
  var timerDue: Monotonic?
  var deadlineIndex = -1
  var isInDueList = false
  var isTouched = false
  var pace = ResponsePace()

  private var pools: [ObjectIdentifier: Pool] = [:]
  private var lastPool: Pool?
  /// The connections by their sockets.
  private var connections: [Connection?] = []
  private var unflushed: [Connection] = []
  private var unread: [Connection] = []
  private var isClosed = false
  /// The buffer for received bytes, and the one for requests. They are used for one event at a time.
  let input: UnsafeMutableRawBufferPointer
  var output: [UInt8] = []
  private var knownContext: OpaquePointer?

  static let inputBytes = 256 << 10

  init(loop: EventLoop, options: TransferClientOptions) throws(CurlError) {
    self.loop = loop
    self.options = options
    scheduler = LoadScheduler(options: options)
    trust = TrustState(options.trust)
    input = .allocate(byteCount: Self.inputBytes, alignment: 64)
  }

  deinit {
    input.deallocate()
    SSL_CTX_free(knownContext)
  }

  /// The TLS settings of all connections.
  var context: OpaquePointer? {
    if let knownContext { return knownContext }
    let versions: [Int32] = [0x0301, 0x0302, 0x0303, 0x0304]
    guard
      let context = own_transport_context(
        versions[options.minimumTLS.rawValue], versions[options.maximumTLS.rawValue])
    else { return nil }
    if case .anything = options.trust {
      SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
    } else if let store = trust.store {
      store.apply(to: UnsafeMutableRawPointer(context))
    } else {
      SSL_CTX_set_default_verify_paths(context)
      TrustStore.applyVerification(to: UnsafeMutableRawPointer(context))
    }
    knownContext = context
    return context
  }

  // MARK: Placing requests

  private func pool(for destination: Destination) -> Pool {
    if let lastPool, lastPool.destination === destination { return lastPool }
    let key = ObjectIdentifier(destination)
    let pool = pools[key] ?? Pool(destination, verifies: options.trust != .anything)
    pools[key] = pool
    lastPool = pool
    return pool
  }

  /// Gives a transfer a connection, or makes it wait for one.
  func place(_ transfer: Transfer, fresh: Bool) {
    guard let destination = transfer.destination else { return }
    if wantsNewConnections.load(ordering: .acquiring) {
      wantsNewConnections.store(false, ordering: .relaxed)
      for pool in pools.values { pool.retire() }
    }
    let pool = pool(for: destination)
    let isPriorKnowledge = transfer.request.httpVersion == .http2PriorKnowledge
    let offersHTTP2 =
      transfer.request.httpVersion == .automatic && destination.address.isSecure
      && !destination.requiresHTTP11
    if !fresh {
      if offersHTTP2 || isPriorKnowledge,
        let connection = pool.shared.first(where: { !$0.isRetired && $0.http2?.hasRoom == true }),
        connection.http2?.isEmpty == false || !connection.isStale()
      {
        connection.carry(transfer)
        return flushLater(connection)
      }
      while let connection = pool.idle.popLast() {
        if connection.isStale() {
          connection.close()
        } else {
          return connection.carry(transfer)
        }
      }
      if offersHTTP2 && destination.isMultiplexed != false || isPriorKnowledge,
        let connection = pool.opening.first(where: { !$0.isRetired })
      {
        connection.waiting.append(transfer)
        return
      }
    }
    open(pool, transfer, offersHTTP2: offersHTTP2, isPriorKnowledge: isPriorKnowledge)
  }

  private func open(_ pool: Pool, _ transfer: Transfer, offersHTTP2: Bool, isPriorKnowledge: Bool) {
    if let path = options.unixSocketPath {
      pool.addresses = Pool.unixAddress(path).map { [$0] } ?? []
    } else if pool.addresses.isEmpty || !pool.destination.resolveLines.isEmpty {
      pool.learnAddresses()
    }
    let connection = Connection(
      pool: pool, core: self, offersHTTP2: offersHTTP2, isPriorKnowledge: isPriorKnowledge)
    connection.waiting = [transfer]
    pool.opening.append(connection)
    connection.connectNext()
  }

  /// Makes a connection send the frames of all requests of this round together.
  func flushLater(_ connection: Connection) {
    // Nothing else is coming: the request of a single caller is sent immediately.
    if connection.http2?.count == 1 {
      connection.http2?.flush()
      if connection.stage == .ready { connection.wantMore() }
      return
    }
    guard !connection.isListedForFlush else { return }
    connection.isListedForFlush = true
    unflushed.append(connection)
    loop.touch(self)
  }

  /// Makes a connection read again after others had their turn.
  func readLater(_ connection: Connection) {
    unread.append(connection)
    loop.touch(self)
  }

  // MARK: Called by connections

  func opened(_ connection: Connection) {
    let index = Int(connection.socket)
    while connections.count <= index { connections.append(nil) }
    connections[index] = connection
    loop.sockets.opened(connection.socket)
  }

  func closed(_ connection: Connection) {
    loop.sockets.closed(connection.socket)
    if Int(connection.socket) < connections.count { connections[Int(connection.socket)] = nil }
  }

  // MARK: Called by the loop

  func act(on socket: Int32, events: UInt32) {
    guard Int(socket) < connections.count, let connection = connections[Int(socket)] else { return }
    connection.act(events)
    loop.touch(self)
  }

  func actOnTimer() {}

  func finishDoneTransfers() {
    guard !isClosed else { return }
    let connections = unread
    unread = []
    for connection in connections { connection.readable() }
    startWaiting()
    while let connection = unflushed.popLast() {
      connection.isListedForFlush = false
      guard connection.stage == .ready else { continue }
      connection.http2?.flush()
      if connection.stage == .ready { connection.wantMore() }
    }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    for connection in connections.compactMap({ $0 }) { connection.close() }
    pools = [:]
    lastPool = nil
    scheduler.removeAll()
  }

  // MARK: What the prototype does not have

  func mayConnect(_ transfer: Transfer, to destination: Destination) -> Bool { true }
  func gateLeft(_ transfer: Transfer, _ destination: Destination) {}
  func answered(
    _ destination: Destination, _ transfer: Transfer?, _ subject: TrustQuestion.Subject, _ answer: TrustAnswer
  ) {}

  func unsupportedCheck(of destination: Destination) -> TransferFailure? {
    guard destination.pins != nil || destination.key != nil || destination.proxy != nil else { return nil }
    return TransferFailure(.other, message: "The prototype has no pins, client certificates and proxies.")
  }
}

extension OpenSSL {
  static let checksHandshakes = false
}

extension TransferFailure {
  static func noSocket(_ code: Int32) -> TransferFailure {
    TransferFailure(
      .outOfDescriptors, message: "Could not open a socket: \(String(cString: strerror(code))).")
  }
}
