/// The life of one transfer: event in, actions out. No libcurl, no thread, no clock.
///
/// A transfer waits first: for its turn, for its server's addresses. Then libcurl has it, once or several times.
/// libcurl forbids removing a handle from within one of its callbacks and loses an unpause that comes before the
/// pause; this machine is where such orders are kept right.
struct TransferStateMachine: Sendable {
  enum Phase: Equatable, Sendable {
    case created
    /// In the queue, or waiting for what libcurl needs; libcurl does not have it.
    case waiting
    case running
    /// libcurl is done with it, and decoded bytes wait until their consumer wants them.
    case draining
    case finished
  }

  enum Action: Equatable, Sendable {
    case none
    /// Take a place in the queue.
    case enqueue
    /// Give the handle to libcurl.
    case attach
    /// Take the handle back and report the end.
    case detachAndFinish
    /// Report the end; libcurl does not have the handle.
    case finish
    /// Take the handle back; the end is reported when the rest is delivered.
    case detach
    /// Tell libcurl which directions stay paused.
    case applyPauses
    /// Hand over what the decoder kept, and say so with ``TransferStateMachine/restIsDelivered()``.
    case deliverRest
  }

  private(set) var phase = Phase.created
  private(set) var isReceivePaused = false
  private(set) var isSendPaused = false
  /// What libcurl was last told; a resume that libcurl never saw paused needs no call.
  private var appliedReceivePause = false
  private var appliedSendPause = false
  /// Received bytes that were not delivered yet: only while receiving is paused.
  private(set) var hasRest = false

  mutating func start() -> Action {
    guard phase == .created else { return .none }
    phase = .waiting
    return .enqueue
  }

  /// Its turn has come, and libcurl can be given all it needs.
  mutating func begin() -> Action {
    guard phase == .waiting else { return .none }
    phase = .running
    return .attach
  }

  /// The request is sent again from its first byte: libcurl gets the handle once more.
  mutating func restart() -> Action {
    guard phase == .running, !hasRest else { return .none }
    isReceivePaused = false
    isSendPaused = false
    appliedReceivePause = false
    appliedSendPause = false
    return .attach
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

  /// libcurl says the handle is done.
  mutating func done() -> Action {
    guard phase == .running else { return .none }
    phase = hasRest ? .draining : .finished
    return hasRest ? .detach : .detachAndFinish
  }

  mutating func pauseReceiving() { isReceivePaused = true }

  /// The consumer paused in the middle of what one piece decodes to.
  mutating func pauseReceivingWithRest() {
    isReceivePaused = true
    hasRest = true
  }

  /// Asked before each piece is taken; true tells libcurl to keep it until the resume.
  mutating func holdsBack() -> Bool {
    if isReceivePaused { appliedReceivePause = true }
    return isReceivePaused
  }

  mutating func resumeReceiving() -> Action {
    guard isReceivePaused else { return .none }
    isReceivePaused = false
    guard phase != .finished else { return .none }
    return hasRest ? .deliverRest : goOnReceiving()
  }

  /// What was kept has been handed over, to the last byte; the consumer may have paused again behind it.
  mutating func restIsDelivered() -> Action {
    guard hasRest else { return .none }
    hasRest = false
    switch phase {
    case .draining:
      phase = .finished
      return .finish
    case .running: return isReceivePaused ? .none : goOnReceiving()
    case .created, .waiting, .finished: return .none
    }
  }

  private mutating func goOnReceiving() -> Action {
    guard phase == .running, appliedReceivePause else { return .none }
    appliedReceivePause = false
    return .applyPauses
  }

  mutating func pauseSending() {
    isSendPaused = true
    appliedSendPause = true
  }

  mutating func resumeSending() -> Action {
    guard isSendPaused else { return .none }
    isSendPaused = false
    guard phase == .running, appliedSendPause else { return .none }
    appliedSendPause = false
    // libcurl is told of both directions at once.
    appliedReceivePause = isReceivePaused
    return .applyPauses
  }
}
