#if !canImport(Darwin)
  import Foundation
  import Synchronization

  /// A task that writes its response to a file.
  public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// Ends the task and hands over what is needed to go on with it later.
    ///
    /// - Parameter completionHandler: gets the resume data; nil when the server does not serve ranges, gave neither a
    ///   strong entity tag nor a date, or the download had not begun or was over.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
      let isOver = inner.withLock { inner in
        if inner.machine.phase == .completed { return true }
        inner.resumeDataHandlers.append(completionHandler)
        return false
      }
      if isOver { completionHandler(nil) } else { cancel() }
    }

    /// Ends the task and returns what is needed to go on with it later; nil when it cannot be resumed.
    @discardableResult
    public func cancelByProducingResumeData() async -> Data? {
      await withUnsafeContinuation { continuation in
        cancel(byProducingResumeData: { continuation.resume(returning: $0) })
      }
    }

    /// Makes the task's file, before its first request is sent: tasks that wait hold neither file nor descriptor.
    override func prepareSink() throws(URLError) {
      if case .file = sink { return }
      let onRoom: @Sendable () -> Void = { [weak self] in self?.perform(.resumeReceiving) }
      let file =
        if let resume = inner.withLock({ $0.resume }) {
          try DownloadFile(resuming: resume.file, at: resume.offset, onRoom: onRoom)
        } else {
          try DownloadFile(in: FileManager.default.temporaryDirectory, onRoom: onRoom)
        }
      // A task that was cancelled meanwhile has told its end without knowing of the file.
      let isWanted = inner.withLock { inner in
        guard inner.machine.phase == .exchanging else { return false }
        sink = .file(file)
        return true
      }
      if !isWanted { file.remove() }
    }
  }

  extension URLSessionTask {
    func resumeData(for file: DownloadFile) -> Data? {
      let (request, response, resume) = inner.withLock { ($0.currentRequest, $0.response, $0.resume) }
      guard let request, let response, file.isNamed else { return nil }
      return ResumeData(
        request: request, response: response, offset: file.writtenLength, file: file.url,
        wasResumed: resume != nil)?
        .encoded
    }

    /// A resumed download's head: does the server go on, or start again? An error where it does neither.
    func checkResumption(
      _ response: HTTPURLResponse, _ resume: ResumeData?, _ file: DownloadFile
    ) -> URLError? {
      guard let resume, let task = self as? URLSessionDownloadTask else { return nil }
      guard resume.isContinued(by: response) else {
        guard response.statusCode != 206 else {
          return URLError(
            .badServerResponse, sentence: "The server sent another part of the file than the missing one.",
            url: response.url)
        }
        inner.withLock { $0.resume = nil }
        file.truncate()
        return nil
      }
      let rest = inner.withLock { $0.announcedLength }
      guard hasDelegates else { return nil }
      tell(.didResumeAtOffset, (any URLSessionDownloadDelegate).self) {
        $0.urlSession(
          self.session, downloadTask: task, didResumeAtOffset: resume.offset,
          expectedTotalBytes: rest < 0 ? rest : resume.offset + rest)
      }
      return nil
    }
  }
#endif
