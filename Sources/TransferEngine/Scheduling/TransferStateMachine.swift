/// The life cycle of one transfer: event in, action out. It uses no libcurl, no thread and no clock.
///
/// A transfer first waits for its turn and for its server's addresses. Then libcurl gets it, once or several times.
/// libcurl does not allow removing a handle inside one of its callbacks, and loses a resume that comes before the
/// pause. This state machine ensures the correct order.
struct TransferStateMachine: Sendable {
  private enum Phase: Equatable, Sendable {
    case created
    /// In the queue, or waiting for data that libcurl needs; libcurl does not have the handle.
    case waiting
    case running
    /// libcurl has finished the transfer, and decoded bytes wait until their consumer wants them.
    case draining
    case finished
  }

  enum Action: Equatable, Sendable {
    case none
    /// Take a place in the queue.
    case enqueue
    /// Give up the place in the queue.
    case leaveQueue
    /// Give the handle to libcurl.
    case attach
    /// Remove the handle from libcurl and report the end.
    case detachAndFinish
    /// Report the end; libcurl does not have the handle.
    case finish
    /// Remove the handle from libcurl. The end is reported when the rest has been delivered.
    case detach
    /// Set which directions are paused in libcurl.
    case applyPauses
    /// Deliver the input that the decoder kept, and then call ``TransferStateMachine/didDeliverRemaining()``.
    case deliverRemaining
  }

  private var phase = Phase.created
  /// Whether the transfer waits for its turn or for data that libcurl needs.
  var isWaiting: Bool { phase == .waiting }
  /// Whether libcurl has the transfer.
  var isRunning: Bool { phase == .running }
  /// Whether the end was reported or is about to be.
  var isFinished: Bool { phase == .finished }
  /// Whether the transfer must not begin: it waits outside the queue.
  private(set) var isHeld = false
  private(set) var isReceivePaused = false
  private(set) var isSendPaused = false
  /// Whether sending is paused because the transfer is held, and not because the body's source waits.
  private(set) var isSendHeld = false
  /// The pauses last applied to libcurl. A resume after a pause that libcurl never saw needs no call.
  private var appliedReceivePause = false
  private var appliedSendPause = false
  /// Whether received bytes have not been delivered yet, which only happens while receiving is paused.
  private(set) var hasUndelivered = false

  mutating func start() -> Action {
    guard phase == .created else { return .none }
    phase = .waiting
    return .enqueue
  }

  /// The transfer's turn has come, and all data that libcurl needs is available.
  mutating func begin() -> Action {
    guard phase == .waiting, !isHeld else { return .none }
    phase = .running
    return .attach
  }

  /// Keeps a transfer that has not begun from beginning. One that has begun stops sending with ``holdSending()``, when
  /// libcurl asks for more of the body.
  mutating func hold() -> Action {
    guard !isHeld, phase == .created || phase == .waiting else { return .none }
    isHeld = true
    return phase == .waiting ? .leaveQueue : .none
  }

  /// Lets a transfer begin that was held.
  mutating func release() -> Action {
    guard isHeld else { return .none }
    isHeld = false
    return phase == .waiting ? .enqueue : .none
  }

  /// The request is sent again from its first byte: libcurl gets the handle again.
  mutating func restart() -> Action {
    guard phase == .running, !hasUndelivered else { return .none }
    isReceivePaused = false
    isSendPaused = false
    isSendHeld = false
    appliedReceivePause = false
    appliedSendPause = false
    return .attach
  }

  /// libcurl has given up the handshake, and the transfer waits for a decision before it begins again.
  mutating func waitAgain() -> Action {
    guard restart() == .attach else { return .none }
    phase = .waiting
    return .detach
  }

  mutating func cancel() -> Action {
    switch phase {
    case .created, .waiting:
      phase = .finished
      return .finish
    case .running:
      phase = .finished
      return .detachAndFinish
    case .draining:
      phase = .finished
      return .finish
    case .finished:
      return .none
    }
  }

  /// libcurl reports that the handle is done.
  mutating func done() -> Action {
    guard phase == .running else { return .none }
    phase = hasUndelivered ? .draining : .finished
    return hasUndelivered ? .detach : .detachAndFinish
  }

  mutating func pauseReceiving() { isReceivePaused = true }

  /// The consumer paused in the middle of the decoded data of one piece.
  mutating func pauseReceivingWithRemaining() {
    isReceivePaused = true
    hasUndelivered = true
  }

  /// Called before each piece is accepted. True makes libcurl keep the piece until the transfer resumes.
  mutating func shouldPauseLibcurl() -> Bool {
    if isReceivePaused { appliedReceivePause = true }
    return isReceivePaused
  }

  mutating func resumeReceiving() -> Action {
    guard isReceivePaused else { return .none }
    isReceivePaused = false
    guard phase != .finished else { return .none }
    return hasUndelivered ? .deliverRemaining : continueReceiving()
  }

  /// All kept bytes have been delivered. The consumer may have paused again afterwards.
  mutating func didDeliverRemaining() -> Action {
    guard hasUndelivered else { return .none }
    hasUndelivered = false
    switch phase {
    case .draining:
      phase = .finished
      return .finish
    case .running: return isReceivePaused ? .none : continueReceiving()
    case .created, .waiting, .finished: return .none
    }
  }

  private mutating func continueReceiving() -> Action {
    guard phase == .running, appliedReceivePause else { return .none }
    appliedReceivePause = false
    return .applyPauses
  }

  mutating func pauseSending() {
    isSendPaused = true
    appliedSendPause = true
  }

  /// Pauses sending because the transfer is held.
  mutating func holdSending() {
    pauseSending()
    isSendHeld = true
  }

  /// Sends again if sending was paused because the transfer was held. If the source waits, it resumes by itself.
  mutating func releaseSending() -> Action { isSendHeld ? resumeSending() : .none }

  mutating func resumeSending() -> Action {
    guard isSendPaused else { return .none }
    isSendPaused = false
    isSendHeld = false
    guard phase == .running, appliedSendPause else { return .none }
    appliedSendPause = false
    // One call to libcurl sets both directions.
    appliedReceivePause = isReceivePaused
    return .applyPauses
  }
}
