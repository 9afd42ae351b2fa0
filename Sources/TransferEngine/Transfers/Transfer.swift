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
  private var observer: (any TransferObserver)?
  private var machine = TransferStateMachine()
  private var handle: EasyHandle?
  private var head = HeadCollector()
  /// For a body that is encoded.
  private var decoder: BodyDecoder?
  private var lastActivity: Monotonic
  private var startMoment: Monotonic
  private var receivedBodyBytes: Int64 = 0
  private var sentBodyBytes: Int64 = 0
  private var hasStartedBody = false
  private var reusedConnection = false
  /// Where the loop keeps this transfer; -1 when it does not.
  var runningIndex = -1
  /// The loop has noted that this transfer's observer holds bytes together.
  private var isUnsettled = false
  /// A failure noticed inside a callback; it says more than the code libcurl ends with.
  private var noticedFailure: TransferFailure?
  /// What libcurl ended with, while a rest of the body waits to be delivered.
  @Boxed private var endBehindRest: TransferEnd?
  var policyRefusal: String?

  init(request: TransferRequest, observer: any TransferObserver, client: TransferClient, core: ClientCore) {
    self.request = request
    self.observer = observer
    self.client = client
    self.core = core
    self.lastActivity = Monotonic(nanoseconds: 0)
    self.startMoment = lastActivity
  }

  // MARK: From any thread

  package func start() { core.loop.start(self) }

  /// Ends the transfer as soon as its loop comes to it: queued, connecting, sending, receiving or paused.
  package func cancel() { core.loop.post(.cancel(self)) }

  package func resumeReceiving() { core.loop.post(.resumeReceiving(self)) }

  package func resumeSending() { core.loop.post(.resumeSending(self)) }

  // MARK: Commands, on the loop

  func attach() {
    guard machine.start() == .attach else { return }
    lastActivity = core.loop.now
    startMoment = lastActivity
    if let idle = request.idleTimeout, idle <= .zero { return fail(.timedOut(after: idle)) }
    if let deadline = request.deadline?.moment, deadline <= core.loop.now {
      return fail(.deadlinePassed)
    }
    do {
      let handle = try takeHandle()
      self.handle = handle
      try handle.prepare(for: self)
      startBody()
      try add(handle)
      core.loop.add(self)
    } catch {
      fail(error)
    }
  }

  /// It could not be started. Told by the loop's own thread, not from within the call that starts it.
  private func fail(_ failure: TransferFailure) {
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
    finish(TransferEnd(failure: noticedFailure))
  }

  private func takeHandle() throws(TransferFailure) -> EasyHandle {
    do {
      return try core.takeHandle()
    } catch {
      throw TransferFailure(
        .outOfMemory, curl: error.code, message: "libcurl has no memory for another transfer.")
    }
  }

  private func add(_ handle: EasyHandle) throws(TransferFailure) {
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
  }

  func resumeSendingOnLoop() {
    lastActivity = core.loop.now
    perform(machine.resumeSending())
  }

  /// What a resume leads to.
  private func perform(_ action: TransferStateMachine.Action) {
    switch action {
    case .applyPauses: applyPauses()
    case .deliverRest: deliverRest()
    case .finish: detachAndFinish(endBehindRest?.failure ?? decoder?.failureAtEnd())
    case .none, .attach, .detach, .detachAndFinish: break
    }
  }

  private func applyPauses() {
    guard let handle else { return }
    Curl.pause(handle.easy, receiving: machine.isReceivePaused, sending: machine.isSendPaused)
    // Pieces that libcurl kept are delivered from within the call, which may also end the transfer.
    core.loop.touch(core)
  }

  // MARK: Time

  /// When this transfer has waited for too long; a consumer that holds it back is not the server's fault.
  var expiry: Monotonic? {
    var earliest: Monotonic?
    if let idle = request.idleTimeout, !machine.isReceivePaused { earliest = lastActivity + idle }
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
    if let decoder { return reception(after: decoder.decode(bytes, deliver: deliver)) }
    switch deliver(bytes) {
    case .proceed, .gather: return .taken
    case .pause:
      machine.pauseReceiving()
      return .taken
    case .stop: return .stop
    }
  }

  private func reception(after outcome: BodyDecoder.Outcome) -> Reception {
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
  private func deliverRest() {
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

  private func deliver(_ bytes: UnsafeRawBufferPointer) -> TransferDisposition {
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
      switch observer.transferDidReceive(head: head) {
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
  private func tellShortBodySent() {
    guard case .bytes(let bytes) = request.body, sentBodyBytes < bytes.count else { return }
    sentBodyBytes = Int64(bytes.count)
    observer?.transferDidSend(total: sentBodyBytes)
  }

  func rewindBody() -> Bool {
    guard case .source(let source) = request.body else { return true }
    guard source.rewind() else {
      noticedFailure = TransferFailure(
        .requestBodyNotRewindable, message: "The body had to be sent again, and it can be read only once.")
      return false
    }
    sentBodyBytes = 0
    return true
  }

  private func startBody() {
    guard case .source(let source) = request.body, !hasStartedBody else { return }
    hasStartedBody = true
    source.start { [weak self] in self?.resumeSending() }
  }

  func done(_ result: CURLcode) {
    let action = machine.done()
    guard action != .none else { return }
    var failure: TransferFailure?
    if result == CURLE_OK {
      core.pace.answered(afterNanoseconds: core.loop.now.nanoseconds - startMoment.nanoseconds)
      tellShortBodySent()
    } else {
      failure = self.failure(for: result)
    }
    if action == .detach {
      endBehindRest = detach(failure)
    } else {
      detachAndFinish(failure ?? decoder?.failureAtEnd())
    }
  }

  private func failure(for result: CURLcode) -> TransferFailure {
    if let noticedFailure { return noticedFailure }
    if let policyRefusal {
      return TransferFailure(.refusedByPolicy, curl: result.rawValue, message: policyRefusal)
    }
    guard let handle else {
      return TransferFailure(.other, curl: result.rawValue, message: "The transfer failed.")
    }
    return TransferFailure(curl: result, easy: handle.easy, text: handle.failureText)
  }

  // MARK: The end

  private func detachAndFinish(_ failure: TransferFailure?) {
    let end = detach(failure)
    core.loop.remove(self)
    finish(end)
  }

  private func detach(_ failure: TransferFailure?) -> TransferEnd {
    var end = endBehindRest ?? TransferEnd()
    end.failure = failure
    if let handle {
      if request.collectsTimings { end.timings = TransferTimings(easy: handle.easy) }
      core.detach(handle)
      core.giveBack(handle)
      self.handle = nil
    }
    return end
  }

  private func finish(_ end: TransferEnd) {
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

extension TransferFailure {
  static let cancelled = TransferFailure(.cancelled, message: "The transfer was cancelled.")

  static let deadlinePassed = TransferFailure(
    .timedOut, message: "The request timed out: it was not complete when its time was over.")

  static func timedOut(after idle: Duration) -> TransferFailure {
    TransferFailure(
      .timedOut,
      message: idle > .zero
        ? "The request timed out: nothing arrived for \(idle)."
        : "The request timed out: it was given no time.")
  }
}
