#if !canImport(Darwin)
import Foundation
import Synchronization

/// A task that writes its response to a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
  /// Cancels the task and passes the data for resuming it to a handler.
  ///
  /// - Parameter completionHandler: receives the resume data. It is nil if the server does not support ranges, or if
  ///   it sent neither a strong entity tag nor a date. It is also nil if the download had not started or was
  ///   complete.
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    cancelProducingResumeData(for: completionHandler)
  }

  /// Cancels the task and returns the data for resuming it; nil if it cannot be resumed.
  @discardableResult
  open func cancelByProducingResumeData() async -> Data? {
    await withUnsafeContinuation { continuation in
      cancel(byProducingResumeData: { continuation.resume(returning: $0) })
    }
  }

  /// Creates the task's file before the first request is sent, so that waiting tasks use neither a file nor a
  /// descriptor.
  override func prepareSink() throws(URLError) {
    if case .file = sink { return }
    let onRoom: @Sendable () -> Void = { [weak self] in self?.wantsMore() }
    let file =
      if let journalled = try makeBackgroundFile(onRoom: onRoom) {
        journalled
      } else if let resume = lockedState.withLock({ $0.resume }) {
        try DownloadFile(resuming: resume.file, at: resume.offset, onRoom: onRoom)
      } else {
        try DownloadFile(in: FileManager.default.temporaryDirectory, onRoom: onRoom)
      }
    // A task that was cancelled in the meantime has completed without knowing about the file.
    let isWanted = lockedState.withLock { state in
      guard state.machine.isPreparing else { return false }
      sink = .file(file)
      return true
    }
    if !isWanted { file.remove() }
  }
}

extension URLSessionTask {
  /// Cancels the task. The handler receives its resume data.
  func cancelProducingResumeData(for handler: @escaping @Sendable (Data?) -> Void) {
    let isOver = lockedState.withLock { state in
      if state.machine.isCompleted { return true }
      state.resumeDataHandlers.append(handler)
      return false
    }
    if isOver { handler(nil) } else { cancel() }
  }

  func resumeData(for file: DownloadFile) -> Data? {
    let (request, response, resume) = lockedState.withLock { ($0.currentRequest, $0.response, $0.resume) }
    guard let request, file.isNamed else { return nil }
    let data: ResumeData?
    switch (response as? HTTPURLResponse, resume) {
    case (let response?, let resume):
      // A response that does not continue the file says nothing about the bytes in it.
      let isUsable = resume?.isContinued(by: response) ?? true
      data =
        isUsable
        ? ResumeData(
          request: request, start: request.url.flatMap(originBeforeRedirects(to:)), response: response,
          offset: file.writtenLength, file: file.url, wasResumed: resume != nil) : nil
    case (nil, var resume?):
      // The server has not answered, so the file is as it was before.
      resume.headers = ResumeData.headers(of: initialRequest ?? request)
      data = resume
    case (nil, nil): data = nil
    }
    guard let encoded = data?.encoded, moveToTemporaryDirectory(file) else { return nil }
    return encoded
  }

  /// Checks the head of a resumed download. The server may continue or start again; anything else is an error.
  func checkResumption(
    _ response: URLResponse, _ resume: ResumeData?, _ file: DownloadFile
  ) -> URLError? {
    guard let resume, let task = self as? URLSessionDownloadTask else { return nil }
    let response = response as? HTTPURLResponse
    guard let response, resume.isContinued(by: response) else {
      guard response?.statusCode != 206 else {
        return URLError(
          .badServerResponse, message: "The server sent a different range of the file than requested.",
          url: response?.url)
      }
      lockedState.withLock { $0.resume = nil }
      file.truncate()
      return nil
    }
    let rest = lockedState.withLock { $0.counts.announced }
    guard hasDelegates else { return nil }
    notifyDelegate(.didResumeAtOffset, (any URLSessionDownloadDelegate).self) {
      $0.urlSession(
        self.session, downloadTask: task, didResumeAtOffset: resume.offset,
        expectedTotalBytes: TaskCounts.length(resume.offset, rest))
    }
    return nil
  }

  /// The error of a resumed download whose server ends its response before the end of the file; nil if it is complete.
  func errorOfIncompleteRest(_ state: TaskState) -> URLError? {
    guard case .file = sink, let resume = state.resume, let response = state.response as? HTTPURLResponse,
      resume.isIncomplete(after: response, bodyLength: state.counts.received)
    else { return nil }
    return URLError(
      .networkConnectionLost, message: "The server sent only a part of the rest of the file.",
      suggestion: "Resume the download.", url: response.url)
  }
}
#endif
