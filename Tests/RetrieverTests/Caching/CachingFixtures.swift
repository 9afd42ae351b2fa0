#if !canImport(Darwin)
import Foundation
import HTTPSyntax

@testable import Retriever

/// A point in time for tests of pure rules: November 6, 1994, 08:49:37 UTC plus some seconds.
func moment(_ seconds: TimeInterval = 0) -> Date {
  Date(timeIntervalSince1970: 784_111_777 + seconds)
}

/// The text of a date in a header field.
func httpDate(_ date: Date) -> String {
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(identifier: "GMT")
  formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
  return formatter.string(from: date)
}

extension HeaderFields {
  init(pairs: [(String, String)]) { self.init(pairs.map { (name: $0.0, value: $0.1) }) }
}

/// A cache with a clock that tests move, driven by the pure rules without a network.
struct CacheModel {
  struct Reply {
    var status = 200
    var fields: [(String, String)]
    var body = Data("body".utf8)
  }

  enum Answer: Equatable {
    /// The server was asked without a validator.
    case loaded
    case cached
    /// The cached response is used, and the server is asked afterwards.
    case cachedAndRevalidated
    /// The server was asked with these fields.
    case validated([String: String])
    case failed
  }

  var entries: [StoredHead] = []
  var now = moment()
  let url = URL(string: "http://cache.test/a")!
  var key: CacheKey { CacheKey(url)! }

  /// Answers a request from the cache if possible, otherwise with the reply, which is stored if the rules allow it.
  ///
  /// - Parameter reply: The reply to a request without a validator, or with one.
  mutating func send(
    _ reply: Reply? = nil, fields: [(String, String)] = [], method: String = "GET",
    policy: URLRequest.CachePolicy = .useProtocolCachePolicy, isUnchanged: Bool = true
  ) -> Answer {
    let requestFields = HeaderFields(pairs: fields)
    let request = CacheRule.Request(method: method, policy: policy, fields: requestFields)
    switch CacheRule.decide(request, entries: entries, now: now) {
    case .fail: return .failed
    case .serve(_, let revalidates): return revalidates ? .cachedAndRevalidated : .cached
    case .validate(let index, let added) where !added.isEmpty:
      let answer = Answer.validated(Dictionary(added.map { ($0.name, $0.value) }) { first, _ in first })
      guard let reply else { return answer }
      if isUnchanged {
        let updated = ValidationRule.updated(
          entries[index], by: HeaderFields(pairs: reply.fields), requestTime: now, now: now)
        if let updated { entries[index] = updated } else { entries.remove(at: index) }
      } else {
        receive(reply, requestFields, method, policy)
      }
      return answer
    case .load, .complete, .validate:
      if let reply { receive(reply, requestFields, method, policy) }
      return .loaded
    }
  }

  private mutating func receive(
    _ reply: Reply, _ requestFields: HeaderFields, _ method: String, _ policy: URLRequest.CachePolicy
  ) {
    let fields = HeaderFields(pairs: reply.fields)
    let removed = ValidationRule.invalidatedKeys(
      method: method, url: url, status: reply.status, responseFields: { fields })
    entries.removeAll { removed.contains($0.key) }
    let exchange = StoreRule.Exchange(
      key: key, url: url, method: method, requestFields: requestFields, policy: policy, requestTime: now,
      status: reply.status, responseFields: fields)
    guard case .store(let head) = StoreRule.decide(exchange, now: now) else { return }
    entries.removeAll { $0.selection == head.selection }
    entries.append(head)
  }
}
#endif
