import Glibc
import Synchronization

/// A running exchange with a server over a transport of our own. It has the same face as the engine's transfer.
///
/// `@unchecked Sendable`: `request`, `client` and `core` are immutable; only the holder of the loop's lock uses
/// everything else. Other threads post commands.
package final class Transfer: @unchecked Sendable {
  package let request: TransferRequest
  private let client: TransferClient
  let core: ClientCore

  var observer: (any TransferObserver)?
  @exclusivity(unchecked) var machine = TransferStateMachine()
  @exclusivity(unchecked) var head = HeadCollector()
  private var connection: Connection?
  /// The transfer's stream; 0 over HTTP/1.
  var stream: Int32 = 0
  private var observation = EndingRule.Observation()
  private var decoder: BodyDecoder?
  var destination: Destination?
  var waiting: LoadQueue<Transfer>.Ticket?
  let isHoldWanted = Atomic<Bool>(false)
  var hasPlace = false
  private var retry: RetryRule
  var lastActivity = Monotonic(nanoseconds: 0)
  var startMoment = Monotonic(nanoseconds: 0)
  var turnMoment = Monotonic(nanoseconds: 0)
  private var beginMoment = Monotonic(nanoseconds: 0)
  private var sendMoment: Monotonic?
  private var responseMoment: Monotonic?
  private var receivedBodyBytes: Int64 = 0
  private(set) var sentBodyBytes: Int64 = 0
  private var hasStartedBody = false
  var runningIndex = -1
  private var hasUnflushedObserver = false
  var noticedFailure: TransferFailure?
  @Boxed private var endAfterRemaining: TransferEnd?
  @Boxed private var bodyHashes: [BodyHash]?
  private var isReused = false

  /// What the loop asks of an attempt; the prototype does not need it.
  struct AttemptNotes { var connection: ConnectionEnds? }
  let attempt = AttemptNotes()

  init(request: TransferRequest, observer: any TransferObserver, client: TransferClient, core: ClientCore) {
    self.request = request
    self.observer = observer
    self.client = client
    self.core = core
    retry = RetryRule(method: request.method)
    if !request.bodyHashes.isEmpty { bodyHashes = request.bodyHashes.compactMap(BodyHash.init) }
  }

  // MARK: From any thread

  package func start() { core.loop.start(self) }
  package func cancel() { core.loop.post(.cancel(self)) }
  package func hold() {
    isHoldWanted.store(true, ordering: .relaxed)
    core.loop.post(.hold(self))
  }
  package func holdBeforeStart() { _ = machine.hold() }
  package func resumeReceiving() {
    isHoldWanted.store(false, ordering: .relaxed)
    core.loop.post(.resumeReceiving(self))
  }
  package func resumeSending() { core.loop.post(.resumeSending(self)) }

  // MARK: Commands, on the loop

  func begin() {
    guard !request.isUpgrade, !request.isConnection, !request.signsIn else {
      return fail(TransferFailure(.other, message: "The prototype has no upgrades, tunnels and sign-in."))
    }
    guard machine.begin() == .attach else { return }
    beginMoment = core.loop.now
    if let failure = observer?.transferWillBegin() { return fail(failure) }
    if case .source(let source) = request.body, !hasStartedBody {
      hasStartedBody = true
      source.start { [weak self] in self?.resumeSending() }
    }
    core.place(self, fresh: false)
  }

  func fail(_ failure: TransferFailure) {
    noticedFailure = failure
    core.loop.addFailed(self)
  }

  func finishFailed() {
    guard machine.cancel() != .none else { return }
    leaveConnection()
    core.loop.remove(self)
    finish(TransferEnd(failure: noticedFailure))
  }

  func cancelOnLoop() { finishEarly(.cancelled) }

  private func finishEarly(_ failure: TransferFailure) {
    guard machine.cancel() != .none else { return }
    leaveConnection()
    finishNow(failure)
  }

  /// Gives up the connection: an HTTP/1 connection closes, a stream is reset.
  private func leaveConnection() {
    guard let connection else { return }
    self.connection = nil
    connection.waiting.removeAll { $0 === self }
    if let http2 = connection.http2 {
      http2.drop(self)
      core.flushLater(connection)
    } else if connection.transfer === self {
      connection.transfer = nil
      connection.close()
    }
  }

  func resumeReceivingOnLoop() {
    releaseOnLoop()
    lastActivity = core.loop.now
    if let expiry { core.loop.include(expiry) }
    perform(machine.resumeReceiving())
  }

  func resumeSendingOnLoop() {
    lastActivity = core.loop.now
    if machine.resumeSending() == .applyPauses { connection?.resumeSending() }
    core.loop.touch(core)
  }

  private func perform(_ action: TransferStateMachine.Action) {
    switch action {
    case .applyPauses:
      if let http2 = connection?.http2 { http2.resumeReceiving(self) } else { connection?.resumeReceiving() }
      core.loop.touch(core)
    case .deliverRemaining: deliverRemaining()
    case .finish: finishNow(endAfterRemaining?.failure ?? decoder?.failureAtEnd())
    case .none, .enqueue, .leaveQueue, .attach, .detach, .detachAndFinish: break
    }
  }

  // MARK: Time

  var expiry: Monotonic? {
    var earliest: Monotonic?
    if let idle = request.idleTimeout, waiting == nil, !machine.isHeld, !machine.isReceivePaused {
      earliest = lastActivity + idle
    }
    if let moment = request.deadline?.moment { earliest = earliest.map { min($0, moment) } ?? moment }
    return earliest
  }

  func expire() {
    let isDeadline = request.deadline.map { $0.moment <= core.loop.now } ?? false
    finishEarly(isDeadline ? .deadlinePassed : .timedOut(after: request.idleTimeout ?? .zero))
  }

  // MARK: Called by the connection

  func isCarried(by connection: Connection) {
    self.connection = connection
    isReused = connection.requestCount > 0
    sendMoment = core.loop.now
  }

  func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> HeadCollector.Outcome {
    lastActivity = core.loop.now
    return head.append(line, limits: request.limits)
  }

  /// Passes the final head on. False ends the transfer.
  func deliver(_ head: TransferHead, isHTTP2: Bool) -> Bool {
    guard machine.isRunning, let observer else { return false }
    responseMoment = core.loop.now
    observation.isHTTP2 = isHTTP2
    observation.announcedLength = head.contentLength
    observation.isChunked = self.head.isChunked
    observation.hasNoBody = request.method == "HEAD" || head.status == 204 || head.status == 304
    if let encoding = head.contentEncoding, request.acceptedEncodings != "", !observation.hasNoBody {
      let codings = ContentCoding.list(encoding)
      if !codings.isEmpty { decoder = BodyDecoder(codings) }
    }
    switch observer.transferDidReceive(head: head) {
    case .proceed, .gather: return true
    case .pause:
      machine.pauseReceiving()
      return true
    case .stop: return false
    }
  }

  enum Reception { case accepted, keep, stop }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
    if machine.shouldPauseLibcurl() { return .keep }
    guard machine.isRunning, observer != nil else { return .stop }
    lastActivity = core.loop.now
    observation.receivedLength += Int64(bytes.count)
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

  private func reception(after outcome: BodyDecoder.Outcome) -> Reception {
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

  private func deliverRemaining() {
    guard let decoder else { return }
    let outcome = decoder.resume(deliver: deliver)
    switch reception(after: outcome) {
    case .stop: finishEarly(noticedFailure ?? .cancelled)
    case .accepted, .keep: if outcome != .kept { perform(machine.didDeliverRemaining()) }
    }
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer) -> TransferDisposition {
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

  func flushObserver() {
    hasUnflushedObserver = false
    observer?.transferDidBecomeIdle()
  }

  func didSend(_ count: Int) {
    sentBodyBytes += Int64(count)
    observer?.transferDidSend(total: sentBodyBytes)
  }

  func readBody(_ source: any TransferBodySource, into buffer: UnsafeMutableRawBufferPointer)
    -> TransferBodyRead
  {
    lastActivity = core.loop.now
    let answer = source.read(into: buffer)
    switch answer {
    case .bytes(let count): didSend(count)
    case .wait: machine.pauseSending()
    case .failed:
      noticedFailure = TransferFailure(.requestBodyFailed, message: "Could not read the request body.")
    case .end:
      guard let length = source.length, sentBodyBytes < length else { break }
      noticedFailure = TransferFailure(
        .requestBodyFailed, message: "The request body ended after \(sentBodyBytes) of \(length) bytes.")
      return .failed
    }
    return answer
  }

  /// Records that the stream ended with END_STREAM.
  func sawEndOfStream() { observation.sawEndOfStream = true }

  /// The connection ended before the response was complete. The request is sent again if that is allowed.
  func lost(reused: Bool, wasRefused: Bool, _ failure: TransferFailure) {
    guard machine.isRunning, !head.hasBegun, noticedFailure == nil else { return done(failure) }
    let attempt = RetryRule.Attempt(sentBytes: true, reusedConnection: reused, wasRefused: wasRefused)
    guard case .repeats(let fresh) = retry.decide(after: attempt), rewindBody(), machine.restart() == .attach
    else { return done(reused && !wasRefused ? .notRepeatable : .noResponse) }
    connection = nil
    core.place(self, fresh: fresh)
  }

  private func rewindBody() -> Bool {
    guard case .source(let source) = request.body, sentBodyBytes > 0 else { return true }
    guard source.rewind() else { return false }
    sentBodyBytes = 0
    return true
  }

  /// The connection has nothing more for this transfer.
  func done(_ reported: TransferFailure?) {
    let action = machine.done()
    guard action != .none else { return }
    var failure = noticedFailure ?? reported
    if failure == nil {
      core.pace.recordResponse(afterNanoseconds: core.loop.now.nanoseconds - startMoment.nanoseconds)
      observation.hasHead = responseMoment != nil
      if observation.isHTTP2, observation.sawEndOfStream == nil { observation.sawEndOfStream = false }
      if EndingRule.verdict(observation) == .cutOff { failure = .cutOff }
    }
    if action == .detach {
      endAfterRemaining = end(failure)
      connection = nil
    } else {
      finishNow(failure ?? decoder?.failureAtEnd())
    }
  }

  // MARK: The end

  private func finishNow(_ failure: TransferFailure?) {
    let end = end(failure)
    connection = nil
    core.loop.remove(self)
    finish(end)
  }

  private func end(_ failure: TransferFailure?) -> TransferEnd {
    var end = endAfterRemaining ?? TransferEnd()
    end.failure = failure
    if let bodyHashes {
      self.bodyHashes = nil
      for hash in bodyHashes { end.bodyHashes[hash.algorithm] = hash.finish() }
    }
    if request.collectsTimings, end.timings == nil { end.timings = timings() }
    return end
  }

  private func timings() -> TransferTimings {
    var timings = TransferTimings()
    let offset = { (moment: Monotonic?) in moment.map { $0.duration(since: self.startMoment) } }
    timings.total = core.loop.now.duration(since: startMoment)
    timings.isReusedConnection = isReused
    if !isReused {
      timings.connectEnd = offset(connection?.connectedAt)
      timings.secureConnectionEnd = offset(connection?.securedAt)
    }
    timings.requestStart = offset(sendMoment)
    timings.responseStart = offset(responseMoment)
    timings.protocolName = observation.isHTTP2 ? "h2" : "http/1.1"
    timings.requestBodyBytes = sentBodyBytes
    timings.responseHeaderBytes = Int64(head.byteCount)
    timings.responseBodyBytes = observation.receivedLength
    return timings
  }

  private func finish(_ end: TransferEnd) {
    leaveQueue()
    var end = end
    end.receivedBytes = receivedBodyBytes
    core.loop.addEnded(self, end)
  }

  func notifyFinished(_ end: TransferEnd) {
    let observer = observer
    self.observer = nil
    observer?.transferDidFinish(end)
  }

  // MARK: What only libcurl needs

  func recheckStream() {}
  func finishBroken() {}
  func finishStopped() {}
  func flushesConnection() -> Bool { false }
  func restartWithoutSharing() {}
}

extension TransferFailure {
  static let noResponse = TransferFailure(
    .connectionLost, message: "The server closed the connection without a response.")
}
