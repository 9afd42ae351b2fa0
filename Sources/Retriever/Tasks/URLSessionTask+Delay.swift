#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Loads that begin at a date.
extension URLSessionTask {
  /// Waits for the date before the first request is sent. Then asks the delegate.
  func begin(at date: Date) {
    let timer = BeginTimer(at: date, settings.wallClock) { [weak self] in self?.beginDelayed() }
    lockedState.withLock { state in
      if state.machine.isPreparing { state.pendingWait = timer }
    }
  }

  private func beginDelayed() {
    guard let request = sentRequest else { return }
    ask(
      .willBeginDelayedRequest, of: (any URLSessionTaskDelegate).self,
      { delegate, answer in
        delegate.urlSession(
          self.session, task: self, willBeginDelayedRequest: request,
          completionHandler: { answer(($0, $1)) })
      },
      then: { (answer: (URLSession.DelayedRequestDisposition, URLRequest?)?) in
        switch answer?.0 ?? .continueLoading {
        case .cancel: self.cancel()
        case .continueLoading: self.prepareDelayed(nil)
        case .useNewRequest: self.prepareDelayed(answer?.1)
        }
      })
  }

  private func prepareDelayed(_ newRequest: URLRequest?) {
    let isWanted = lockedState.withLock { state in
      guard state.machine.isPreparing else { return false }
      if let newRequest { state.currentRequest = newRequest }
      // The time before the load began does not count.
      if let limit = settings.resourceTimeout { state.deadline = TransferDeadline(after: limit) }
      return true
    }
    if isWanted { prepareBody() }
  }
}
#endif
