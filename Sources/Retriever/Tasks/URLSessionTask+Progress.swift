#if !canImport(Darwin)
  import Foundation
  import Synchronization

  extension URLSessionTask {
    /// The task's progress, in bytes sent and received. Cancelling it cancels the task.
    ///
    /// Made when it is first asked for, so that loads nobody watches pay nothing for it.
    public var progress: Progress {
      let (progress, isNew) = inner.withLock { inner in
        if let progress = inner.progress { return (progress, false) }
        let progress = Progress(totalUnitCount: -1)
        inner.progress = progress
        return (progress, true)
      }
      if isNew {
        progress.isCancellable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        reportProgress()
      }
      return progress
    }

    /// Brings the progress up to what is known. Its setters call observers, so they are called without the lock.
    func reportProgress() {
      let report: (Progress, total: Int64, completed: Int64)? = inner.withLock { inner in
        guard let progress = inner.progress else { return nil }
        let completed = inner.sentBytes + inner.receivedBytes
        if inner.machine.phase == .completed, inner.error == nil { return (progress, completed, completed) }
        guard inner.expectedToReceive >= 0, inner.expectedToSend >= 0 else {
          return (progress, -1, completed)
        }
        return (progress, max(completed, inner.expectedToSend + inner.expectedToReceive), completed)
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
