#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TransferEngine

  // The end: the body to its place, measurements, then whoever waits.
  extension URLSessionTask {
    /// The body is all there. A file has to be written out first; the other sinks are done.
    func finishSink() {
      guard case .file(let file) = sink else {
        return perform(inner.withLock { $0.machine.sinkFinished() })
      }
      file.finish(keeps: true) { problem in
        let action = self.inner.withLock { inner -> TaskStateMachine.Action in
          if inner.machine.phase == .finishing, inner.error == nil { inner.error = problem }
          return inner.machine.sinkFinished()
        }
        self.perform(action)
      }
    }

    /// Called once, by whoever brought the machine to its end.
    func complete() {
      // The sink is read under the lock: a download that is cancelled as it starts may be making its file right now.
      let (sink, completion, error, response, handlers, isPlain) = inner.withLock { inner in
        defer { inner.resumeDataHandlers = [] }
        return (
          self.sink, inner.completion.take(), inner.error, inner.response, inner.resumeDataHandlers,
          !inner.collectsRecords && inner.progress == nil
        )
      }
      if case .file(let file) = sink, error != nil {
        return settle(file, completion, error, response, handlers)
      }
      for handler in handlers { handler(nil) }
      // Nobody watches: straight to the one who waits.
      if isPlain { hand(completion, error, response) } else { conclude(completion, error, response) }
    }

    var writesFile: Bool {
      if case .file = sink { true } else { false }
    }

    /// Keeps what a failed download has, if it can be resumed, before anybody is told.
    private func settle(
      _ file: DownloadFile, _ completion: TaskCompletion?, _ error: URLError?, _ response: HTTPURLResponse?,
      _ handlers: [@Sendable (Data?) -> Void]
    ) {
      let isWanted = !handlers.isEmpty || error?.code != .cancelled
      file.finish(keeps: isWanted) { _ in
        let data = isWanted ? self.resumeData(for: file) : nil
        if data == nil { file.remove() }
        for handler in handlers { handler(data) }
        var error = error
        if let data, handlers.isEmpty {
          var information = error?.userInfo ?? [:]
          information[NSURLSessionDownloadTaskResumeData] = data
          error = URLError(error?.code ?? .unknown, userInfo: information)
        }
        self.inner.withLock { $0.error = error }
        self.conclude(completion, error, response)
      }
    }

    private func conclude(_ completion: TaskCompletion?, _ error: URLError?, _ response: HTTPURLResponse?) {
      reportFinalProgress()
      guard reportMetrics(), completion?.isAwaited == true || isRead else {
        return hand(completion, error, response)
      }
      // The measurements are on their way to a delegate, who is to have them first.
      session.mailbox.post { self.hand(completion, error, response) }
    }

    /// Whether a reader waits for the end of the body.
    private var isRead: Bool {
      if case .channel = sink { true } else { false }
    }

    private func hand(_ completion: TaskCompletion?, _ error: URLError?, _ response: HTTPURLResponse?) {
      if case .channel(let channel) = sink { channel.finish(throwing: error) }
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
        session.mailbox.post {
          handler(data, response, error)
          self.release()
        }
      case .downloadHandler(let handler):
        session.mailbox.post {
          if error == nil, case .file(let file) = self.sink {
            handler(file.url, response, nil)
            // Moved away by now, or not wanted.
            file.remove()
          } else {
            handler(nil, response, error)
          }
          self.release()
        }
      case .delegate: tellDelegate(error)
      case nil: release()
      }
    }

    /// After a load that went well. A program may keep its task for long; the body is not kept with it.
    private func takeBody() -> Data {
      defer { loop.collected = Data() }
      return loop.collected
    }

    private static let noResponse = URLError(.badServerResponse, sentence: "The server sent no response.")

    private func tellDelegate(_ error: URLError?) {
      if error == nil, case .file(let file) = sink, let task = self as? URLSessionDownloadTask {
        tell(.didFinishDownloading, (any URLSessionDownloadDelegate).self) {
          $0.urlSession(self.session, downloadTask: task, didFinishDownloadingTo: file.url)
          file.remove()
        } otherwise: {
          file.remove()
        }
      }
      tell(.didComplete, (any URLSessionTaskDelegate).self) {
        $0.urlSession(self.session, task: self, didCompleteWithError: error)
      }
      session.mailbox.post { self.release() }
    }

    /// The task is over: its delegate is let go, and the session does not know it any more.
    private func release() {
      // Let go out here: what a delegate's end sets off may ask this task.
      let delegate = inner.withLock { $0.delegate.take() }
      _ = delegate
      session.unregister(self)
    }

    private func reportFinalProgress() {
      if inner.withLock({ $0.progress != nil }) { reportProgress() }
    }

    // MARK: Measurements

    /// Keeps the record of a transfer that has ended.
    func note(_ end: TransferEnd) {
      guard let exchange = loop.exchange else { return }
      loop.exchange = nil
      var record = TransactionRecord(request: exchange.request, start: exchange.start)
      record.response = exchange.response
      record.error = end.failure.map { URLError($0, url: exchange.request.url) }
      record.resourceFetchType = .networkLoad
      record.decodedResponseBodyBytes = end.receivedBytes
      if let timings = end.timings { record.fill(from: timings) }
      inner.withLock { inner in
        if inner.records.count < Self.mostRecords { inner.records.append(record) }
      }
      if session.archive.isRecording {
        session.archive.record(record, requestBody: record.request.httpBody, responseBody: archivableBody)
      }
    }

    /// A chain of redirects and challenges is shorter than this.
    private static let mostRecords = 128

    private var archivableBody: Data? {
      if case .memory = sink { loop.collected } else { nil }
    }

    /// True when a delegate is going to be told.
    private func reportMetrics() -> Bool {
      let (collects, start, records, redirects) = inner.withLock {
        ($0.collectsRecords, $0.start, $0.records, $0.redirectCount)
      }
      guard collects, hasDelegates, let start else { return false }
      let metrics = URLSessionTaskMetrics(
        taskInterval: DateInterval(start: start, end: max(start, Date())), redirectCount: redirects,
        transactions: records)
      tell(.didFinishCollecting, (any URLSessionTaskDelegate).self) {
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
