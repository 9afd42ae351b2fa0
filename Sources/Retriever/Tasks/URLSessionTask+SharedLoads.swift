#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Waiting for the response to another load of the same URL.
extension URLSessionTask {
  /// Sends a request, unless another load that runs may be answered with the same response.
  ///
  /// - Parameters:
  ///   - exchange: The exchange with the server, with what the cache adds to it.
  ///   - original: The exchange before the look-up, for the next one.
  func loadOrWait(
    _ exchange: CacheExchange, _ wanted: TransferRequest, _ input: TransferInput,
    for original: CacheExchange, _ originalRequest: TransferRequest
  ) {
    guard original.mayBeShared, case .none = wanted.body, let cache = settings.cache else {
      return load(exchange, wanted, input)
    }
    let request = LoadSharing.Request(
      key: original.key, fields: original.fields, priority: input.priority)
    let since = original.waitsSince ?? .now
    // The release may come before the wait is stored here. The first of both sets the flag.
    let isSettled = Flag()
    let joined = session.sharedLoads.join(
      request, mayLead: !writesFile, since: original.waitsSince, timeout: wanted.idleTimeout
    ) { release in
      // The task may have been cancelled meanwhile.
      let (isWanted, wait) = self.lockedState.withLock { state in
        let isStored = !isSettled.setOnce()
        let isWanted = state.machine.isPreparing
        return (isWanted, isWanted && isStored ? state.pendingWait.take() : nil)
      }
      // Released here, and not under the lock.
      withExtendedLifetime(wait) {}
      guard isWanted else { return }
      var (exchange, original) = (exchange, original)
      original.waitsSince = since
      original.mayWait = release == .join
      (original.requestTime, exchange.requestTime) = (Date(), Date())
      let moment = cache.store.moment
      (original.moment, exchange.moment) = (moment, moment)
      switch release {
      case .alone: self.load(exchange, wanted, input)
      case .lookUp, .join: self.lookUp(original, originalRequest, input, in: cache)
      }
    }
    switch joined {
    case .alone: load(exchange, wanted, input)
    case .leads(let lead):
      var exchange = exchange
      exchange.lead = lead
      load(exchange, wanted, input)
    case .follows(let wait):
      let previous = lockedState.withLock { state -> (any PendingWait)? in
        guard isSettled.setOnce(), state.machine.isPreparing else { return nil }
        defer { state.pendingWait = wait }
        return state.pendingWait
      }
      withExtendedLifetime((previous, wait)) {}
    }
  }

  /// What selects the response that is about to be stored; nil if it cannot answer requests that wait.
  var selectionForOthers: VarySelection? {
    guard let head = transferState.cacheExchange?.head, head.extent == nil,
      head.freshness(now: Date()).isFresh
    else { return nil }
    return head.selection
  }
}
#endif
