#if !canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

// The storage of the session's cache. Only a subclass of `URLCache` costs more than a look into its storage.
extension URLSessionTask {
  /// Asks a subclass of `URLCache` for the response to this task, on a background queue: it may block.
  func ask(
    _ cache: URLCache, about exchange: CacheExchange, then use: @escaping @Sendable ([StoredEntry]) -> Void
  ) {
    let answer = CacheAnswer { cached in
      use(
        cached.map { [StoredEntry(answer: $0, key: exchange.key, requestFields: exchange.fields)] } ?? [])
    }
    DispatchQueue.global().async {
      if let task = self as? URLSessionDataTask {
        cache.getCachedResponse(for: task) { answer.give($0) }
      } else {
        answer.give(self.sentRequest.flatMap { cache.cachedResponse(for: $0) })
      }
    }
  }

  /// Stores a response, or a part of one.
  ///
  /// - Parameters:
  ///   - moment: When the request began.
  ///   - then: Receives false if the response became invalid since then.
  func keep(
    _ entry: StoredEntry, in cache: URLCache, since moment: CacheInvalidations.Moment,
    then: @escaping @Sendable (Bool) -> Void
  ) {
    if settings.cacheIsSubclass, let task = self as? URLSessionDataTask {
      return DispatchQueue.global().async {
        let isValid = cache.store.mayStore(entry.head.key, since: moment)
        if isValid { cache.storeCachedResponse(entry.makeCachedResponse(), for: task) }
        then(isValid)
      }
    }
    if entry.head.extent != nil { return cache.store.storePart(entry, since: moment) { then(true) } }
    then(cache.store.store(entry, since: moment))
  }

  /// Removes the stored response to this task.
  func removeStored(_ head: StoredHead, in cache: URLCache) {
    guard settings.cacheIsSubclass, let task = self as? URLSessionDataTask else {
      return cache.store.remove(head)
    }
    DispatchQueue.global().async { cache.removeCachedResponse(for: task) }
  }

  /// Removes the stored responses to URLs that this request has changed. Loads that run neither store their responses
  /// nor answer others.
  func invalidate(_ keys: [CacheKey], in cache: URLCache) {
    for key in keys {
      cache.store.invalidate(key)
      session.sharedLoads.invalidate(key)
    }
    guard settings.cacheIsSubclass else { return }
    let requests = keys.compactMap { URL(string: $0.text) }.map { URLRequest(url: $0) }
    DispatchQueue.global().async {
      for request in requests { cache.removeCachedResponse(for: request) }
    }
  }

  /// The maximum size of an entry.
  func maximumStoredCost(in cache: URLCache) -> Int {
    guard settings.cacheIsSubclass else { return cache.store.maximumEntryCost }
    let capacity = max(cache.memoryCapacity, cache.diskCapacity)
    // A subclass without capacities has its own storage.
    return capacity > 0 ? StoredEntry.maximumCost(capacity: capacity) : StoredEntry.maximumBody
  }
}

/// The answer of a subclass of `URLCache`. The first one counts. If there is none, nothing was found.
private final class CacheAnswer: Sendable {
  private let isGiven = Flag()
  private let use: @Sendable (CachedURLResponse?) -> Void

  init(_ use: @escaping @Sendable (CachedURLResponse?) -> Void) { self.use = use }

  deinit { if isGiven.setOnce() { use(nil) } }

  func give(_ answer: CachedURLResponse?) { if isGiven.setOnce() { use(answer) } }
}
#endif
