#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// A data task that becomes a task of another kind, because its delegate wants that. The new task takes over the
// identifier, the response and the transfer. The transfer still reports to the data task, which forwards the reports.
extension URLSessionTask {
  /// The task that this one has become.
  var successor: URLSessionTask? { lockedState.withLock { $0.successor } }

  /// Gives the response to a new task. The transfer is paused or over. Returns false if this task has ended.
  func handOver(_ response: URLResponse, to successor: URLSessionTask) -> Bool {
    let offered = lockedState.withLock { state in state.machine.handover.map { (state, $0) } }
    guard let (state, handover) = offered else { return false }
    // Complete before the transfer can end and be reported to it.
    successor.lockedState.withLock { $0.takeOver(state, response, handover) }
    let (taken, error, timer) = lockedState.withLock { state in
      let timer = state.machine.timer
      guard let taken = state.machine.handOver() else { return (nil, nil, timer) as Taken }
      defer { state.becameOther(successor) }
      return (taken, state.error, timer)
    }
    // Released here, and not under the lock.
    withExtendedLifetime((timer, state)) {}
    guard let taken else { return false }
    session.register(replacement: successor)
    if let progress = successor.lockedState.withLock({ $0.progress }) {
      progress.cancellationHandler = { [weak successor] in successor?.cancel() }
    }
    if handover.transfer != nil, taken.transfer == nil {
      // The transfer has ended in the meantime, and was reported to this task.
      successor.finishExchange(error, isFinal: false)
    }
    return true
  }

  private typealias Taken = (
    TaskStateMachine<TaskTransfer, QuestionTimer>.Handover?, (any Error)?, QuestionTimer?
  )

  /// Continues with what another task has handed over, after its delegate was informed.
  func continueAfterTakingOver() {
    perform(lockedState.withLock { $0.machine.actionAfterTakingOver() })
  }
}

extension URLSessionDataTask {
  /// Continues as a download task.
  func becomeDownload(with response: URLResponse) {
    guard let request = initialRequest else { return cancel() }
    let task = URLSessionDownloadTask(session: session, request: request, identifier: identifier)
    let file: DownloadFile
    do throws(URLError) {
      file = try DownloadFile(
        in: FileManager.default.temporaryDirectory, onRoom: { [weak task] in task?.wantsMore() })
    } catch {
      return abort(error)
    }
    task.sink = .file(file)
    guard handOver(response, to: task) else { return file.remove() }
    task.notifyDelegate(.didBecomeDownload, (any URLSessionDataDelegate).self) {
      $0.urlSession(self.session, dataTask: self, didBecome: task)
    }
    task.continueAfterTakingOver()
  }
}

extension URLSessionDataTask {
  /// Continues as a stream task.
  func becomeStream(with response: URLResponse) {
    guard let request = initialRequest else { return cancel() }
    let task = URLSessionStreamTask(session: session, request: request, identifier: identifier)
    guard handOver(response, to: task) else { return }
    task.notifyDelegate(.didBecomeStream, (any URLSessionDataDelegate).self) {
      $0.urlSession(self.session, dataTask: self, didBecome: task)
    }
    task.connection.openBody()
    task.continueAfterTakingOver()
  }
}

extension TaskState {
  /// Takes over from another task.
  fileprivate mutating func takeOver(
    _ other: TaskState, _ response: URLResponse,
    _ handover: TaskStateMachine<TaskTransfer, QuestionTimer>.Handover
  ) {
    machine.takeOver(handover)
    currentRequest = other.currentRequest
    self.response = response
    error = other.error
    delegate = other.delegate
    completion = .delegate
    uploadBody = other.uploadBody
    deadline = other.deadline
    redirectCount = other.redirectCount
    bodyLength = other.bodyLength
    counts = other.counts
    counts.deliver()
    measurements = other.measurements
    progress = other.progress
    attributes = other.attributes
  }

  /// Keeps only what a program may ask a task for after its end.
  fileprivate mutating func becameOther(_ task: URLSessionTask) {
    successor = task
    delegate = nil
    completion = nil
    error = nil
    measurements = nil
    progress = nil
  }
}
#endif
