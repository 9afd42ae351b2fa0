#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Stores a response after its transfer, if the delegate agrees.
extension URLSessionTask {
  /// Stores a complete response. If a validation failed, a stale response may take the place of the error.
  func finishCaching(_ end: TransferEnd) {
    guard let exchange = transferState.cacheExchange else { return }
    transferState.cacheExchange = nil
    if exchange.isStored { return }
    if let failure = end.failure {
      keepInterrupted(exchange, failure)
      guard let stored = exchange.validated, failure.mayBeReplaced,
        CacheRule.mayServeStale(stored.head, to: exchange.request, afterStatus: nil, now: Date())
      else { return }
      lockedState.withLock { state in
        guard state.machine.expectsHead else { return }
        transferState.cacheInstruction = .answer(stored.unvalidated(now: Date()))
        state.machine.follow()
      }
      return
    }
    let isDelivered = lockedState.withLock { if case .deliver = $0.machine.reception { true } else { false } }
    // A response without a body may end before a delegate has decided about it. Such a response is not stored.
    guard exchange.head != nil, isDelivered, let entry = exchange.entry(collected: transferState.collected)
    else {
      exchange.lead?.end(.unusable)
      return
    }
    store(entry, since: exchange.moment) { exchange.lead?.end($0) }
  }

  /// - Parameter then: Receives what the end means for loads that wait.
  private func store(
    _ entry: StoredEntry, since moment: CacheInvalidations.Moment,
    then: @escaping @Sendable (LoadSharing.End) -> Void
  ) {
    guard let cache = settings.cache else { return then(.unusable) }
    let keep: @Sendable (StoredEntry) -> Void = { entry in
      self.keep(entry, in: cache, since: moment) { then($0 ? .stored : .failed) }
    }
    // Without a delegate, no response is made for it.
    guard hasDelegates else { return keep(entry) }
    let isPart = entry.head.extent != nil
    let proposed = (isPart ? entry.asPart : entry).makeCachedResponse()
    askWhetherToStore(proposed) { answer in
      guard let answer else { return keep(entry) }
      guard let answer, answer.storagePolicy != .notAllowed, !isPart || answer === proposed else {
        return then(.unusable)
      }
      keep(answer === proposed ? entry : entry.changed(to: answer))
    }
  }

  /// Asks the delegate about a response that is about to be stored.
  ///
  /// - Parameter store: Gets the delegate's answer; nil if there is no delegate with an answer.
  func askWhetherToStore(
    _ proposed: CachedURLResponse, then store: @escaping @Sendable (CachedURLResponse??) -> Void
  ) {
    guard hasDelegates, let task = self as? URLSessionDataTask else { return store(nil) }
    // The delegate gets the complete body before it is asked.
    if case .delegate(let body) = sink, body.finish() { deliverToDelegate(body) }
    ask(
      .willCacheResponse, of: (any URLSessionDataDelegate).self,
      { delegate, answer in
        delegate.urlSession(self.session, dataTask: task, willCacheResponse: proposed) { answer($0) }
      },
      then: store)
  }
}

extension StoredEntry {
  /// The entry with the head for an answer without a validation.
  func unvalidated(now: Date) -> StoredEntry {
    var entry = self
    entry.head = head.unvalidated(now: now)
    return entry
  }

  /// The entry with what a delegate changed.
  fileprivate func changed(to answer: CachedURLResponse) -> StoredEntry {
    var entry = self
    entry.body = answer.data
    entry.userInfo = answer.userInfo.map { UserInfo(values: $0) }
    if answer.storagePolicy == .allowedInMemoryOnly { entry.head.staysInMemory = true }
    if let response = answer.response as? HTTPURLResponse {
      entry.head.kind = .http(
        status: response.statusCode, version: response.httpVersion, isFromNetwork: response.isFromNetwork)
      entry.head.fields = StoreRule.storedFields(of: response.headerFields)
    }
    return entry
  }

  /// A part of a body as the server sent it: with status 206.
  fileprivate var asPart: StoredEntry {
    guard let extent = head.extent, let range = extent.ranges.first else { return self }
    var part = self
    part.head = ByteRangeRule.head(
      of: head, range: Int(range.lowerBound)..<Int(range.upperBound), length: Int(extent.length))
    return part
  }
}

extension TransferFailure {
  /// Whether a stale response may take the place of the error, because the server could not be reached or did not
  /// answer (RFC 5861, 4). Errors of the request or of security do not count, and nothing follows after the deadline.
  fileprivate var mayBeReplaced: Bool {
    switch code {
    case .timedOut: self != .deadlinePassed
    case .hostNotFound, .nameServiceFailed, .cannotConnect, .networkUnreachable, .connectionLost, .badReply:
      true
    default: false
    }
  }
}
#endif
