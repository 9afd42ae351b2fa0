import COwnTransport

// Loads over the transport of our own instead of libcurl.
extension Transfer: Exchange {
  /// Whether the transport of our own has everything that this transfer needs. libcurl has proxies, upgrades, bare
  /// connections, sign-in of connections, questions about servers, and HTTP/3.
  func mayUseOwnTransport(to destination: Destination) -> Bool {
    guard !request.isUpgrade, !request.isConnection, !request.signsIn, !request.expectsContinue,
      request.connectTimeout == nil, destination.proxy == nil, destination.gate == nil,
      destination.pins == nil, destination.key == nil,
      request.http3 == .never || !destination.allowsHTTP3
    else { return false }
    guard destination.address.isPlain else { return false }
    target = RequestTarget(request.url)
    return target != nil
  }

  /// Gives the transfer to a connection, or makes it wait for one.
  func place(fresh: Bool) {
    guard let destination, let pools = core.pools else { return ended(.cancelled) }
    core.retireConnectionsIfWanted()
    let isAutomatic = request.httpVersion == .automatic
    let isPriorKnowledge = request.httpVersion == .http2PriorKnowledge
    let offersHTTP2 = isAutomatic && destination.address.isSecure && !destination.requiresHTTP11
    let offer = ConnectionPools.Offer(
      http2: offersHTTP2, isPriorKnowledge: isPriorKnowledge,
      waitsToShare: offersHTTP2 && destination.isMultiplexed != false || isPriorKnowledge)
    pools.place(self, in: core.pool(of: destination), offer, fresh: fresh)
  }

  // MARK: Called by connections

  var isChunked: Bool { head.isChunked }

  func waits(for connection: Connection) {
    carrier = connection
    attempt.openedConnection = true
  }

  func isCarried(by connection: Connection) {
    carrier = connection
    attempt.wasReused = !attempt.openedConnection
    attempt.count = min(attempt.count + 1, .max - 1)
    ownNotes.sentAt = core.loop.now
  }

  func didSendHead(byteCount: Int) { ownNotes.headBytes = byteCount }

  func didSendShortBody() { reportShortBodySent() }

  func isNotCarried() { waitForPlace() }

  /// Waits for another turn: the server's connections carry fewer requests than they were expected to.
  private func waitForPlace() {
    guard machine.waitAgain() == .detach else { return ended(.cancelled) }
    startOver()
    leaveQueue()
    joinQueue()
    // The loop ignored the command while the transfer was running.
    if isHoldWanted.load(ordering: .relaxed) { holdOnLoop() }
  }

  private func startOver() {
    carrier = nil
    attempt = AttemptNotes()
    ownNotes = OwnNotes()
  }

  func pausesConnection() -> Bool { machine.shouldPauseLibcurl() }

  func receiveHead(_ line: UnsafeRawBufferPointer) -> HeadCollector.Outcome {
    lastActivity = core.loop.now
    return head.append(line, limits: request.limits)
  }

  func receive(informational head: TransferHead) { observer?.transferDidReceive(informational: head) }

  func sawEndOfStream() { ownNotes.sawEndOfStream = true }

  var hasEndOfStream: Bool { ownNotes.sawEndOfStream && noticedFailure == nil }

  func fails(with failure: TransferFailure) { noticedFailure = failure }

  func keepsRest(_ bytes: [UInt8]) {
    guard machine.isRunning else { return }
    undelivered = [bytes]
    endAfterRemaining = detach(nil)
    deliverUndelivered()
  }

  func lost(isReused: Bool, wasRefused: Bool, _ failure: TransferFailure) {
    guard machine.isRunning, !head.hasBegun, noticedFailure == nil else { return ended(failure) }
    let outcome = RetryRule.Attempt(sentBytes: true, reusedConnection: isReused, wasRefused: wasRefused)
    guard case .repeats(let fresh) = retry.decide(after: outcome) else {
      return ended(isReused && !wasRefused ? .notRepeatable : .noResponse)
    }
    guard rewindSource() else { return ended(noticedFailure ?? failure) }
    if wasRefused, destination?.requiresHTTP11 == true { return waitForPlace() }
    guard machine.restart() == .attach else { return ended(failure) }
    startOver()
    place(fresh: fresh)
  }

  func ended(_ reported: TransferFailure?) {
    let action = machine.done()
    guard action != .none else { return }
    var failure = noticedFailure ?? reported
    if failure == nil {
      core.pace.recordResponse(afterNanoseconds: core.loop.now.nanoseconds - startMoment.nanoseconds)
      if EndingRule.verdict(observation) == .cutOff { failure = .cutOff }
    }
    if action == .detach {
      endAfterRemaining = detach(failure)
    } else {
      detachAndFinish(failure ?? decoder?.failureAtEnd())
    }
  }

  // MARK: The end

  /// Gives up the connection, if the transfer still has one.
  func leaveCarrier() {
    guard let connection = carrier else { return }
    carrier = nil
    connection.abandon(self)
  }

  /// What the metrics say about a load over the transport of our own.
  var ownTimings: TransferTimings {
    var timings = TransferTimings()
    let offset = { (moment: Monotonic?) in moment.map { $0.duration(since: self.startMoment) } }
    timings.total = core.loop.now.duration(since: startMoment)
    timings.isReusedConnection = attempt.wasReused
    if let facts = carrier?.facts, facts.connectedAt != nil {
      (timings.localAddress, timings.localPort) = (facts.local?.address, facts.local?.port)
      (timings.remoteAddress, timings.remotePort) = (facts.remote?.address, facts.remote?.port)
      (timings.tlsVersion, timings.tlsCipherSuite) = (facts.tlsVersion, facts.tlsCipherSuite)
      if !attempt.wasReused {
        timings.nameLookupStart = offset(turnMoment)
        timings.nameLookupEnd = offset(beginMoment)
        timings.connectEnd = offset(facts.connectedAt)
        timings.secureConnectionEnd = offset(facts.securedAt)
      }
    }
    timings.requestStart = offset(ownNotes.sentAt)
    timings.responseStart = offset(ownNotes.answeredAt)
    timings.requestEnd = timings.responseStart == nil ? nil : timings.requestStart
    if case .source = request.body {
      let end = offset(bodyEndMoment)
      timings.requestEnd = timings.requestStart.flatMap { start in
        end.map { max(start, min($0, timings.total)) }
      }
    }
    timings.protocolName = response.isHTTP2 ? "h2" : ownNotes.version
    timings.requestHeaderBytes = Int64(ownNotes.headBytes)
    timings.requestBodyBytes = sentBodyBytes
    timings.responseHeaderBytes = Int64(head.byteCount)
    timings.responseBodyBytes = response.receivedLength
    return timings
  }
}

/// What is recorded of a load over the transport of our own.
struct OwnNotes {
  var sentAt: Monotonic?
  var answeredAt: Monotonic?
  var headBytes = 0
  /// The protocol of the response, if it is HTTP/1.
  var version: String?
  var sawEndOfStream = false
}

extension TransferFailure {
  static let noResponse = TransferFailure(
    .connectionLost, message: "The server closed the connection without a response. Try again.")
}

extension ClientCore: ConnectionHost {
  /// Returns the transport of our own if a transfer can use it.
  func ownTransport(for transfer: Transfer, to destination: Destination) -> ConnectionPools? {
    guard options.usesOwnTransport, options.unixSocketPath == nil, ConnectionPools.isAvailable,
      transfer.mayUseOwnTransport(to: destination),
      !destination.address.isSecure || options.trust == .anything || trust.store != nil
    else { return nil }
    return pools ?? makePools()
  }

  private func makePools() -> ConnectionPools {
    let made = ConnectionPools(
      host: self,
      settings: ConnectionPools.Settings(
        userAgent: options.userAgent, verifies: options.trust != .anything,
        maximumIdleConnections: Self.idleConnections, connectionsPerHost: options.connectionsPerHost,
        handshakeLimit: options.handshakeLimit, addressRefusal: options.addressRefusal))
    pools = made
    return made
  }

  /// The connections to a server. A connection may outlive the server, which is forgotten when it has no loads.
  func pool(of destination: Destination) -> ConnectionPool {
    if let pool = destination.pool { return pool }
    let pool = ConnectionPool(
      ConnectionPool.Server(
        address: destination.address,
        addresses: { [weak destination] in destination?.knownAddresses ?? [] },
        spoke: { [weak self, weak destination] isHTTP2 in
          if let destination { self?.learn(isMultiplexed: isHTTP2, destination) }
        },
        refusedHTTP2: { [weak self, weak destination] in
          guard let destination else { return }
          destination.requiresHTTP11 = true
          self?.learn(isMultiplexed: false, destination)
        },
        wasUnreachable: { [weak self, weak destination] in
          if let destination { self?.forgetAddresses(of: destination) }
        }))
    destination.pool = pool
    return pool
  }

  var now: Monotonic { loop.now }
  func opened(_ socket: Int32) { loop.sockets.opened(socket) }
  func closed(_ socket: Int32) { loop.sockets.closed(socket) }
  func want(_ events: UInt32, on socket: Int32) {
    loop.sockets.want(events, on: socket, for: Unmanaged.passUnretained(self))
  }
  func hasSeenNoInput(on socket: Int32) -> Bool { loop.sockets.hasSeenNoInput(on: socket) }
  func touch() { loop.touch(self) }
  func readInNextRound() { loop.addUnread(self) }
  func setTimer(of connection: Connection, due: Monotonic?) { loop.setTimer(of: connection, due: due) }

  func makeContext() -> UnsafeMutableRawPointer? {
    let versions: [Int32] = [0x0301, 0x0302, 0x0303, 0x0304]
    guard
      let context = own_tls_make_context(
        versions[options.minimumTLS.rawValue], versions[options.maximumTLS.rawValue])
    else { return nil }
    if options.trust != .anything { trust.store?.apply(to: context) }
    return context
  }
}
