import Foundation
import Testing

@testable import RetrieverImages

@Suite struct PipelineFreshnessTests {
  private static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

  private func freshness(_ fields: [String: String]) -> Freshness {
    Freshness({ fields[$0] }, now: Self.now, defaultLifetime: 1_000)
  }

  private func lifetime(_ fields: [String: String]) -> TimeInterval {
    freshness(fields).freshUntil.timeIntervalSince(Self.now)
  }

  @Test func `max-age counts from the response of the origin server`() {
    #expect(lifetime(["Cache-Control": "public, max-age=60"]) == 60)
    #expect(lifetime(["Cache-Control": "MAX-AGE=\"60\"", "Age": "20"]) == 40)
    #expect(lifetime(["Cache-Control": "max-age=60", "Age": "90"]) == 0)
    #expect(lifetime(["Cache-Control": "max-age=99999999999999999999999"]) == 366 * 86_400)
    #expect(lifetime(["Cache-Control": "max-age=-5"]) == 0)
    #expect(lifetime(["Cache-Control": "max-age=60, no-cache"]) == 0)
  }

  @Test func `Expires is relative to the Date of the response`() {
    let date = "Sun, 06 Nov 1994 07:00:00 GMT"
    #expect(lifetime(["Expires": "Sun, 06 Nov 1994 07:01:00 GMT", "Date": date]) == 60)
    #expect(lifetime(["Expires": "0"]) == 0)
    #expect(lifetime(["Expires": date, "Cache-Control": "max-age=7"]) == 7)
  }

  @Test func `without a stated lifetime, a tenth of the age or the default lifetime applies`() {
    #expect(lifetime([:]) == 1_000)
    #expect(lifetime(["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"]) == 100)
    #expect(lifetime(["Last-Modified": "Sun, 06 Nov 1904 08:32:57 GMT"]) == 1_000)
  }

  @Test func `the stale-while-revalidate window follows the lifetime`() {
    let both = freshness(["Cache-Control": "max-age=10, stale-while-revalidate=30"])
    #expect(both.staleUntil.timeIntervalSince(Self.now) == 40)
    let strict = freshness(["Cache-Control": "max-age=10, stale-while-revalidate=30, must-revalidate"])
    #expect(strict.staleUntil == strict.freshUntil)
  }

  @Test func `some responses must not be stored`() {
    #expect(!freshness(["Cache-Control": "no-store"]).isStorable)
    #expect(!freshness(["Vary": "*"]).isStorable)
    #expect(freshness(["Vary": "Accept"]).isStorable)
  }
}
