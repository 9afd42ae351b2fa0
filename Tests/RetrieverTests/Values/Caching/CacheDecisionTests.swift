#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

@Suite struct CacheDecisionTests {
  private static let fresh = CacheModel.Reply(fields: [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")])
  private static let validators = CacheModel.Reply(fields: [
    ("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:00:00 GMT"),
  ])

  // MARK: Policies

  @Test func `the protocol's policy uses a fresh response and validates a stale one`() {
    var cache = CacheModel()
    #expect(cache.send(Self.validators) == .loaded)
    #expect(cache.send() == .cached)
    cache.now += 60
    let fields = ["If-None-Match": "\"a\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:00:00 GMT"]
    #expect(cache.send(Self.validators) == .validated(fields))
    #expect(cache.send() == .cached)
  }

  @Test(arguments: [
    URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
  ])
  func `a reload ignores stored responses and stores the new one`(policy: URLRequest.CachePolicy) {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh) == .loaded)
    cache.now += 30
    #expect(cache.send(Self.fresh, policy: policy) == .loaded)
    cache.now += 40
    #expect(cache.send() == .cached)
  }

  @Test func `returnCacheDataElseLoad uses a response of any age`() {
    var cache = CacheModel()
    #expect(cache.send(.init(fields: []), policy: .returnCacheDataElseLoad) == .loaded)
    cache.now += 1e8
    #expect(cache.send(policy: .returnCacheDataElseLoad) == .cached)
    #expect(cache.send() == .loaded)
  }

  @Test func `returnCacheDataDontLoad uses a response of any age, and fails without one`() {
    var cache = CacheModel()
    #expect(cache.send(policy: .returnCacheDataDontLoad) == .failed)
    #expect(cache.send(Self.fresh) == .loaded)
    cache.now += 1e8
    #expect(cache.send(policy: .returnCacheDataDontLoad) == .cached)
    #expect(cache.send(method: "POST", policy: .returnCacheDataDontLoad) == .failed)
  }

  @Test func `reloadRevalidatingCacheData validates a fresh response`() {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh, policy: .reloadRevalidatingCacheData) == .loaded)
    #expect(cache.send(policy: .reloadRevalidatingCacheData) == .validated(["If-None-Match": "\"a\""]))
  }

  // MARK: Directives of requests

  @Test func `only-if-cached fails without a usable response`() {
    var cache = CacheModel()
    let fields = [("Cache-Control", "only-if-cached")]
    #expect(cache.send(fields: fields) == .failed)
    #expect(cache.send(Self.fresh) == .loaded)
    #expect(cache.send(fields: fields) == .cached)
    cache.now += 100
    #expect(cache.send(fields: fields) == .failed)
    #expect(cache.send(fields: [("Cache-Control", "only-if-cached, max-stale=50")]) == .cached)
  }

  @Test func `no-cache in a request validates, and no-store neither uses nor stores a response`() {
    var cache = CacheModel()
    let noStore = [("Cache-Control", "no-store")]
    #expect(cache.send(Self.fresh, fields: noStore) == .loaded)
    #expect(cache.entries.isEmpty)
    #expect(cache.send(Self.fresh) == .loaded)
    #expect(cache.send(fields: [("Cache-Control", "no-cache")]) == .validated(["If-None-Match": "\"a\""]))
    #expect(cache.send(fields: [("Pragma", "no-cache")]) == .validated(["If-None-Match": "\"a\""]))
    #expect(cache.send(fields: [("Pragma", "no-cache"), ("Cache-Control", "max-age=50")]) == .cached)
    #expect(cache.send(fields: noStore) == .loaded)
  }

  @Test(arguments: ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"])
  func `a request with its own conditions is sent unchanged`(name: String) {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh) == .loaded)
    #expect(cache.send(fields: [(name, "\"a\"")]) == .loaded)
    cache.now += 100
    #expect(cache.send(fields: [(name, "\"a\"")]) == .loaded)
  }

  // MARK: Methods

  @Test func `a HEAD request is answered by a fresh response to GET and never validated`() {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh) == .loaded)
    #expect(cache.send(method: "HEAD") == .cached)
    cache.now += 100
    #expect(cache.send(method: "HEAD") == .loaded)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "M-SEARCH"])
  func `responses to other methods are neither used nor stored`(method: String) {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh, method: method) == .loaded)
    #expect(cache.entries.isEmpty)
    #expect(cache.send(Self.fresh) == .loaded)
    #expect(cache.send(method: method) == .loaded)
  }

  // MARK: Variants

  @Test func `the most recent of the matching responses is used`() {
    var cache = CacheModel()
    var plain = Self.fresh
    plain.fields = [("Cache-Control", "max-age=60"), ("A", "1")]
    #expect(cache.send(plain) == .loaded)
    cache.now += 1
    plain.fields = [("Cache-Control", "max-age=60"), ("A", "2"), ("Vary", "Foo")]
    #expect(cache.send(plain, policy: .reloadIgnoringLocalCacheData) == .loaded)
    let decision = CacheRule.decide(.init(), entries: cache.entries, now: cache.now)
    guard case .serve(let index, _) = decision else { return #expect(Bool(false), "\(decision)") }
    #expect(cache.entries[index].fields["A"] == "2")
  }

  @Test func `two variants are stored side by side`() {
    var cache = CacheModel()
    let reply = CacheModel.Reply(fields: [("Cache-Control", "max-age=60"), ("Vary", "Foo")])
    #expect(cache.send(reply, fields: [("Foo", "1")]) == .loaded)
    #expect(cache.send(reply, fields: [("Foo", "2")]) == .loaded)
    #expect(cache.entries.count == 2)
    #expect(cache.send(fields: [("Foo", "1")]) == .cached)
    #expect(cache.send(fields: [("foo", "2")]) == .cached)
  }

  // MARK: Stale responses (RFC 5861)

  @Test func `a request that renews a response asks only if it is stale`() {
    var cache = CacheModel()
    #expect(
      cache.send(
        .init(fields: [("Cache-Control", "max-age=600, stale-while-revalidate=30"), ("ETag", "\"a\"")]))
        == .loaded)
    let renewing = CacheRule.Request(usesStale: false)
    let fresh = CacheRule.decide(renewing, entries: cache.entries, now: cache.now)
    #expect(fresh == .serve(entry: 0, revalidates: false))
    cache.now += 610
    #expect(cache.send() == .cachedAndRevalidated)
    let stale = CacheRule.decide(renewing, entries: cache.entries, now: cache.now)
    #expect(stale == .validate(entry: 0, fields: [(name: "If-None-Match", value: "\"a\"")]))
  }

  @Test func `a stale response is used while it is revalidated, within the window`() {
    var cache = CacheModel()
    #expect(
      cache.send(.init(fields: [("Cache-Control", "max-age=600, stale-while-revalidate=30")])) == .loaded)
    cache.now += 599
    #expect(cache.send() == .cached)
    cache.now += 30
    #expect(cache.send() == .cachedAndRevalidated)
    cache.now += 1
    #expect(cache.send() == .loaded)
  }

  @Test(arguments: ["must-revalidate", "no-cache"])
  func `a stale response is not used if the server forbids it`(directive: String) {
    var cache = CacheModel()
    let control = "max-age=5, stale-while-revalidate=30, stale-if-error=30, \(directive)"
    #expect(cache.send(.init(fields: [("Cache-Control", control), ("ETag", "a")])) == .loaded)
    cache.now += 10
    #expect(cache.send() == .validated(["If-None-Match": "a"]))
    #expect(!CacheRule.mayServeStale(cache.entries[0], to: .init(), afterStatus: nil, now: cache.now))
  }

  @Test func `a stale response replaces an error within the window`() {
    var cache = CacheModel()
    #expect(cache.send(.init(fields: [("Cache-Control", "max-age=600, stale-if-error=1200")])) == .loaded)
    let entry = cache.entries[0]
    for status in [nil, 500, 502, 503, 504] {
      #expect(CacheRule.mayServeStale(entry, to: .init(), afterStatus: status, now: moment(900)))
      #expect(!CacheRule.mayServeStale(entry, to: .init(), afterStatus: status, now: moment(1800)))
    }
    #expect(!CacheRule.mayServeStale(entry, to: .init(), afterStatus: 404, now: moment(900)))
  }

  @Test func `a request may allow a stale response after an error`() {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh) == .loaded)
    let request = CacheRule.Request(fields: HeaderFields(pairs: [("Cache-Control", "stale-if-error=100")]))
    #expect(CacheRule.mayServeStale(cache.entries[0], to: request, afterStatus: 503, now: moment(100)))
    #expect(!CacheRule.mayServeStale(cache.entries[0], to: .init(), afterStatus: 503, now: moment(100)))
  }

  @Test(arguments: [
    ("Cache-Control", "no-cache"), ("Cache-Control", "max-age=0"), ("Pragma", "no-cache"), nil,
  ])
  func `a request that demands the server's answer gets its error`(field: (String, String)?) {
    var cache = CacheModel()
    let control = "max-age=3600, stale-if-error=600"
    #expect(cache.send(.init(fields: [("Cache-Control", control), ("ETag", "\"a\"")])) == .loaded)
    let request = CacheRule.Request(
      policy: field == nil ? .reloadRevalidatingCacheData : .useProtocolCachePolicy,
      fields: HeaderFields(pairs: field.map { [$0] } ?? []))
    #expect(!CacheRule.mayServeStale(cache.entries[0], to: request, afterStatus: nil, now: moment(10)))
    #expect(!CacheRule.mayServeStale(cache.entries[0], to: request, afterStatus: 503, now: moment(3700)))
    #expect(CacheRule.mayServeStale(cache.entries[0], to: .init(), afterStatus: 503, now: moment(3700)))
  }

  @Test func `a request that demands the server's answer may itself allow a stored one after an error`() {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh) == .loaded)
    let control = "no-cache, stale-if-error=100"
    let request = CacheRule.Request(fields: HeaderFields(pairs: [("Cache-Control", control)]))
    #expect(CacheRule.mayServeStale(cache.entries[0], to: request, afterStatus: 503, now: moment(10)))
  }

  @Test func `without stale-if-error, a fresh response does not replace an error`() {
    var cache = CacheModel()
    #expect(cache.send(Self.fresh) == .loaded)
    #expect(!CacheRule.mayServeStale(cache.entries[0], to: .init(), afterStatus: 503, now: moment(10)))
  }

  @Test func `a stale response without a validator takes part if it may replace an error`() {
    var cache = CacheModel()
    #expect(cache.send(.init(fields: [("Cache-Control", "max-age=1, stale-if-error=600")])) == .loaded)
    let decision = CacheRule.decide(.init(), entries: cache.entries, now: moment(100))
    #expect(decision == .validate(entry: 0, fields: []))
    let reload = CacheRule.Request(policy: .reloadRevalidatingCacheData)
    #expect(CacheRule.decide(reload, entries: cache.entries, now: moment(100)) == .load)
    let demand = CacheRule.Request(fields: HeaderFields(pairs: [("Cache-Control", "no-cache")]))
    #expect(CacheRule.decide(demand, entries: cache.entries, now: moment(100)) == .load)
  }
}
#endif
