#if !canImport(Darwin)
import Foundation

// Asynchronous loads. Cancelling the surrounding Task ends the transfer immediately and throws `URLError.cancelled`.
// A status such as 404 is a response, not an error.
extension URLSession {
  // MARK: Data

  /// Loads a URL into memory.
  ///
  /// - Returns: the complete body and the response.
  /// - Throws: `URLError`; `.cancelled` if the surrounding Task is cancelled.
  public func data(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await data(for: URLRequest(url: url), delegate: delegate)
  }

  /// Loads a request into memory.
  ///
  /// - Parameters:
  ///   - request: the request to load.
  ///   - delegate: the delegate of this task, preferred to the session's delegate.
  /// - Returns: the complete body and the response.
  /// - Throws: `URLError`; `.cancelled` if the surrounding Task is cancelled.
  public func data(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await data(of: URLSessionDataTask(session: self, request: request), delegate)
  }

  // MARK: Upload

  /// Sends data.
  ///
  /// - Returns: the complete response body, and the response.
  /// - Throws: `URLError`; `.cancelled` if the surrounding Task is cancelled. If the upload was interrupted and can be
  ///   resumed, the error has `uploadTaskResumeData`.
  public func upload(
    for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await data(of: makeUploadTask(request, .data(bodyData)), delegate)
  }

  /// Sends a file in pieces. It is never completely in memory.
  ///
  /// - Returns: the complete response body, and the response.
  /// - Throws: `URLError`; `.fileDoesNotExist` if there is no such file, `.cancelled` if the surrounding Task is
  ///   cancelled. If the upload was interrupted and can be resumed, the error has `uploadTaskResumeData`.
  public func upload(
    for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await data(of: makeUploadTask(request, .file(fileURL)), delegate)
  }

  /// Resumes an interrupted upload. The server's offset decides which bytes are sent again.
  ///
  /// An uploaded file must still exist and must not have changed.
  ///
  /// - Parameters:
  ///   - resumeData: the data of ``URLSessionUploadTask/cancelByProducingResumeData()``, or of an error's
  ///     `uploadTaskResumeData`.
  ///   - delegate: the delegate of this task, preferred to the session's delegate.
  /// - Returns: the complete response body, and the response.
  /// - Throws: `URLError`; `.unsupportedURL` if the resume data is invalid, `.resourceUnavailable` if the server no longer
  ///   has the upload, `.badServerResponse` if the server's offset is wrong, `.cancelled` if the surrounding Task is
  ///   cancelled.
  public func upload(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await result(of: makeUploadTask(resumeData, nil, delegate: delegate))
  }

  func data(
    of task: URLSessionDataTask, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (Data, URLResponse) {
    try await result(of: admit(task, nil, delegate: delegate))
  }

  private func result(of task: URLSessionDataTask) async throws -> (Data, URLResponse) {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { task.start(for: .data($0)) }
    } onCancel: {
      task.cancel()
    }
  }

  // MARK: Download

  /// Loads a URL into a file in the temporary directory. The file stays there until the caller removes or moves it.
  ///
  /// - Throws: `URLError`. If the download was interrupted and can be resumed, the error contains the resume data
  ///   under `NSURLSessionDownloadTaskResumeData`.
  public func download(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await download(for: URLRequest(url: url), delegate: delegate)
  }

  /// Loads a request into a file in the temporary directory. The file stays there until the caller removes or moves
  /// it.
  ///
  /// - Throws: `URLError`. If the download was interrupted and can be resumed, the error contains the resume data
  ///   under `NSURLSessionDownloadTaskResumeData`.
  public func download(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await download(of: makeDownloadTask(request, resuming: nil, nil, delegate: delegate))
  }

  /// Resumes an interrupted download. If the file has changed on the server, the download starts again from the
  /// beginning.
  ///
  /// - Throws: `URLError`, as ``download(for:delegate:)`` does.
  public func download(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await download(of: makeDownloadTask(resumeData, nil, delegate: delegate))
  }

  private func download(of task: URLSessionDownloadTask) async throws -> (URL, URLResponse) {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { task.start(for: .download($0)) }
    } onCancel: {
      task.cancel()
    }
  }

  // MARK: Bytes

  /// Loads a URL as a stream of bytes. Returns as soon as the head of the response arrives.
  ///
  /// - Returns: the body as it arrives, and the response.
  /// - Throws: `URLError`; the sequence throws it too, if the body is cut off.
  public func bytes(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, URLResponse) {
    try await bytes(for: URLRequest(url: url), delegate: delegate)
  }

  /// Loads a request as a stream of bytes. Returns as soon as the head of the response arrives.
  ///
  /// Leaving the loop over the bytes, or releasing the sequence, cancels the transfer.
  ///
  /// - Returns: the body as it arrives, and the response.
  /// - Throws: `URLError`; the sequence throws it too, if the body is cut off.
  public func bytes(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, URLResponse) {
    let task = URLSessionDataTask(session: self, request: request)
    let channel = BodyChannel(
      onDemand: { [weak task] in task?.wantsMore() },
      onTermination: { [weak task] in task?.cancel() })
    task.sink = .channel(channel)
    _ = admit(task, nil, delegate: delegate)
    let response = try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { task.start(for: .head($0)) }
    } onCancel: {
      task.cancel()
    }
    return (AsyncBytes(channel: channel, task: task), response)
  }
}
#endif
