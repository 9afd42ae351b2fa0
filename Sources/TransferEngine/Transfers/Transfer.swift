import CCurl

/// One exchange under way: the driver of ``TransferStateMachine``.
///
/// `@unchecked Sendable`: `request`, `client` and `core` are immutable; everything else is touched on the loop's
/// thread only. Other threads post commands.
package final class Transfer: @unchecked Sendable {
  package let request: TransferRequest
  private let client: TransferClient
  let core: ClientCore

  // The loop thread's own.
  private var observer: (any TransferObserver)?
  private var machine = TransferStateMachine()
  private var handle: EasyHandle?
  private var head = HeadCollector()
  private var lastActivity: Monotonic
  private var receivedBodyBytes: Int64 = 0
  private var sentBodyBytes: Int64 = 0
  private var hasStartedBody = false
  private var reusedConnection = false
  /// Where the loop keeps this transfer; -1 when it does not.
  var runningIndex = -1
  /// A failure noticed inside a callback; it says more than the code libcurl ends with.
  private var noticedFailure: TransferFailure?
  var policyRefusal: String?
  var socketError: Int32 = 0

  init(request: TransferRequest, observer: any TransferObserver, client: TransferClient, core: ClientCore) {
    self.request = request
    self.observer = observer
    self.client = client
    self.core = core
    self.lastActivity = Monotonic(nanoseconds: 0)
  }

  // MARK: From any thread

  package func start() { core.loop.post(.start(self)) }

  /// Ends the transfer as soon as its loop comes to it: queued, connecting, sending, receiving or paused.
  package func cancel() { core.loop.post(.cancel(self)) }

  package func resumeReceiving() { core.loop.post(.resumeReceiving(self)) }

  package func resumeSending() { core.loop.post(.resumeSending(self)) }

  // MARK: Commands, on the loop

  func attach() {
    guard machine.start() == .attach else { return }
    lastActivity = core.loop.now
    if let idle = request.idleTimeout, idle <= .zero { return finish(.timedOut(after: idle)) }
    do {
      let handle = try takeHandle()
      self.handle = handle
      try handle.prepare(for: self)
      startBody()
      try add(handle)
      core.loop.add(self)
    } catch {
      finish(error)
    }
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
    detachAndFinish(TransferFailure(.cancelled, message: "The transfer was cancelled."))
  }

  func resumeReceivingOnLoop() {
    lastActivity = core.loop.now
    if let expiry { core.loop.include(expiry) }
    if machine.resumeReceiving() == .applyPauses { applyPauses() }
  }

  func resumeSendingOnLoop() {
    lastActivity = core.loop.now
    if machine.resumeSending() == .applyPauses { applyPauses() }
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
    if let deadline = request.deadline {
      let moment = Monotonic.now() + ContinuousClock.now.duration(to: deadline)
      earliest = earliest.map { min($0, moment) } ?? moment
    }
    return earliest
  }

  func expire() {
    guard machine.cancel() != .none else { return }
    detachAndFinish(.timedOut(after: request.idleTimeout ?? .zero))
  }

  // MARK: What libcurl reports

  enum Reception { case taken, keep, stop }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
    if machine.holdsBack() { return .keep }
    guard machine.phase == .running, let observer else { return .stop }
    lastActivity = core.loop.now
    receivedBodyBytes += Int64(bytes.count)
    if let limit = request.limits.bodyBytes, receivedBodyBytes > limit {
      noticedFailure = TransferFailure(
        .bodyTooLarge, message: "The response is longer than the limit of \(limit) bytes that was set.")
      return .stop
    }
    switch observer.transferDidReceive(bytes: bytes) {
    case .proceed: return .taken
    case .pause:
      machine.pauseReceiving()
      return .taken
    case .stop: return .stop
    }
  }

  /// False ends the transfer.
  func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard machine.phase == .running, let observer else { return false }
    lastActivity = core.loop.now
    switch head.append(line, limits: request.limits) {
    case .more: return true
    case .informational(let head):
      observer.transferDidReceive(informational: head)
      return true
    case .complete(let head):
      switch observer.transferDidReceive(head: head) {
      case .proceed: return true
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
    case .end: break
    }
    return answer
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
    guard machine.done() == .detachAndFinish else { return }
    if result == CURLE_OK {
      if case .bytes(let bytes) = request.body { observer?.transferDidSend(total: Int64(bytes.count)) }
      detachAndFinish(nil)
    } else {
      detachAndFinish(failure(for: result))
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
    var end = TransferEnd(failure: failure)
    if let handle {
      if request.collectsTimings { end.timings = TransferTimings(easy: handle.easy) }
      core.detach(handle)
      core.giveBack(handle)
      self.handle = nil
    }
    core.loop.remove(self)
    finish(end)
  }

  private func finish(_ failure: TransferFailure) {
    _ = machine.cancel()
    if let handle {
      core.giveBack(handle)
      self.handle = nil
    }
    finish(TransferEnd(failure: failure))
  }

  private func finish(_ end: TransferEnd) {
    var end = end
    end.receivedBytes = receivedBodyBytes
    let observer = observer
    self.observer = nil
    observer?.transferDidFinish(end)
  }
}

extension TransferFailure {
  static func timedOut(after idle: Duration) -> TransferFailure {
    TransferFailure(
      .timedOut,
      message: idle > .zero
        ? "The request timed out: nothing arrived for \(idle)."
        : "The request timed out: it was given no time.")
  }
}
