#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Incomplete responses in the cache: stores them, and loads their rest.
extension URLSessionTask {
  /// Returns the exchange that loads the rest of an incomplete response; nil if the complete one has to be loaded.
  func completing(
    _ entry: StoredEntry, for exchange: CacheExchange, _ wanted: TransferRequest
  ) -> CacheExchange? {
    // The engine limits what it receives, and not the sum.
    let isTooLong = wanted.limits.bodyBytes.map { limit in (entry.head.extent?.length ?? 0) > limit } ?? false
    guard wanted.acceptedEncodings == nil, !isTooLong else { return nil }
    var exchange = exchange
    exchange.completes = entry
    return exchange
  }

  /// Returns the head of the complete response, if the server has sent the rest of a stored one.
  func completed(_ head: TransferHead) -> TransferHead {
    guard let exchange = transferState.cacheExchange, let stored = exchange.completes else { return head }
    transferState.cacheExchange?.completes = nil
    let received = HTTPURLResponse(
      url: exchange.url, statusCode: head.status, httpVersion: head.version, headerBlock: head.block)
    var completion = PartialRule.completion(
      of: stored.head, status: head.status, fields: received.headerFields, contentLength: head.contentLength,
      requestTime: exchange.requestTime, now: Date())
    // Only this task's delegate has accepted the server.
    if head.isFromExceptedServer, case .rest = completion { completion = .unusable }
    switch completion {
    case .other: return head
    case .unusable:
      transferState.cacheExchange?.misfit = stored.head
      return head
    case .rest(let complete):
      guard let extent = stored.head.extent else { return head }
      transferState.prefix = stored.body.prefix(Int(extent.prefix))
      var result = TransferHead(complete, length: Int(extent.length))
      result.version = head.version
      result.mentions.insert(.reuse)
      if head.mentions.contains(.setCookie) { result.mentions.insert(.setCookie) }
      result.identifiesUser = head.identifiesUser
      return result
    }
  }

  /// Delivers the stored beginning of a body before the first bytes of its rest. Returns nil if nobody receives it now.
  ///
  /// The beginning is in memory already, so it is delivered without a pause.
  func deliverPrefix(before bytes: UnsafeRawBufferPointer) -> TransferDisposition? {
    let (isReceiving, successor) = lockedState.withLock { ($0.machine.isReceiving, $0.successor) }
    guard isReceiving || successor != nil, let prefix = transferState.prefix.take() else { return nil }
    var pauses = false
    let receiver = successor ?? self
    var rest = prefix
    while !rest.isEmpty {
      let part = rest.prefix(StoredTransfer.Machine.maximumPart)
      rest = rest.dropFirst(part.count)
      switch part.withUnsafeBytes({ receiver.transferDidReceive(bytes: $0) }) {
      case .stop: return .stop
      case .pause: pauses = true
      case .proceed, .gather: break
      }
    }
    let disposition = receiver.transferDidReceive(bytes: bytes)
    if case .stop = disposition { return .stop }
    return pauses ? .pause : disposition
  }

  /// Returns the part of a body that a response contains, if it may be stored.
  func storablePart(_ fields: HeaderFields, of exchange: CacheExchange) -> BodyPart? {
    // A subclass of URLCache could take a part for the complete body.
    guard !settings.cacheIsSubclass, ByteRangeRule.asksForOneRange(exchange.fields),
      let part = BodyPart(fields)
    else { return nil }
    let announced = transferState.announcedLength
    return announced < 0 || announced == Int64(part.range.count) ? part : nil
  }

  /// Stores the beginning of a body that has ended early. Then others that wait for it are released.
  func keepInterrupted(_ exchange: CacheExchange, _ failure: TransferFailure) {
    let end: @Sendable () -> Void = { exchange.lead?.end(.failed) }
    // A delegate may forbid storing, and is asked about complete responses only.
    guard failure.leavesBeginning, !hasDelegates, !settings.cacheIsSubclass, let cache = settings.cache,
      let part = exchange.interrupted(
        collected: transferState.collected, length: transferState.announcedLength)
    else { return end() }
    cache.store.storePart(part, since: exchange.moment, then: end)
  }
}

extension TransferFailure {
  /// Whether the bytes before the failure are a correct beginning of the body.
  fileprivate var leavesBeginning: Bool {
    switch code {
    case .cancelled, .timedOut, .connectionLost: true
    default: false
    }
  }
}
#endif
