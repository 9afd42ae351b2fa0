import CCurl

/// One exchange under way: the driver of ``TransferStateMachine``.
///
/// `@unchecked Sendable`: `request`, `client` and `core` are immutable; everything else is touched by the holder of the
/// loop's turn only. Other threads post commands.
package final class Transfer: @unchecked Sendable {
  package let request: TransferRequest
  private let client: TransferClient
  let core: ClientCore

  // The turn's holder's.
  var observer: (any TransferObserver)?
  var machine = TransferStateMachine()
  var handle: EasyHandle?
  var head = HeadCollector()
  var response = ResponseNotes()
  /// For a body that is encoded.
  var decoder: BodyDecoder?
  var destination: Destination?
  var waiting: LoadQueue<Transfer>.Ticket?
  var hasPlace = false
  var retry: RetryRule
  var attempt = AttemptNotes()
  var lastActivity: Monotonic
  var startMoment: Monotonic
  var turnMoment: Monotonic
  var beginMoment: Monotonic
  var receivedBodyBytes: Int64 = 0
  var sentBodyBytes: Int64 = 0
  var hasStartedBody = false
  /// Where the loop keeps this transfer; -1 when it does not.
  var runningIndex = -1
  /// The loop looks after this round whether libcurl has handed over what came over its stream.
  var isStreaming = false
  var reminders: UInt8 = 0
  var lastStanding = Standing(received: -1)
  /// The loop has noted that this transfer's observer holds bytes together.
  var isUnsettled = false
  /// A failure noticed inside a callback; it says more than the code libcurl ends with.
  var noticedFailure: TransferFailure?
  /// Why the last address could not be connected to, where libcurl does not know.
  @Boxed var connectFailure: TransferFailure?
  /// What libcurl ended with, while a rest of the body waits to be delivered.
  @Boxed var endBehindRest: TransferEnd?

  /// The rest of a complete body that libcurl is not going to deliver.
  @Boxed var undelivered: [[UInt8]]?

  /// How far a stream had come when libcurl was last reminded of it.
  struct Standing: Equatable {
    var received: Int64
    var code: UInt32?
  }

  /// What is noted of one attempt to send the request.
  struct AttemptNotes {
    var count: UInt8 = 0
    var openedConnection = false
    /// Whether the request went out over a connection that was open before.
    var wasReused = false
    /// What was opened for it; libcurl may try two addresses at the same time.
    var sockets: [Int32] = []
    /// The connection's port on this side, by which it is known.
    var localPort: Int32 = 0
    /// libcurl's count of sent bytes when the attempt began: those before it went to a proxy, or were another attempt's.
    var requestSizeBefore = 0
    var isRestartWanted = false
  }

  /// What the rules about endings want to know of the response.
  struct ResponseNotes {
    var isHTTP2 = false
    var announcedLength: Int64?
    var receivedLength: Int64 = 0
    var hasNoBody = false
    var hasHead = false
    /// The response is over with its head, though libcurl waits for a body.
    var endsAtHead = false
    var tlsVersion: UInt16?
    var tlsCipherSuite: UInt16?
    /// The TLS connection, where its end is the body's.
    var connection: OpenSSL.WatchedConnection?
  }

  init(request: TransferRequest, observer: any TransferObserver, client: TransferClient, core: ClientCore) {
    self.request = request
    self.observer = observer
    self.client = client
    self.core = core
    self.retry = RetryRule(method: request.method)
    self.lastActivity = Monotonic(nanoseconds: 0)
    self.startMoment = lastActivity
    self.turnMoment = lastActivity
    self.beginMoment = lastActivity
  }

  // MARK: From any thread

  package func start() { core.loop.start(self) }

  /// Ends the transfer as soon as its loop comes to it: queued, connecting, sending, receiving or paused.
  package func cancel() { core.loop.post(.cancel(self)) }

  package func resumeReceiving() { core.loop.post(.resumeReceiving(self)) }

  package func resumeSending() { core.loop.post(.resumeSending(self)) }

  // MARK: Commands, on the loop

  /// Takes a place in the queue of its server.
  func enqueue() {
    guard machine.start() == .enqueue else { return }
    lastActivity = core.loop.now
    startMoment = lastActivity
    if let idle = request.idleTimeout, idle <= .zero { return fail(.timedOut(after: idle)) }
    if let deadline = request.deadline?.moment, deadline <= core.loop.now {
      return fail(.deadlinePassed)
    }
    do {
      let destination = try core.scheduler.destination(of: request)
      self.destination = destination
      if request.httpVersion == .http2PriorKnowledge {
        core.scheduler.learn(isMultiplexed: true, destination)
      }
      waiting = core.enqueue(self, at: destination)
      core.loop.add(self)
      core.startWaiting()
    } catch {
      fail(error)
    }
  }

  /// The queue has a place for it. The time-out counts from now: waiting for others is not the server's silence.
  func hasTurn() {
    waiting = nil
    guard machine.phase == .waiting, let destination else { return }
    hasPlace = true
    destination.admittedCount += 1
    lastActivity = core.loop.now
    turnMoment = lastActivity
    if let expiry { core.loop.include(expiry) }
    if core.isReady(destination) { begin() } else { destination.pending.append(self) }
  }

  /// All that libcurl needs is there.
  func begin() {
    guard machine.begin() == .attach, let destination else { return }
    beginMoment = core.loop.now
    do {
      let handle = try takeHandle()
      self.handle = handle
      try handle.prepare(for: self, at: destination, fresh: false)
      startBody()
      try add(handle)
    } catch {
      fail(error)
    }
  }

  /// It could not be started. Told by the loop's own thread, not from within the call that starts it.
  func fail(_ failure: TransferFailure) {
    noticedFailure = failure
    core.loop.addFailed(self)
  }

  /// The loop's thread has come to tell that the start failed.
  func finishFailed() {
    guard machine.cancel() != .none else { return }
    if let handle {
      core.giveBack(handle)
      self.handle = nil
    }
    core.loop.remove(self)
    finish(TransferEnd(failure: noticedFailure))
  }

  func takeHandle() throws(TransferFailure) -> EasyHandle {
    do {
      return try core.takeHandle()
    } catch {
      throw TransferFailure(
        .outOfMemory, curl: error.code, message: "libcurl has no memory for another transfer.")
    }
  }

  func add(_ handle: EasyHandle) throws(TransferFailure) {
    do {
      try core.attach(handle)
    } catch {
      throw TransferFailure(
        .outOfMemory, curl: error.code, message: "The transfer could not be started: \(error.message).")
    }
  }

  func cancelOnLoop() {
    let action = machine.cancel()
    guard action != .none else { return }
    handle?.closesConnection()
    detachAndFinish(.cancelled)
  }

  func resumeReceivingOnLoop() {
    lastActivity = core.loop.now
    if let expiry { core.loop.include(expiry) }
    perform(machine.resumeReceiving())
    if let handle, !handle.backlog.isEmpty || handle.isWindowShut { noteStream() }
    deliverUndelivered()
  }

  func resumeSendingOnLoop() {
    lastActivity = core.loop.now
    perform(machine.resumeSending())
  }

  /// What a resume leads to.
  func perform(_ action: TransferStateMachine.Action) {
    switch action {
    case .applyPauses: applyPauses()
    case .deliverRest: deliverRest()
    case .finish: detachAndFinish(endBehindRest?.failure ?? decoder?.failureAtEnd())
    case .none, .enqueue, .attach, .detach, .detachAndFinish: break
    }
  }

  func applyPauses() {
    guard let handle else { return }
    Curl.pause(handle.easy, receiving: machine.isReceivePaused, sending: machine.isSendPaused)
    // Pieces that libcurl kept are delivered from within the call, which may also end the transfer.
    core.loop.touch(core)
  }

  // MARK: Time

  /// When this transfer has waited for too long. A consumer that holds it back is not the server's fault, and neither
  /// are the transfers before it in the queue.
  var expiry: Monotonic? {
    var earliest: Monotonic?
    if let idle = request.idleTimeout, waiting == nil, !machine.isReceivePaused {
      earliest = lastActivity + idle
    }
    if let moment = request.deadline?.moment { earliest = earliest.map { min($0, moment) } ?? moment }
    return earliest
  }

  func expire() {
    guard machine.cancel() != .none else { return }
    handle?.closesConnection()
    let isDeadline = request.deadline.map { $0.moment <= core.loop.now } ?? false
    detachAndFinish(isDeadline ? .deadlinePassed : .timedOut(after: request.idleTimeout ?? .zero))
  }

  // MARK: What libcurl reports

  enum Reception { case taken, keep, stop }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
    if machine.holdsBack() { return .keep }
    guard machine.phase == .running, observer != nil else { return .stop }
    lastActivity = core.loop.now
    response.receivedLength += Int64(bytes.count)
    if let decoder { return reception(after: decoder.decode(bytes, deliver: deliver)) }
    switch deliver(bytes) {
    case .proceed, .gather: return .taken
    case .pause:
      machine.pauseReceiving()
      return .taken
    case .stop: return .stop
    }
  }

  func reception(after outcome: BodyDecoder.Outcome) -> Reception {
    switch outcome {
    case .drained: return .taken
    case .paused:
      machine.pauseReceiving()
      return .taken
    case .kept:
      machine.pauseReceivingWithRest()
      return .taken
    case .stopped: return .stop
    case .failed(let failure):
      noticedFailure = failure
      return .stop
    }
  }

  /// Hands over what the decoder kept, before libcurl gives more.
  func deliverRest() {
    guard let decoder else { return }
    let outcome = decoder.resume(deliver: deliver)
    switch reception(after: outcome) {
    case .stop:
      guard machine.cancel() != .none else { return }
      handle?.closesConnection()
      detachAndFinish(noticedFailure ?? .cancelled)
    case .taken, .keep:
      if outcome != .kept { perform(machine.restIsDelivered()) }
    }
  }

  func deliver(_ bytes: UnsafeRawBufferPointer) -> TransferDisposition {
    guard let observer else { return .stop }
    receivedBodyBytes += Int64(bytes.count)
    if let limit = request.limits.bodyBytes, receivedBodyBytes > limit {
      noticedFailure = TransferFailure(
        .bodyTooLarge, message: "The response is longer than the limit of \(limit) bytes that was set.")
      return .stop
    }
    let disposition = observer.transferDidReceive(bytes: bytes)
    if disposition == .gather, !isUnsettled {
      isUnsettled = true
      core.loop.addUnsettled(self)
    }
    return disposition
  }

  /// At the end of the loop's round: nothing more comes for now.
  func settle() {
    isUnsettled = false
    observer?.transferDidSettle()
  }

  /// False ends the transfer.
  func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard machine.phase == .running, let observer else { return false }
    lastActivity = core.loop.now
    tellShortBodySent()
    switch head.append(line, limits: request.limits) {
    case .more: return true
    case .informational(let head):
      observer.transferDidReceive(informational: head)
      return true
    case .complete(let head):
      if let value = head.contentEncoding, request.acceptedEncodings != "" {
        let codings = ContentCoding.list(value)
        if !codings.isEmpty { decoder = BodyDecoder(codings) }
      }
      note(head)
      let disposition = observer.transferDidReceive(head: head)
      if response.endsAtHead { return false }
      switch disposition {
      case .proceed, .gather: return true
      case .pause:
        machine.pauseReceiving()
        return true
      case .stop: return false
      }
    case .failure(let failure):
      noticedFailure = failure
      return false
    }
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    guard case .source(let source) = request.body, machine.phase == .running else { return .failed }
    lastActivity = core.loop.now
    let answer = source.read(into: buffer)
    switch answer {
    case .bytes(let count):
      sentBodyBytes += Int64(count)
      observer?.transferDidSend(total: sentBodyBytes)
    case .wait: machine.pauseSending()
    case .failed:
      noticedFailure = TransferFailure(.requestBodyFailed, message: "The body to be sent could not be read.")
    case .end:
      // libcurl would go on asking for the rest.
      guard let length = source.length, sentBodyBytes < length else { break }
      noticedFailure = TransferFailure(
        .requestBodyFailed,
        message: "The body to be sent ended after \(sentBodyBytes) of its \(length) bytes.")
      return .failed
    }
    return answer
  }

  /// libcurl sends a short body by itself; that it has gone is known when an answer comes.
  func tellShortBodySent() {
    guard case .bytes(let bytes) = request.body, sentBodyBytes < bytes.count else { return }
    sentBodyBytes = Int64(bytes.count)
    observer?.transferDidSend(total: sentBodyBytes)
  }

  func startBody() {
    guard case .source(let source) = request.body, !hasStartedBody else { return }
    hasStartedBody = true
    source.start { [weak self] in self?.resumeSending() }
  }

  func done(_ result: CURLcode) {
    if result != CURLE_OK, restarts(after: result) { return }
    if takesOverRest() { return }
    let action = machine.done()
    guard action != .none else { return }
    var failure: TransferFailure?
    if result == CURLE_OK || response.endsAtHead {
      core.pace.answered(afterNanoseconds: core.loop.now.nanoseconds - startMoment.nanoseconds)
      tellShortBodySent()
      if EndingRule.verdict(observation) == .cutOff { failure = .cutOff }
      if attempt.count > 1 { handle?.needsReset() }
    } else {
      handle?.needsReset()
      failure = self.failure(for: result)
    }
    if action == .detach {
      endBehindRest = detach(failure)
    } else {
      detachAndFinish(failure ?? decoder?.failureAtEnd())
    }
  }

  func failure(for result: CURLcode) -> TransferFailure {
    if let noticedFailure { return noticedFailure }
    if result == CURLE_COULDNT_CONNECT {
      if let destination { core.forgetAddresses(of: destination) }
      if let connectFailure {
        return TransferFailure(connectFailure.code, curl: result.rawValue, message: connectFailure.message)
      }
    }
    guard let handle else {
      return TransferFailure(.other, curl: result.rawValue, message: "The transfer failed.")
    }
    return TransferFailure(curl: result, easy: handle.easy, text: handle.failureText)
  }

  // MARK: The end

  func detachAndFinish(_ failure: TransferFailure?) {
    let end = detach(failure)
    core.loop.remove(self)
    finish(end)
  }

  func detach(_ failure: TransferFailure?) -> TransferEnd {
    var end = endBehindRest ?? TransferEnd()
    end.failure = failure
    if let handle {
      if request.collectsTimings { end.timings = timings(handle) }
      flushesReset(handle)
      dropsPausedBytes(handle)
      core.detach(handle)
      core.giveBack(handle)
      self.handle = nil
    }
    return end
  }

  func finish(_ end: TransferEnd) {
    if let waiting {
      _ = core.scheduler.queue.remove(waiting)
      self.waiting = nil
    }
    if hasPlace, let destination {
      hasPlace = false
      core.leave(destination)
    }
    var end = end
    end.receivedBytes = receivedBodyBytes
    core.loop.addEnded(self, end)
  }

  func tell(_ end: TransferEnd) {
    let observer = observer
    self.observer = nil
    observer?.transferDidFinish(end)
  }
}
