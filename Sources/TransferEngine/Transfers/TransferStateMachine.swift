/// The life of one transfer: event in, actions out. No libcurl, no thread, no clock.
///
/// libcurl forbids removing a handle from within one of its callbacks and loses an unpause that comes before the
/// pause; this machine is where such orders are kept right.
struct TransferStateMachine: Sendable {
  enum Phase: Equatable, Sendable {
    case created
    case running
    case finished
  }

  enum Action: Equatable, Sendable {
    case none
    /// Give the handle to libcurl.
    case attach
    /// Take the handle back and report the end.
    case detachAndFinish
    /// Report the end; libcurl never had the handle.
    case finish
    /// Tell libcurl which directions stay paused.
    case applyPauses
  }

  private(set) var phase = Phase.created
  private(set) var isReceivePaused = false
  private(set) var isSendPaused = false
  /// What libcurl was last told; a resume that libcurl never saw paused needs no call.
  private var appliedReceivePause = false
  private var appliedSendPause = false

  mutating func start() -> Action {
    guard phase == .created else { return .none }
    phase = .running
    return .attach
  }

  mutating func cancel() -> Action {
    switch phase {
    case .created:
      phase = .finished
      return .finish
    case .running:
      phase = .finished
      return .detachAndFinish
    case .finished:
      return .none
    }
  }

  /// libcurl says the handle is done.
  mutating func done() -> Action {
    guard phase == .running else { return .none }
    phase = .finished
    return .detachAndFinish
  }

  mutating func pauseReceiving() { isReceivePaused = true }

  /// Asked before each piece is taken; true tells libcurl to keep it until the resume.
  mutating func holdsBack() -> Bool {
    if isReceivePaused { appliedReceivePause = true }
    return isReceivePaused
  }

  mutating func resumeReceiving() -> Action {
    guard isReceivePaused else { return .none }
    isReceivePaused = false
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
    return .applyPauses
  }
}
