#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// What a task of a background session writes to the session's journal. Has no effect on other tasks.
extension URLSessionTask {
  /// The record of the task in its session's journal; nil if it is not there.
  private var record: BackgroundTaskRecord? { background?.record(identifier) }

  func noteAttributes() {
    background?.note(.attributes(identifier, storedAttributes))
  }

  var storedAttributes: BackgroundTaskRecord.Attributes {
    let attributes = lockedState.withLock { $0.attributes }
    return BackgroundTaskRecord.Attributes(
      priority: attributes.priority, taskDescription: attributes.taskDescription,
      earliestBeginDate: attributes.earliestBeginDate, clientExpectsToSend: attributes.clientExpectsToSend,
      clientExpectsToReceive: attributes.clientExpectsToReceive)
  }

  /// Records that the task is about to run, before it does.
  func noteResume() {
    guard let background, lockedState.withLock({ $0.machine.runsAfterResume }) else {
      return
    }
    background.note(.resumed(identifier, settings.wallClock.now()))
  }

  func noteSuspension() { background?.note(.suspended(identifier)) }

  func noteCancellation() { background?.note(.cancelled(identifier)) }

  /// How long the task may take. The time in earlier runs of the program counts.
  var resourceTimeout: Duration? {
    guard let limit = settings.resourceTimeout else { return nil }
    guard let began = record?.began else { return limit }
    let elapsed = settings.wallClock.now().timeIntervalSince(began)
    return max(.zero, limit - (Duration(seconds: elapsed) ?? .zero))
  }

  /// Records that the request may reach the server from now on, if it must not be sent again then. If that cannot be
  /// recorded, the request is not sent.
  package func transferWillBegin() -> TransferFailure? {
    guard let background, let request = sentRequest, !TakeUpRule.mayRepeat(request),
      !background.note(.underWay(identifier), isSynced: true)
    else { return nil }
    return TransferFailure(
      .other,
      message:
        "The request was not sent, because the background session could not store that it is under way. "
        + "Check the free space on the disk.")
  }

  // MARK: The file of a download

  /// Creates the file of a download, or opens that of an earlier run; nil if the task is not in a journal.
  func makeBackgroundFile(onRoom: @escaping @Sendable () -> Void) throws(URLError) -> DownloadFile? {
    guard let background, let record, let directory = background.directory else {
      return nil
    }
    let identifier = identifier
    let onSync: @Sendable (Int64) -> Void = { background.note(.synced(identifier, $0)) }
    if let resume = lockedState.withLock({ $0.resume }), let partial = record.partial {
      let file = partial.isTemporary ? resume.file : directory.appendingPathComponent(partial.name)
      return try DownloadFile(resuming: file, at: resume.offset, onSync: onSync, onRoom: onRoom)
    }
    let partial = BackgroundTaskRecord.Partial(
      name: PartialFileName.random(), isTemporary: false, boot: BackgroundDirectory.boot)
    guard background.note(.partial(identifier, partial)) else {
      throw URLError(
        .cannotWriteToFile,
        message: "The background session could not store the download's file name in \(directory.path). "
          + "Check the free space on the disk.")
    }
    return try DownloadFile(
      at: directory.appendingPathComponent(partial.name), onSync: onSync, onRoom: onRoom)
  }

  /// Records the head of a response whose body begins at the beginning of the file.
  func noteHead(_ response: URLResponse, _ file: DownloadFile) {
    guard let background, let stored = StoredResponse(response) else { return }
    let (request, isResumed, length) = lockedState.withLock {
      ($0.currentRequest, $0.resume != nil, $0.counts.announced)
    }
    guard let request, !isResumed else { return }
    let resume = (response as? HTTPURLResponse).flatMap {
      ResumeData(request: request, response: $0, offset: 1, file: file.url, wasResumed: false)
    }
    let entry = BackgroundEntry.head(
      identifier, stored, validator: resume?.validator, length: length < 0 ? nil : length)
    // After the file was emptied, and before the first byte is written.
    file.perform { background.note(entry) }
  }

  /// Records that the file is complete. Runs on the file's queue.
  func noteFinished(_ file: DownloadFile) {
    guard let background else { return }
    let (response, hasFailed) = lockedState.withLock { ($0.response, $0.error != nil || $0.machine.isEnding) }
    guard !hasFailed, let stored = response.flatMap(StoredResponse.init) else { return }
    background.note(
      .finished(identifier, .init(response: stored, length: file.writtenLength)), isSynced: true)
  }

  /// Moves the file of an interrupted download to where resume data expect it. Returns false if that fails.
  func moveToTemporaryDirectory(_ file: DownloadFile) -> Bool {
    guard let record, record.partial?.isTemporary == false else { return true }
    let target = FileManager.default.temporaryDirectory.appendingPathComponent(file.url.lastPathComponent)
    return (try? FileManager.default.moveItem(at: file.url, to: target)) != nil
  }

  // MARK: Taking up

  /// Continues a task that an earlier run left.
  func takeUp(_ left: BackgroundStore.Left) {
    switch left.action {
    case .start, .resume: if !left.task.isSuspended { resume() }
    case .deliver(let response): deliver(response.response, left.file)
    case .complete(let response): finish(response.response, nil)
    case .failUnderWay:
      finish(
        nil,
        URLError(
          .networkConnectionLost,
          message:
            "The program ended while the request was being sent. The server may have received it. It is not sent "
            + "again, because its method is not idempotent.",
          url: sentRequest?.url))
    case .failCancelled: finish(nil, URLError.cancelled(sentRequest?.url))
    }
  }

  private func deliver(_ response: URLResponse?, _ url: URL?) {
    guard let url, let length = record?.finished?.length ?? record?.partial?.length else {
      return finish(nil, URLError(.cannotOpenFile, message: "The file of the download is missing."))
    }
    do throws(URLError) {
      sink = .file(try DownloadFile(resuming: url, at: length, onRoom: {}))
      lockedState.withLock { $0.counts.restore(length) }
      finish(response, nil)
    } catch {
      finish(nil, error)
    }
  }

  /// Reports the end of a task that has no transfer in this run.
  private func finish(_ response: URLResponse?, _ error: URLError?) {
    let action = lockedState.withLock { state in
      state.response = response
      state.error = error
      state.machine.takeOver(.init(transfer: nil, suspensions: 0))
      return state.machine.actionAfterTakingOver()
    }
    perform(action)
  }
}

extension TaskCounts {
  /// The body of a complete download.
  fileprivate mutating func restore(_ length: Int64) {
    receive(Int(length))
    announced = length
    deliver()
  }
}
#endif
