#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

@Suite struct CacheFreshnessTests {
  private func head(_ fields: [(String, String)], requestTime: Date = moment(), responseTime: Date = moment())
    -> StoredHead
  {
    StoredHead(
      key: CacheKey(text: "http://cache.test/"), url: URL(string: "http://cache.test/")!,
      kind: .http(status: 200, version: nil, isFromNetwork: true), fields: HeaderFields(pairs: fields),
      requestTime: requestTime, responseTime: responseTime)
  }

  @Test func `the age is the larger of the apparent and the stated age, plus the time in the cache`() {
    // RFC 9111, 4.2.3, with a request that took 4 seconds.
    let stated = head([("Age", "30"), ("Date", httpDate(moment(-10)))], requestTime: moment(-4))
    #expect(stated.age(now: moment(100)) == 134)
    let apparent = head([("Age", "3"), ("Date", httpDate(moment(-60)))], requestTime: moment(-4))
    #expect(apparent.age(now: moment(100)) == 160)
    // A server whose clock is fast does not make the age negative.
    #expect(head([("Date", httpDate(moment(500)))]).age(now: moment(7)) == 7)
  }

  @Test func `the lifetime is max-age, then Expires, then a tenth of the time since the last change`() {
    let modified = ("Last-Modified", httpDate(moment(-1000)))
    let expires = ("Expires", httpDate(moment(50)))
    let date = ("Date", httpDate(moment()))
    #expect(
      head([("Cache-Control", "max-age=5"), expires, modified, date]).freshness(now: moment()).lifetime == 5)
    #expect(head([expires, modified, date]).freshness(now: moment()).lifetime == 50)
    #expect(head([modified, date]).freshness(now: moment()).lifetime == 100)
    #expect(head([date]).freshness(now: moment()).lifetime == 0)
  }

  @Test func `the heuristic lifetime is at most a day and never negative`() {
    let old = head([("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Date", httpDate(moment()))])
    #expect(old.freshness(now: moment()).lifetime == 86_400)
    let future = head([("Last-Modified", httpDate(moment(1000))), ("Date", httpDate(moment()))])
    #expect(future.freshness(now: moment()).lifetime == 0)
  }

  @Test func `a response is not fresh after the clock was set back`() {
    let entry = head([("Cache-Control", "max-age=100, stale-while-revalidate=100, stale-if-error=100")])
    #expect(entry.freshness(now: moment(-2)).isFresh)
    let later = entry.freshness(now: moment(-3600))
    #expect(!later.isFresh && later.staleWhileRevalidate == 0 && later.staleIfError == 0)
  }

  @Test func `a response is stale after the clock was set forward`() {
    #expect(!head([("Cache-Control", "max-age=100")]).freshness(now: moment(1e9)).isFresh)
    #expect(!head([("Cache-Control", "max-age=100")]).freshness(now: .distantFuture).isFresh)
  }

  @Test func `dates of any size are calculated with`() {
    for text in ["Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "x"] {
      for now in [Date.distantPast, .distantFuture, moment()] {
        let entry = head(
          [("Date", text), ("Expires", text), ("Age", "9999999999999999999")], responseTime: now)
        #expect(entry.age(now: moment()).isFinite)
      }
    }
  }
}
#endif
