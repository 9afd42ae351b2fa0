#if !canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

/// Where a session learns about networks. Tests use their own.
struct NetworkSource: Sendable {
  var current: @Sendable () -> ConnectivityRule.Network
  /// Calls back once after the next change. Returns a number to withdraw with.
  var wait: @Sendable (@escaping @Sendable () -> Void) -> UInt64
  var withdraw: @Sendable (UInt64) -> Void

  static let system = NetworkSource(
    current: { NetworkMonitor.current }, wait: { NetworkMonitor.shared.wait($0) },
    withdraw: { NetworkMonitor.shared.withdraw($0) })
}

/// Calls back when the networks change or the time is over. Releasing it ends the wait.
final class ConnectivityWait: PendingWait {
  private let source: NetworkSource
  private let identifier: UInt64
  private let timer: Task<Void, Never>

  init(_ source: NetworkSource, upTo limit: Duration, _ changed: @escaping @Sendable () -> Void) {
    self.source = source
    let isOver = Flag()
    let report: @Sendable () -> Void = { if isOver.setOnce() { changed() } }
    identifier = source.wait(report)
    timer = Task {
      try? await Task.sleep(for: limit)
      if !Task.isCancelled { report() }
    }
  }

  deinit {
    timer.cancel()
    source.withdraw(identifier)
  }
}

// Waiting for a network after a load could not connect.
extension URLSessionTask {
  /// Decides whether to wait or to fail. The exchange is over, and no delegate is asked.
  func waitForConnectivity(after error: any Error) {
    let source = settings.networks
    // The kernel is asked on another thread than that of all transfers.
    DispatchQueue.global().async { [self] in
      let code = (error as? URLError)?.code ?? .unknown
      let network = source.current()
      let decision = lockedState.withLock { state in
        // Without a connection, nothing was read from a stream.
        if state.currentRequest?.httpBodyStream?.streamStatus == .notOpen { state.hasSentBody = false }
        var rule = state.connectivity ?? ConnectivityRule()
        defer { state.connectivity = rule }
        return rule.failed(code, network: network)
      }
      guard case .wait(let limit, let isFirst) = decision else { return abort(error) }
      background?.note(.unsent(identifier))
      if isFirst {
        notifyDelegate(.isWaitingForConnectivity, (any URLSessionTaskDelegate).self) {
          $0.urlSession(self.session, taskIsWaitingForConnectivity: self)
        }
      }
      let wait = ConnectivityWait(source, upTo: limit) { [weak self] in self?.tryAgain() }
      let isWanted = lockedState.withLock { state in
        if !state.machine.isEnding { state.pendingWait = wait }
        return !state.machine.isEnding
      }
      // The network may have come back before the wait began.
      if isWanted, network == .offline, source.current() == .online { tryAgain() }
    }
  }

  private func tryAgain() {
    let (action, wait) = lockedState.withLock { state in
      let (timer, wait) = (state.machine.timer, state.pendingWait)
      state.pendingWait = nil
      if !state.machine.isEnding { state.error = nil }
      return (state.machine.answeredFollow(), (timer, wait))
    }
    // Released here, and not under the lock.
    withExtendedLifetime(wait) {}
    perform(action)
  }
}
#endif
