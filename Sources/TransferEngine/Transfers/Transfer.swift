import CCurl
import Glibc
import Synchronization

/// A running exchange with a server. It drives ``TransferStateMachine``.
///
/// `@unchecked Sendable`: `request`, `client` and `core` are immutable; only the holder of the loop's lock uses
/// everything else. Other threads post commands.
package final class Transfer: @unchecked Sendable {
  package let request: TransferRequest
  private let client: TransferClient
  let core: ClientCore

  // Used by the holder of the loop's lock only.
  var observer: (any TransferObserver)?
  // These two and `lastActivity` are used for every line of a head. They are values that call nothing while they change, so
  // a check for overlapping accesses could find nothing.
  @exclusivity(unchecked) var machine = TransferStateMachine()
  @exclusivity(unchecked) var head = HeadCollector()
  /// What libcurl gets; nil if it has no part in the transfer.
  var handle: EasyHandle?
  /// The connection of the transport of our own, if it carries the transfer.
  var carrier: Connection?
  var stream: Int32 = 0
  var target: RequestTarget?
  private(set) var isOnOwnTransport = false
  @exclusivity(unchecked) var ownNotes = OwnNotes()
  var response = ResponseNotes()
  /// Set if the body is encoded.
  var decoder: BodyDecoder?
  var destination: Destination?
  var waiting: LoadQueue<Transfer>.Ticket?
  /// Whether ``hold()`` was called, although the loop may not have seen the command yet.
  let isHoldWanted = Atomic<Bool>(false)
  /// The same for the last command that the loop has seen. The time-outs use this: a resume must reset them first.
  var isOnHold = false
  var hasPlace = false
  var retry: RetryRule
  var attempt = AttemptNotes()
  @exclusivity(unchecked) var lastActivity: Monotonic
  var startMoment: Monotonic
  var turnMoment: Monotonic
  var beginMoment: Monotonic
  var receivedBodyBytes: Int64 = 0
  var sentBodyBytes: Int64 = 0
  var hasStartedBody = false
  /// When the end of the body was read from its source.
  var bodyEndMoment: Monotonic?
  /// The transfer's index in the loop's list of running transfers; -1 if it is not there.
  var runningIndex = -1
  /// Whether the loop checks after this round if libcurl has delivered the data of the transfer's stream.
  var isStreaming = false
  var rechecks: UInt8 = 0
  var lastProgress = StreamProgress(received: -1)
  /// Whether the connection has left HTTP.
  var isUpgraded = false
  /// The socket of an upgrade request's connection.
  var upgradedSocket: Int32?
  /// The socket that a connection request was made for.
  var connectedSocket: ConnectedSocket?
  /// Whether libcurl no longer waits for input of the upgraded connection.
  var hasStoppedReading = false
  /// Whether the loop has recorded that this transfer's observer collects bytes.
  var hasUnflushedObserver = false
  /// A failure noticed inside a callback. It is more specific than libcurl's result code.
  var noticedFailure: TransferFailure?
  /// The reason why the last address could not be connected to, if libcurl does not know it.
  @Boxed var connectFailure: TransferFailure?
  /// libcurl's result, while the rest of the body waits for delivery.
  @Boxed var endAfterRemaining: TransferEnd?
  /// Whether the server has refused the expectation of the request, so that it is sent without it.
  var omitsExpectation = false
  /// The hashes of the body.
  @Boxed var bodyHashes: [BodyHash]?
  /// The head of a refusal that libcurl may answer itself, because it signs in.
  @Boxed var heldHead: HeldHead?

  /// The rest of a complete body that libcurl will not deliver.
  @Boxed var undelivered: [[UInt8]]?

  /// The number of questions that handshakes of this transfer raised.
  var questionCount: UInt8 = 0

  /// The progress of a stream when libcurl last checked it.
  struct StreamProgress: Equatable {
    var received: Int64
    var code: UInt32?
  }

  /// The state of one attempt to send the request.
  struct AttemptNotes {
    /// How the server is reached. A request is repeated over TCP only.
    var route = HTTP3Servers.Route.tcp
    var count: UInt8 = 0
    var openedConnection = false
    /// Whether the request was sent over a connection that was already open.
    var wasReused = false
    /// The sockets that were opened for the attempt; libcurl may try two addresses at the same time.
    var sockets: [Int32] = []
    /// The connection, if it has ports.
    var connection: ConnectionEnds?
    /// libcurl's count of sent bytes when the attempt began. Earlier bytes went to a proxy or belonged to another
    /// attempt.
    var requestSizeBefore = 0
    /// How the transfer begins again without having sent its request.
    var restart: Restart?
    /// Whether this or an earlier attempt was offered a retired connection.
    var metRetiredConnection = false
    /// The response of the proxy that is asked for a tunnel.
    var tunnelHead = HeadCollector()
    /// The same, if the proxy refused.
    var tunnelRefusal: TransferHead?
    /// The number of TLS contexts that were made.
    var contextCount: UInt8 = 0
    /// The alert about client certificates that the server sent.
    var alert: UInt8 = 0
    /// Whether the server requested a certificate and none was presented.
    var presentedNothing = false
    /// What must be decided before the handshake can succeed.
    @Boxed var question: TrustQuestion.Subject?
  }

  /// The properties of the response that the rules about endings need.
  struct ResponseNotes {
    var isHTTP2 = false
    var isHTTP3 = false
    var announcedLength: Int64?
    var receivedLength: Int64 = 0
    var hasNoBody = false
    var hasHead = false
    /// Whether the response ends with its head, although libcurl waits for a body.
    var endsAtHead = false
    var tlsVersion: UInt16?
    var tlsCipherSuite: UInt16?
    /// The TLS connection, if its end is also the end of the body.
    var connection: OpenSSL.WatchedConnection?
  }

  init(request: TransferRequest, observer: any TransferObserver, client: TransferClient, core: ClientCore) {
    self.request = request
    self.observer = observer
    self.client = client
    self.core = core
    self.retry = RetryRule(method: request.method)
    if !request.bodyHashes.isEmpty { bodyHashes = request.bodyHashes.compactMap(BodyHash.init) }
    self.lastActivity = Monotonic(nanoseconds: 0)
    self.startMoment = lastActivity
    self.turnMoment = lastActivity
    self.beginMoment = lastActivity
  }

  // MARK: From any thread

  package func start() { core.loop.start(self) }

  /// Cancels the transfer as soon as its loop processes the command: queued, connecting, sending, receiving or paused.
  package func cancel() { core.loop.post(.cancel(self)) }

  /// Keeps the transfer from beginning until ``resumeReceiving()``. It gives up its place in the queue, so that others do
  /// not wait for it. A transfer that has begun sends no more of a body from a source, and is not idle meanwhile.
  package func hold() {
    isHoldWanted.store(true, ordering: .relaxed)
    core.loop.post(.hold(self))
  }

  /// Does the same for a transfer that only its creator knows.
  package func holdBeforeStart() { _ = machine.hold() }

  /// Receives again after a pause, and lets a transfer begin or send that is held.
  package func resumeReceiving() {
    isHoldWanted.store(false, ordering: .relaxed)
    core.loop.post(.resumeReceiving(self))
  }

  package func resumeSending() { core.loop.post(.resumeSending(self)) }

  // MARK: Commands, on the loop

  /// Gives the transfer to libcurl. All data that libcurl needs is available.
  func begin() {
    if request.isConnection, destination?.proxy?.isSecure == true { return fail(.secureProxyForConnection) }
    guard machine.begin() == .attach, let destination else { return }
    beginMoment = core.loop.now
    if let failure = observer?.transferWillBegin() { return fail(failure) }
    isOnOwnTransport = core.ownTransport(for: self, to: destination) != nil
    if isOnOwnTransport {
      startBody()
      return place(fresh: false)
    }
    do {
      let handle = try takeHandle()
      self.handle = handle
      chooseRoute(to: destination)
      try handle.prepare(for: self, at: destination, fresh: attempt.route == .race(fresh: true))
      startBody()
      try add(handle)
    } catch {
      fail(error)
    }
  }

  /// Records that the transfer could not be started. The loop reports the failure later, not during the call that
  /// starts it.
  func fail(_ failure: TransferFailure) {
    noticedFailure = failure
    core.loop.addFailed(self)
  }

  /// Reports a failed start, at the end of the loop's round.
  func finishFailed() {
    guard machine.cancel() != .none else { return }
    leaveHTTP3()
    if let handle {
      core.giveBack(handle)
      self.handle = nil
    }
    leaveCarrier()
    core.loop.remove(self)
    finish(TransferEnd(failure: noticedFailure))
  }

  func takeHandle() throws(TransferFailure) -> EasyHandle {
    do {
      return try core.takeHandle()
    } catch {
      throw TransferFailure(
        .outOfMemory, curl: error.code, message: "Could not create a libcurl handle: out of memory.")
    }
  }

  func add(_ handle: EasyHandle) throws(TransferFailure) {
    do {
      try core.attach(handle)
    } catch {
      throw TransferFailure(
        .outOfMemory, curl: error.code, message: "Could not start the transfer: \(error.message).")
    }
  }

  func cancelOnLoop() {
    let action = machine.cancel()
    guard action != .none else { return }
    handle?.closesConnection()
    detachAndFinish(.cancelled)
  }

  func resumeReceivingOnLoop() {
    isOnHold = false
    releaseOnLoop()
    lastActivity = core.loop.now
    perform(machine.releaseSending())
    perform(machine.resumeReceiving())
    if let handle, !handle.backlog.isEmpty || handle.isWindowShut { noteStream() }
    deliverUndelivered()
    // After the pauses have ended: a transfer that is paused has no idle time.
    if let expiry { core.loop.include(expiry) }
  }

  func resumeSendingOnLoop() {
    lastActivity = core.loop.now
    perform(machine.resumeSending())
  }

  /// Performs the action that follows a resume.
  func perform(_ action: TransferStateMachine.Action) {
    switch action {
    case .applyPauses: applyPauses()
    case .deliverRemaining: deliverRemaining()
    case .finish: detachAndFinish(endAfterRemaining?.failure ?? decoder?.failureAtEnd())
    case .none, .enqueue, .leaveQueue, .attach, .detach, .detachAndFinish: break
    }
  }

  func applyPauses() {
    if let carrier {
      carrier.applyPauses(of: self, isSendPaused: machine.isSendPaused)
      return core.loop.touch(core)
    }
    guard let handle else { return }
    Curl.pause(handle.easy, receiving: machine.isReceivePaused, sending: machine.isSendPaused)
    // libcurl delivers the bytes it kept during this call, which may also end the transfer.
    core.loop.touch(core)
  }

  // MARK: What libcurl reports

  func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
    if !deliverHeldHead() { return .stop }
    if machine.shouldPauseLibcurl() { return .keep }
    guard machine.isRunning, observer != nil else { return .stop }
    lastActivity = core.loop.now
    response.receivedLength += Int64(bytes.count)
    if let bodyHashes { for hash in bodyHashes { hash.update(bytes) } }
    if let decoder { return reception(after: decoder.decode(bytes, deliver: deliver)) }
    switch deliver(bytes) {
    case .proceed, .gather: return .accepted
    case .pause:
      machine.pauseReceiving()
      return .accepted
    case .stop: return .stop
    }
  }

  func reception(after outcome: BodyDecoder.Outcome) -> Reception {
    switch outcome {
    case .drained: return .accepted
    case .paused:
      machine.pauseReceiving()
      return .accepted
    case .kept:
      machine.pauseReceivingWithRemaining()
      return .accepted
    case .stopped: return .stop
    case .failed(let failure):
      noticedFailure = failure
      return .stop
    }
  }

  /// Delivers the input that the decoder kept, before libcurl delivers more.
  func deliverRemaining() {
    guard let decoder else { return }
    let outcome = decoder.resume(deliver: deliver)
    switch reception(after: outcome) {
    case .stop:
      guard machine.cancel() != .none else { return }
      handle?.closesConnection()
      detachAndFinish(noticedFailure ?? .cancelled)
    case .accepted, .keep:
      if outcome != .kept { perform(machine.didDeliverRemaining()) }
    }
  }

  func deliver(_ bytes: UnsafeRawBufferPointer) -> TransferDisposition {
    guard let observer else { return .stop }
    receivedBodyBytes += Int64(bytes.count)
    if let limit = request.limits.bodyBytes, receivedBodyBytes > limit {
      noticedFailure = TransferFailure(
        .bodyTooLarge, message: "The response body is larger than the limit of \(limit) bytes.")
      return .stop
    }
    let disposition = observer.transferDidReceive(bytes: bytes)
    if disposition == .gather, !hasUnflushedObserver {
      hasUnflushedObserver = true
      core.loop.addUnflushedObserver(self)
    }
    return disposition
  }

  /// Called at the end of the loop's round, when no more data is available for now.
  func flushObserver() {
    hasUnflushedObserver = false
    observer?.transferDidBecomeIdle()
  }

  /// Whether an HTTP proxy opens a tunnel to the server.
  var usesTunnel: Bool {
    guard let destination else { return false }
    let isRaw = request.isUpgrade || request.isConnection
    return destination.usesTunnel || isRaw && destination.proxy?.kind == .http
  }

  /// Handles a header line. False ends the transfer.
  func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard machine.isRunning, observer != nil else { return false }
    lastActivity = core.loop.now
    if attempt.openedConnection, usesTunnel { return receiveTunnelLine(line) }
    // libcurl continues to sign in, so the last response was not the final one.
    if request.signsIn { heldHead = nil }
    reportShortBodySent()
    switch head.append(line, limits: request.limits) {
    case .more: return true
    case .informational(let head):
      observer?.transferDidReceive(informational: head)
      return true
    case .complete(let head):
      if head.status == 417, repeatsWithoutExpectation() { return false }
      return isIntermediate(head) ? hold(head) : deliver(head)
    case .failure(let failure):
      noticedFailure = failure
      return false
    }
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    guard case .source(let source) = request.body, machine.isRunning else { return .failed }
    lastActivity = core.loop.now
    if isHoldWanted.load(ordering: .relaxed) {
      machine.holdSending()
      return .wait
    }
    let answer = source.read(into: buffer)
    switch answer {
    case .bytes(let count):
      sentBodyBytes += Int64(count)
      if sentBodyBytes == source.length { bodyEndMoment = core.loop.now }
      observer?.transferDidSend(total: sentBodyBytes)
    case .wait: machine.pauseSending()
    case .failed:
      noticedFailure = TransferFailure(.requestBodyFailed, message: "Could not read the request body.")
    case .end:
      // libcurl would keep asking for the rest.
      guard let length = source.length, sentBodyBytes < length else {
        bodyEndMoment = bodyEndMoment ?? core.loop.now
        break
      }
      noticedFailure = TransferFailure(
        .requestBodyFailed,
        message: "The request body ended after \(sentBodyBytes) of \(length) bytes.")
      return .failed
    }
    return answer
  }

  func startBody() {
    guard case .source(let source) = request.body, !hasStartedBody else { return }
    hasStartedBody = true
    source.start { [weak self] in self?.resumeSending() }
  }

  func done(_ reported: CURLcode) {
    let isLost = losesSentRequest(reported)
    let isAnswered = wasAnsweredEarly(reported) || wasClosedAfterUpgrade(reported)
    let result = isLost ? CURLE_RECV_ERROR : isAnswered ? CURLE_OK : reported
    if result != CURLE_OK, let question = attempt.question { return waitForAnswer(about: question) }
    if result != CURLE_OK, fallsBack(after: result) || restarts(after: result) { return }
    if completeWithoutLibcurl() { return }
    if connectedSocket != nil { return finishConnected() }
    if result == CURLE_OK, !deliverHeldHead(), !response.endsAtHead { return stopAtHeldHead() }
    let action = machine.done()
    guard action != .none else { return }
    var failure: TransferFailure?
    if result == CURLE_OK || response.endsAtHead {
      core.pace.recordResponse(afterNanoseconds: core.loop.now.nanoseconds - startMoment.nanoseconds)
      reportShortBodySent()
      if EndingRule.verdict(observation) == .cutOff { failure = .cutOff }
      if attempt.count > 1 || isAnswered { handle?.needsReset() }
    } else {
      handle?.needsReset()
      failure = isLost ? .notRepeatable : self.failure(for: result)
    }
    if action == .detach {
      endAfterRemaining = detach(failure)
    } else {
      detachAndFinish(failure ?? decoder?.failureAtEnd())
    }
  }

  // MARK: The end

  func detachAndFinish(_ failure: TransferFailure?) {
    let end = detach(failure)
    core.loop.remove(self)
    finish(end)
  }

  func detach(_ failure: TransferFailure?) -> TransferEnd {
    var end = endAfterRemaining ?? TransferEnd()
    end.failure = failure
    // The rest of a body that is not delivered yet belongs to its hashes.
    if let bodyHashes, undelivered == nil {
      self.bodyHashes = nil
      for hash in bodyHashes { end.bodyHashes[hash.algorithm] = hash.finish() }
    }
    if failure?.code == .proxyRefused { end.tunnelRefusal = attempt.tunnelRefusal }
    if let handle {
      if request.collectsTimings { end.timings = timings(handle) }
      leaveHTTP3()
      flushesReset(handle)
      dropsPausedBytes(handle)
      if isUpgraded { core.forgetUpgraded(self) }
      core.detach(handle)
      core.giveBack(handle)
      self.handle = nil
    } else if isOnOwnTransport {
      if request.collectsTimings, end.timings == nil { end.timings = ownTimings }
      leaveCarrier()
    }
    return end
  }

  func finish(_ end: TransferEnd) {
    leaveQueue()
    var end = end
    end.receivedBytes = receivedBodyBytes
    core.loop.addEnded(self, end)
  }

  func notifyFinished(_ end: TransferEnd) {
    let observer = observer
    self.observer = nil
    if hasStartedBody, case .source(let source) = request.body { source.transferDidEnd() }
    observer?.transferDidFinish(end)
  }
}
