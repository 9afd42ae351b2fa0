#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Completion: finishes the body, then reports the metrics, then the result.
extension URLSessionTask {
  /// Finishes the sink of a complete body. Only a file still has to be written, and a stream is used from now on.
  func finishSink() {
    if case .stream(let connection) = sink { return finishExchange(of: connection) }
    guard case .file(let file) = sink else {
      return perform(lockedState.withLock { $0.machine.sinkFinished() })
    }
    file.finish(keeps: true) { problem in
      if problem == nil { self.noteFinished(file) }
      let action = self.lockedState.withLock { state -> TaskAction in
        if state.machine.isFinishing, state.error == nil { state.error = problem }
        return state.machine.sinkFinished()
      }
      self.perform(action)
    }
  }

  /// Completes the task. Called once, by the code that brought the machine to its end.
  func complete() {
    // The sink is read while holding the lock, because a download that is cancelled as it starts may be creating its
    // file.
    let (sink, completion, error, response, handlers, isPlain, wait, upload) = lockedState.withLock { state in
      defer { (state.resumeDataHandlers, state.pendingWait, state.upload) = ([], nil, nil) }
      return (
        self.sink, state.completion.take(), state.error, state.response, state.resumeDataHandlers,
        state.measurements == nil && state.progress == nil, state.pendingWait, state.upload
      )
    }
    // Released here, and not under the lock.
    withExtendedLifetime(wait) {}
    if case .delegate(let body) = sink, (error as? URLError)?.code != .cancelled, body.finish() {
      deliverToDelegate(body)
    }
    if case .file(let file) = sink, error != nil {
      return keepPartialFile(file, completion, error, response, handlers)
    }
    if let error, let upload, upload.machine.resumption != nil,
      !handlers.isEmpty || (error as? URLError)?.code != .cancelled
    {
      return keepResumeData(of: upload, completion, error, response, handlers)
    }
    for handler in handlers { handler(nil) }
    // Without metrics and progress, the result goes directly to the receiver.
    if isPlain { deliverResult(completion, error, response) } else { conclude(completion, error, response) }
  }

  var writesFile: Bool {
    if case .file = sink { true } else { false }
  }

  var finishesLater: Bool {
    switch sink {
    case .file, .stream: true
    case .memory, .delegate, .channel, .webSocket: false
    }
  }

  /// Keeps the partial file of a failed download, if it can be resumed, before the result is reported.
  private func keepPartialFile(
    _ file: DownloadFile, _ completion: TaskCompletion?, _ error: (any Error)?, _ response: URLResponse?,
    _ handlers: [@Sendable (Data?) -> Void]
  ) {
    let isWanted = !handlers.isEmpty || (error as? URLError)?.code != .cancelled
    file.finish(keeps: isWanted) { _ in
      let data = isWanted ? self.resumeData(for: file) : nil
      if data == nil { file.remove() }
      for handler in handlers { handler(data) }
      var error = error
      if let data, handlers.isEmpty {
        error = Self.adding(data, for: NSURLSessionDownloadTaskResumeData, to: error)
      }
      self.lockedState.withLock { $0.error = error }
      self.conclude(completion, error, response)
    }
  }

  /// Encodes the resume data of a failed upload, before the result is reported. This may be the thread of every transfer,
  /// and the data may be long.
  private func keepResumeData(
    of upload: ResumableUpload, _ completion: TaskCompletion?, _ error: any Error, _ response: URLResponse?,
    _ handlers: [@Sendable (Data?) -> Void]
  ) {
    DispatchQueue.global().async {
      let data = upload.resumeData
      for handler in handlers { handler(data) }
      var error: (any Error)? = error
      if let data, handlers.isEmpty {
        error = Self.adding(data, for: NSURLSessionUploadTaskResumeData, to: error)
      }
      self.lockedState.withLock { $0.error = error }
      self.conclude(completion, error, response)
    }
  }

  private static func adding(_ data: Data, for key: String, to error: (any Error)?) -> (any Error)? {
    guard let error = error as? URLError else { return error }
    var information = error.userInfo
    information[key] = data
    return URLError(error.code, userInfo: information)
  }

  private func conclude(_ completion: TaskCompletion?, _ error: (any Error)?, _ response: URLResponse?) {
    reportFinalProgress()
    guard reportMetrics(), completion?.isAwaited == true || isRead else {
      return deliverResult(completion, error, response)
    }
    // The metrics are on their way to a delegate, which must receive them first.
    session.callQueue.post { self.deliverResult(completion, error, response) }
  }

  /// Whether a reader waits for the end of the body.
  private var isRead: Bool {
    if case .channel = sink { true } else { false }
  }

  private func deliverResult(
    _ completion: TaskCompletion?, _ error: (any Error)?, _ response: URLResponse?
  ) {
    switch sink {
    case .channel(let channel): channel.finish(throwing: error)
    case .webSocket(let connection):
      // Its receivers and completions come first.
      return connection.finish(error as? URLError, url: initialRequest?.url) { _ in
        self.passResult(to: completion, error, response)
      }
    case .stream: (self as? URLSessionStreamTask)?.endStream(hasFailed: error != nil)
    case .memory, .delegate, .file: break
    }
    passResult(to: completion, error, response)
  }

  private func passResult(to completion: TaskCompletion?, _ error: (any Error)?, _ response: URLResponse?) {
    switch completion {
    case .data(let continuation):
      release()
      if let error {
        continuation.resume(throwing: error)
      } else if let response {
        continuation.resume(returning: (takeBody(), response))
      } else {
        continuation.resume(throwing: Self.noResponse)
      }
    case .download(let continuation):
      release()
      if let error {
        continuation.resume(throwing: error)
      } else if let response, case .file(let file) = sink {
        continuation.resume(returning: (file.url, response))
      } else {
        continuation.resume(throwing: Self.noResponse)
      }
    case .head(let continuation):
      release()
      continuation.resume(throwing: error ?? Self.noResponse)
    case .dataHandler(let handler):
      let data = error == nil ? takeBody() : nil
      session.callQueue.post {
        handler(data, response, error)
        self.release()
      }
    case .downloadHandler(let handler):
      session.callQueue.post {
        if error == nil, case .file(let file) = self.sink {
          handler(file.url, response, nil)
          // The handler has moved the file, or does not need it.
          file.remove()
        } else {
          handler(nil, response, error)
        }
        self.release()
      }
    case .delegate: reportCompletion(error)
    case nil: release()
    }
  }

  /// Returns the body after a successful load. A program may keep its task for a long time, but not the body.
  private func takeBody() -> Data {
    defer { transferState.collected = Data() }
    return transferState.collected
  }

  private static let noResponse = URLError(.badServerResponse, message: "The server sent no response.")

  private func reportCompletion(_ error: (any Error)?) {
    if error == nil, case .file(let file) = sink, let task = self as? URLSessionDownloadTask {
      notifyDelegate(.didFinishDownloading, (any URLSessionDownloadDelegate).self) {
        self.background?.note(.delivering(self.identifier))
        $0.urlSession(self.session, downloadTask: task, didFinishDownloadingTo: file.url)
        file.remove()
      } otherwise: {
        file.remove()
      }
    }
    notifyDelegate(.didComplete, (any URLSessionTaskDelegate).self) {
      $0.urlSession(self.session, task: self, didCompleteWithError: error)
    }
    session.callQueue.post { self.release() }
  }

  /// Releases the delegate and removes the task from the session.
  private func release() {
    // Released outside the lock, because the delegate's deinitializer may access this task.
    let delegate = lockedState.withLock { $0.delegate.take() }
    session.delegateClients.removeUnused()
    if let background { session.finishBackgroundTask(self, in: background) }
    withExtendedLifetime(delegate) { session.unregister(self) }
  }

  private func reportFinalProgress() {
    if lockedState.withLock({ $0.progress != nil }) { reportProgress() }
  }

  // MARK: Metrics

  /// Adds the record of a transfer that has ended.
  func note(_ end: TransferEnd) {
    guard let exchange = transferState.exchange else { return }
    transferState.exchange = nil
    var record = TransactionRecord(request: exchange.request, start: exchange.start)
    record.response = exchange.response
    record.error = end.failure.map { URLError($0, url: exchange.request.url) }
    record.resourceFetchType = transferState.cacheExchange?.isStored == true ? .localCache : .networkLoad
    record.decodedResponseBodyBytes = end.receivedBytes
    if let timings = end.timings { record.fill(from: timings) }
    // A task that has become another one has no measurements of its own any more.
    (successor ?? self).lockedState.withLock { $0.measurements?.add(record) }
    if session.archive.isRecording {
      session.archive.record(record, requestBody: record.request.httpBody, responseBody: archivableBody)
    }
  }

  private var archivableBody: Data? {
    if case .memory = sink { transferState.collected } else { nil }
  }

  /// Reports the metrics. Returns true if a delegate is called.
  private func reportMetrics() -> Bool {
    let (measurements, redirects) = lockedState.withLock { ($0.measurements, $0.redirectCount) }
    guard let measurements, hasDelegates else { return false }
    let start = measurements.start
    let metrics = URLSessionTaskMetrics(
      taskInterval: DateInterval(start: start, end: max(start, Date())), redirectCount: redirects,
      transactions: measurements.records)
    notifyDelegate(.didFinishCollecting, (any URLSessionTaskDelegate).self) {
      $0.urlSession(self.session, task: self, didFinishCollecting: metrics)
    }
    return true
  }
}

extension TransactionRecord {
  mutating func fill(from timings: TransferTimings) {
    func seconds(_ duration: Duration?) -> Double? { duration.map { $0 / .seconds(1) } }
    nameLookupStart = seconds(timings.nameLookupStart)
    nameLookupEnd = seconds(timings.nameLookupEnd)
    connectStart = seconds(timings.connectEnd == nil ? nil : timings.nameLookupEnd)
    connectEnd = seconds(timings.secureConnectionEnd ?? timings.connectEnd)
    tlsStart = seconds(timings.secureConnectionEnd == nil ? nil : timings.connectEnd)
    tlsEnd = seconds(timings.secureConnectionEnd)
    requestStart = seconds(timings.requestStart)
    requestEnd = seconds(timings.requestEnd)
    responseStart = seconds(timings.responseStart)
    responseEnd = seconds(timings.responseStart == nil ? nil : timings.total)
    networkProtocolName = timings.protocolName
    isReusedConnection = timings.isReusedConnection
    requestHeaderBytes = timings.requestHeaderBytes
    requestBodyBytes = timings.requestBodyBytes
    responseHeaderBytes = timings.responseHeaderBytes
    responseBodyBytes = timings.responseBodyBytes
    localAddress = timings.localAddress
    localPort = timings.localPort
    remoteAddress = timings.remoteAddress
    remotePort = timings.remotePort
    tlsVersion = timings.tlsVersion
    tlsCipherSuite = timings.tlsCipherSuite
    isProxyConnection = timings.isProxied
  }
}
#endif
