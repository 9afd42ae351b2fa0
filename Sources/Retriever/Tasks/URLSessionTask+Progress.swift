#if !canImport(Darwin)
import Foundation
import Synchronization

extension URLSessionTask {
  /// Updates the progress. Its setters call observers, so they are called without the lock.
  func reportProgress() {
    let report: (Progress, total: Int64, completed: Int64)? = lockedState.withLock { state in
      guard let progress = state.progress else { return nil }
      let completed = state.counts.sent + state.counts.received
      if state.machine.isCompleted, state.error == nil { return (progress, completed, completed) }
      guard state.counts.expected >= 0, state.expectedToSend >= 0 else {
        return (progress, -1, completed)
      }
      return (progress, max(completed, state.expectedToSend + state.counts.expected), completed)
    }
    guard let (progress, total, completed) = report else { return }
    if progress.totalUnitCount != total { progress.totalUnitCount = total }
    if progress.completedUnitCount != completed { progress.completedUnitCount = completed }
  }
}

extension TaskState {
  var expectedToSend: Int64 {
    if let bodyLength { return bodyLength }
    let stated = currentRequest?.statedBodyLength ?? NSURLSessionTransferSizeUnknown
    if let uploadBody { return uploadBody.length ?? stated }
    if let body = currentRequest?.httpBody { return Int64(body.count) }
    return currentRequest?.httpBodyStream == nil ? 0 : stated
  }
}
#endif
