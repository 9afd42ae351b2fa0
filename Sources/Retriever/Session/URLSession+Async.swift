#if !canImport(Darwin)
  import Foundation

  // Loads that are awaited. Cancelling the surrounding Task ends the transfer at once, wherever it is, and throws
  // `URLError.cancelled`. A status such as 404 is a response, not an error.
  extension URLSession {
    // MARK: Data

    /// Loads a URL into memory.
    ///
    /// - Returns: the whole body and the response.
    /// - Throws: `URLError`, among them `.cancelled` when the surrounding Task is cancelled.
    public func data(
      from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
      try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Loads a request into memory.
    ///
    /// - Parameters:
    ///   - request: what to load.
    ///   - delegate: receives the life of this one task, before the session's delegate.
    /// - Returns: the whole body and the response.
    /// - Throws: `URLError`, among them `.cancelled` when the surrounding Task is cancelled.
    public func data(
      for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
      try await data(of: URLSessionDataTask(session: self, request: request), delegate)
    }

    // MARK: Upload

    /// Sends data.
    ///
    /// - Returns: the whole body of the response, and the response.
    /// - Throws: `URLError`, among them `.cancelled` when the surrounding Task is cancelled.
    public func upload(
      for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
      try await data(of: makeUploadTask(request, .data(bodyData)), delegate)
    }

    /// Sends a file, piece by piece: it is never read whole.
    ///
    /// - Returns: the whole body of the response, and the response.
    /// - Throws: `URLError`; `.fileDoesNotExist` when there is no such file, `.cancelled` when the surrounding Task is
    ///   cancelled.
    public func upload(
      for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
      try await data(of: makeUploadTask(request, .file(fileURL)), delegate)
    }

    private func data(
      of task: URLSessionDataTask, _ delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
      _ = admit(task, nil, delegate: delegate)
      return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { task.start(for: .data($0)) }
      } onCancel: {
        task.cancel()
      }
    }

    // MARK: Download

    /// Loads a URL into a file in the temporary directory, which stays until the caller removes or moves it.
    ///
    /// - Throws: `URLError`; one with resume data under `NSURLSessionDownloadTaskResumeData` when the download was cut
    ///   off and can be resumed.
    public func download(
      from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
      try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// Loads a request into a file in the temporary directory, which stays until the caller removes or moves it.
    ///
    /// - Throws: `URLError`; one with resume data under `NSURLSessionDownloadTaskResumeData` when the download was cut
    ///   off and can be resumed.
    public func download(
      for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
      try await download(of: makeDownloadTask(request, resuming: nil, nil, delegate: delegate))
    }

    /// Goes on with a download that was cut off. When the file has changed on the server, it is loaded anew.
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

    /// Loads a URL as a stream of bytes. Returns as soon as the response's head has arrived.
    ///
    /// - Returns: the body as it arrives, and the response.
    /// - Throws: `URLError`; so does the sequence when the body is cut off.
    public func bytes(
      from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
      try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    /// Loads a request as a stream of bytes. Returns as soon as the response's head has arrived.
    ///
    /// Leaving the loop over the bytes, or dropping the sequence, cancels the transfer.
    ///
    /// - Returns: the body as it arrives, and the response.
    /// - Throws: `URLError`; so does the sequence when the body is cut off.
    public func bytes(
      for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
      let task = URLSessionDataTask(session: self, request: request)
      let channel = BodyChannel(
        onDemand: { [weak task] in task?.perform(.resumeReceiving) },
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
