#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TransferEngine

  // Receiving: what the engine reports, on its loop's thread. At most one transfer of a task lives at any time, so
  // these calls never overlap.
  extension URLSessionTask: TransferObserver {
    package func transferDidReceive(head: TransferHead) -> TransferDisposition {
      let length = head.mentions.contains(.contentEncoding) ? -1 : head.contentLength ?? -1
      let (request, phase) = inner.withLock { inner in
        inner.announcedLength = length
        return (inner.currentRequest, inner.machine.phase)
      }
      guard phase == .exchanging, let request, let url = request.url else { return .stop }
      let response = HTTPURLResponse(
        url: url, statusCode: head.status, httpVersion: head.version, headerBlock: head.block)
      loop.exchange?.response = response
      loop.announcedLength = length
      if head.mentions.contains(.setCookie) {
        session.settings.cookieStorage?.store(
          setCookieFieldsOf: response, for: request, policy: session.settings.cookieAcceptPolicy)
      }
      return decide(about: response, to: request, mentionsLocation: head.mentions.contains(.location))
    }

    package func transferDidReceive(informational head: TransferHead) {
      guard hasDelegates, let url = currentRequest?.url else { return }
      let response = HTTPURLResponse(
        url: url, statusCode: head.status, httpVersion: head.version, headerBlock: head.block)
      tell(.didReceiveInformational, (any URLSessionTaskDelegate).self) {
        $0.urlSession(self.session, task: self, didReceiveInformationalResponse: response)
      }
    }

    package func transferDidReceive(bytes: UnsafeRawBufferPointer) -> TransferDisposition {
      let (phase, mayReceive, isWatched) = inner.withLock { inner in
        if inner.machine.phase == .receiving { inner.receivedBytes += Int64(bytes.count) }
        return (inner.machine.phase, inner.machine.mayReceive, inner.progress != nil)
      }
      switch phase {
      case .receiving:
        let disposition = deliver(bytes)
        if isWatched { reportProgress() }
        if mayReceive { return disposition }
        // A suspended task's reader still gets what has come.
        transferDidSettle()
        return .pause
      case .discarding:
        loop.discardedBytes += bytes.count
        return loop.discardedBytes > Self.mostDiscardedBytes ? .stop : .proceed
      // A head without a pause taken, or a task that is over.
      case .asking: return .pause
      case .idle, .exchanging, .holding, .finishing, .aborting, .completed: return .stop
      }
    }

    package func transferDidSettle() {
      if case .channel(let channel) = sink { channel.settle() }
    }

    /// A pause lasts until the sink calls for more.
    private func deliver(_ bytes: UnsafeRawBufferPointer) -> TransferDisposition {
      switch sink {
      case .memory:
        if loop.collected.isEmpty, loop.announcedLength > 0 {
          // What a server announces is not to be believed beyond this: memory is taken as the body comes.
          loop.collected.reserveCapacity(Int(min(loop.announcedLength, 1 << 20)))
        }
        if let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress {
          loop.collected.append(start, count: bytes.count)
        }
        return .proceed
      case .delegate(let body):
        let (delivers, pauses) = body.append(bytes)
        if delivers { deliverToDelegate(body) }
        return pauses ? .pause : .proceed
      case .channel(let channel):
        return switch channel.gather(bytes) {
        case .taken: .proceed
        case .held: .gather
        case .pause: .pause
        }
      case .file(let file):
        let pauses = file.append(bytes)
        if let error = file.error { abort(error) }
        if hasDelegates { tellWritten() }
        return pauses ? .pause : .proceed
      }
    }

    /// Beyond this many bytes of a response that nobody wants, closing its connection is cheaper than reading on.
    private static let mostDiscardedBytes = 64 << 10

    private func deliverToDelegate(_ body: DelegateBody) {
      guard let task = self as? URLSessionDataTask else { return }
      tell(.didReceiveData, (any URLSessionDataDelegate).self) { delegate in
        let (data, resumes) = body.take()
        delegate.urlSession(self.session, dataTask: task, didReceive: data)
        if resumes { self.perform(.resumeReceiving) }
      } otherwise: {
        if body.take().resumes { self.perform(.resumeReceiving) }
      }
    }

    private func tellWritten() {
      guard let task = self as? URLSessionDownloadTask, inner.withLock({ $0.toldWritten.grows() }) else {
        return
      }
      session.mailbox.post {
        let (count, offset, received, expected) = self.inner.withLock { inner in
          let count = inner.toldWritten.tell(inner.receivedBytes)
          return (count, inner.resume?.offset ?? 0, inner.receivedBytes, inner.expectedToReceive)
        }
        guard let count else { return }
        self.tellNow(.didWriteData, (any URLSessionDownloadDelegate).self) {
          $0.urlSession(
            self.session, downloadTask: task, didWriteData: count, totalBytesWritten: offset + received,
            totalBytesExpectedToWrite: expected < 0 ? expected : offset + expected)
        }
      }
    }

    package func transferDidSend(total: Int64) {
      let hasGrown = inner.withLock { inner in
        defer { inner.sentBytes = max(inner.sentBytes, total) }
        return total > inner.sentBytes
      }
      guard hasGrown else { return }
      reportProgressIfWatched()
      guard hasDelegates, inner.withLock({ $0.toldSent.grows() }) else { return }
      session.mailbox.post {
        let (count, sent, expected) = self.inner.withLock { inner in
          (inner.toldSent.tell(inner.sentBytes), inner.sentBytes, inner.expectedToSend)
        }
        guard let count else { return }
        self.tellNow(.didSendBodyData, (any URLSessionTaskDelegate).self) {
          $0.urlSession(
            self.session, task: self, didSendBodyData: count, totalBytesSent: sent,
            totalBytesExpectedToSend: expected)
        }
      }
    }

    package func transferDidFinish(_ end: TransferEnd) {
      note(end)
      let action = inner.withLock { inner -> TaskStateMachine.Action in
        inner.transfer = nil
        let isFinal = end.failure?.code == .timedOut
        // Whatever ended a response that is dropped anyway, the next request follows.
        let isDropped = inner.machine.phase == .discarding && !isFinal
        if let failure = end.failure, inner.error == nil, !isDropped {
          inner.error = URLError(failure, url: inner.currentRequest?.url)
        }
        let action = inner.machine.transferEnded(failed: end.failure != nil && !isDropped, isFinal: isFinal)
        // Only a file takes time to be finished.
        if action == .finishSink, !writesFile { return inner.machine.sinkFinished() }
        return action
      }
      loop.discardedBytes = 0
      perform(action)
    }

    private func reportProgressIfWatched() {
      if inner.withLock({ $0.progress != nil }) { reportProgress() }
    }
  }
#endif
