#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Receiving: the engine's events, on its loop's thread. A task has at most one transfer at any time, so these calls
// never overlap.
extension URLSessionTask: TransferObserver {
  package func transferDidReceive(head: TransferHead) -> TransferDisposition {
    let head = transferState.cacheExchange?.completes == nil ? head : completed(head)
    let length = head.mentions.contains(.contentEncoding) ? -1 : head.contentLength ?? -1
    let (request, isExpected) = lockedState.withLock { state in
      state.counts.announced = length
      return (state.currentRequest, state.machine.expectsHead)
    }
    guard isExpected, let request, let url = request.url else { return .stop }
    let response = HTTPURLResponse(
      url: url, statusCode: head.status, httpVersion: head.version, headerBlock: head.block)
    transferState.exchange?.response = response
    transferState.announcedLength = length
    let isStored = transferState.cacheExchange?.isStored == true
    // A stored response has set its cookies when it arrived.
    if !isStored, head.mentions.contains(.setCookie), !isProxyChallenge(response, to: request) {
      settings.cookieStorage?.store(
        setCookieFieldsOf: response, for: request, policy: settings.cookieAcceptPolicy)
    }
    if !isStored, transferState.cacheExchange != nil, let disposition = considerCache(response, head) {
      return disposition
    }
    if head.status == 101, let webSocket { return open(webSocket, response, version: head.version) }
    return decide(about: response, to: request, mentionsLocation: head.mentions.contains(.location))
  }

  package func transferDidReceive(informational head: TransferHead) {
    let isOffer = head.status == 104 && transferState.isResumableUpload
    guard isOffer || hasDelegates, let url = sentRequest?.url else { return }
    let response = HTTPURLResponse(
      url: url, statusCode: head.status, httpVersion: head.version, headerBlock: head.block)
    if isOffer { considerInterim(response) }
    guard hasDelegates else { return }
    notifyDelegate(.didReceiveInformational, (any URLSessionTaskDelegate).self) {
      $0.urlSession(self.session, task: self, didReceiveInformationalResponse: response)
    }
  }

  package func transferDidReceive(bytes: UnsafeRawBufferPointer) -> TransferDisposition {
    if transferState.prefix != nil, let disposition = deliverPrefix(before: bytes) { return disposition }
    let (reception, isSuspended, isWatched) = lockedState.withLock { state in
      let reception = state.machine.reception
      if case .deliver = reception { state.counts.receive(bytes.count) }
      return (reception, state.machine.isSuspended, state.progress != nil)
    }
    switch reception {
    case .deliver:
      transferState.cacheExchange?.record(bytes)
      let disposition = deliver(bytes)
      if isWatched { reportProgress() }
      if isSuspended || disposition == .pause { transferState.cacheExchange?.lead?.stalled() }
      if !isSuspended { return disposition }
      // The reader of a suspended task still receives the bytes that have arrived.
      transferDidBecomeIdle()
      return .pause
    case .discard:
      transferState.discardedBytes += bytes.count
      return transferState.discardedBytes > Self.maximumDiscardedBytes ? .stop : .proceed
    case .wait: return .pause
    case .stop: return successor?.transferDidReceive(bytes: bytes) ?? .stop
    }
  }

  package func transferDidBecomeIdle() {
    if case .channel(let channel) = sink { channel.flush() }
  }

  /// The maximum memory that is reserved for a body because the server announced its length.
  static let maximumReservedBytes: Int64 = 1 << 20

  /// Delivers bytes to the sink. A pause lasts until the sink requests more.
  private func deliver(_ bytes: UnsafeRawBufferPointer) -> TransferDisposition {
    switch sink {
    case .memory:
      if transferState.collected.isEmpty, transferState.announcedLength > 0 {
        // The announced length is used only up to this limit, because it may be wrong. More memory is allocated as
        // the body arrives.
        transferState.collected.reserveCapacity(
          Int(min(transferState.announcedLength, Self.maximumReservedBytes)))
      }
      if let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress {
        transferState.collected.append(start, count: bytes.count)
      }
      return .proceed
    case .delegate(let body):
      let (delivers, pauses) = body.append(bytes, gathers: !prefersIncrementalDelivery)
      if delivers { deliverToDelegate(body) }
      return pauses ? .pause : .proceed
    case .channel(let channel):
      return switch channel.appendBatched(bytes) {
      case .accepted: .proceed
      case .batched: .gather
      case .pause: .pause
      }
    case .file(let file):
      let pauses = file.append(bytes)
      if let error = file.error { abort(error) }
      if hasDelegates { reportWritten() }
      return pauses ? .pause : .proceed
    case .webSocket(let connection): return connection.received(bytes) ? .pause : .proceed
    case .stream(let connection): return connection.receivedBody(bytes) ? .pause : .proceed
    }
  }

  /// The maximum number of bytes to read from a discarded response. Beyond it, closing the connection is cheaper.
  static let maximumDiscardedBytes = 64 << 10

  func deliverToDelegate(_ body: DelegateBody) {
    guard let task = self as? URLSessionDataTask else { return }
    notifyDelegate(.didReceiveData, (any URLSessionDataDelegate).self) { delegate in
      let (data, resumes) = body.take()
      delegate.urlSession(self.session, dataTask: task, didReceive: data)
      if resumes { self.wantsMore() }
    } otherwise: {
      if body.take().resumes { self.wantsMore() }
    }
  }

  private func reportWritten() {
    guard let task = self as? URLSessionDownloadTask,
      lockedState.withLock({ $0.counts.reportedWritten.needsReport() })
    else { return }
    session.callQueue.post {
      let (count, received, expected) = self.lockedState.withLock { state in
        let count = state.counts.reportedWritten.report(upTo: state.counts.received)
        let offset = state.resume?.offset ?? 0
        return (count, offset + state.counts.received, state.counts.expected(after: offset))
      }
      guard let count else { return }
      self.notifyDelegateNow(.didWriteData, (any URLSessionDownloadDelegate).self) {
        $0.urlSession(
          self.session, downloadTask: task, didWriteData: count, totalBytesWritten: received,
          totalBytesExpectedToWrite: expected)
      }
    }
  }

  package func transferDidSend(total: Int64) {
    // The bytes of a WebSocket connection are not the body of a request.
    guard webSocket == nil else { return }
    let (isMore, successor) = lockedState.withLock { ($0.noteSent(total), $0.successor) }
    if let successor { return successor.transferDidSend(total: total) }
    guard isMore else { return }
    reportProgressIfWatched()
    guard hasDelegates, lockedState.withLock({ $0.counts.reportedSent.needsReport() }) else { return }
    session.callQueue.post {
      let (count, sent, expected) = self.lockedState.withLock { state in
        (state.counts.reportedSent.report(upTo: state.counts.sent), state.counts.sent, state.expectedToSend)
      }
      guard let count else { return }
      self.notifyDelegateNow(.didSendBodyData, (any URLSessionTaskDelegate).self) {
        $0.urlSession(
          self.session, task: self, didSendBodyData: count, totalBytesSent: sent,
          totalBytesExpectedToSend: expected)
      }
    }
  }

  package func transferDidFinish(_ received: TransferEnd) {
    let end = checkingBodyProofs(received)
    note(end)
    finishCaching(end)
    if let socket = end.socket { transferState.socket = socket }
    guard let failure = end.failure else { return finishExchange(nil, isFinal: false) }
    let url = lockedState.withLock { $0.currentRequest?.url }
    finishExchange(
      URLError(failure, url: url), isFinal: failure == .deadlinePassed, challenge: tunnelChallenge(end))
  }

  /// Makes the end a failure if the server's proof that it knows the password does not cover the body that arrived.
  private func checkingBodyProofs(_ received: TransferEnd) -> TransferEnd {
    guard !received.bodyHashes.isEmpty,
      !(successor ?? self).lockedState.withLock({ $0.areBodyProofsRight(for: received.bodyHashes) }),
      received.failure == nil
    else { return received }
    var end = received
    end.failure = TransferFailure(.badReply, message: URLError.unconfirmedMessage)
    return end
  }

  /// Handles the end of an exchange.
  ///
  /// - Parameters:
  ///   - isFinal: Whether no other exchange may follow, because the task's time is over.
  ///   - challenge: The challenge of a proxy that wants a credential before it opens a tunnel. The delegates are asked
  ///     after the transfer.
  func finishExchange(_ error: (any Error)?, isFinal: Bool, challenge: TunnelChallenge? = nil) {
    // Before the lock: once the exchange has ended, the answer of a delegate may start the next one on another thread.
    transferState.discardedBytes = 0
    if let webSocket, finish(webSocket, error) { return }
    let mayWait = error != nil && !isFinal && challenge == nil && settings.waitsForConnectivity
    let mayResume = error != nil && transferState.isResumableUpload
    let (action, isAsked, resumes, successor, timer) = lockedState.withLock { state -> FinishedExchange in
      if let successor = state.successor { return (.none, false, false, successor, nil) }
      let timer = state.machine.timer
      // After the program has closed a stream, it does not matter how its response ends.
      let error = isOverForProgram ? nil : error ?? errorOfIncompleteRest(state)
      let resumes = mayResume && state.resumesUpload(after: error, isFinal: isFinal)
      let isAsked = !resumes && (challenge != nil || mayWait) && state.machine.expectsHead
      if isAsked || resumes { state.machine.ask() }
      // The next request follows, regardless of how a discarded response ended.
      let isDropped = isAsked || resumes || state.machine.isDiscarding && !isFinal
      if let error, state.error == nil, !isDropped { state.error = error }
      let action = state.machine.transferEnded(failed: error != nil && !isDropped, isFinal: isFinal)
      if state.machine.needsTimer, let deadline = state.deadline {
        state.machine.wait(with: questionTimer(deadline.remaining))
      }
      // Only a file and a stream need time to finish.
      if case .finishSink = action, !finishesLater {
        return (state.machine.sinkFinished(), false, false, nil, timer)
      }
      return (action, isAsked, resumes, nil, timer)
    }
    // Released here, and not under the lock.
    withExtendedLifetime(timer) {}
    if let successor { return successor.finishExchange(error, isFinal: isFinal) }
    perform(action)
    if resumes {
      resumeUpload()
    } else if isAsked, let challenge {
      ask(challenge)
    } else if isAsked, let error {
      waitForConnectivity(after: error)
    }
  }

  private typealias FinishedExchange = (
    action: TaskAction, isAsked: Bool, resumes: Bool, successor: URLSessionTask?, timer: QuestionTimer?
  )

  /// Handles the end of an open WebSocket connection. Returns false if the connection is not open.
  private func finish(_ connection: WebSocketConnection, _ error: (any Error)?) -> Bool {
    guard lockedState.withLock({ $0.machine.isReceiving }) else { return false }
    connection.finish(error as? URLError, url: initialRequest?.url) { [self] error in
      perform(
        lockedState.withLock { state in
          if state.error == nil { state.error = error }
          let action = state.machine.transferEnded(failed: error != nil)
          if case .finishSink = action { return state.machine.sinkFinished() }
          return action
        })
    }
    return true
  }

  /// Ends the task when its time is over and a delegate still has not answered.
  func questionTimer(_ remaining: Duration) -> QuestionTimer {
    QuestionTimer(after: remaining) { [weak self] in
      guard let self else { return }
      let url = lockedState.withLock { $0.currentRequest?.url }
      abort(URLError(.deadlinePassed, url: url))
    }
  }

  private func reportProgressIfWatched() {
    if lockedState.withLock({ $0.progress != nil }) { reportProgress() }
  }
}
#endif
