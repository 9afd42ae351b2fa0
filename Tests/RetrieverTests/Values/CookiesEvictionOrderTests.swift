#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// A full jar evicts the same cookies as a simple model that examines every cookie, but faster.
struct CookiesEvictionOrderTests {
  /// RFC 6265bis, 5.7, without any optimization.
  private struct Model {
    struct Cookie {
      var site: String
      var name: String
      var isSecure: Bool
      var expiry: Date?
      var lastUse: Int
      func isExpired(_ now: Date) -> Bool { expiry.map { $0 <= now } ?? false }
    }

    let limits: CookieJar.Limits
    var cookies: [Cookie] = []
    var uses = 0

    mutating func insert(_ new: Cookie, isEncrypted: Bool, now: Date) {
      let replaced = cookies.first { $0.site == new.site && $0.name == new.name }
      if !isEncrypted, replaced?.isSecure == true { return }
      cookies.removeAll { $0.site == new.site && ($0.name == new.name || $0.isExpired(now)) }
      uses += 1
      var new = new
      new.lastUse = uses
      if !new.isExpired(now) { cookies.append(new) }
      if count(new.site) > limits.perSite {
        evict(spares: !isEncrypted) { $0.site == new.site && $0.isSecure == $1 }
      }
      guard cookies.count > limits.total else { return }
      cookies.removeAll { $0.isExpired(now) }
      while cookies.count > limits.total {
        let sizes = cookies.reduce(into: [String: Int]()) { $0[$1.site, default: 0] += 1 }
        let share = limits.share
        if evict(spares: !isEncrypted, { (sizes[$0.site] ?? 0) > share && $0.isSecure == $1 }) { continue }
        if !evict(spares: !isEncrypted, { $0.isSecure == $1 }) { return }
      }
    }

    mutating func use(_ site: String) {
      uses += 1
      for index in cookies.indices where cookies[index].site == site { cookies[index].lastUse = uses }
    }

    private func count(_ site: String) -> Int { cookies.count { $0.site == site } }

    @discardableResult
    private mutating func evict(spares sparesSecure: Bool, _ matches: (Cookie, Bool) -> Bool) -> Bool {
      for isSecure in sparesSecure ? [false] : [false, true] {
        let found = cookies.indices.filter { matches(cookies[$0], isSecure) }
        if let oldest = found.min(by: { cookies[$0].lastUse < cookies[$1].lastUse }) {
          cookies.remove(at: oldest)
          return true
        }
      }
      return false
    }
  }

  private func cookie(_ cookie: Model.Cookie) throws -> HTTPCookie {
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: cookie.name, .value: "1", .domain: cookie.site, .path: "/",
    ]
    properties[.expires] = cookie.expiry
    if cookie.isSecure { properties[.secure] = "TRUE" }
    return try #require(HTTPCookie(properties: properties))
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a full jar evicts the same cookies as a simple model`(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let limits = CookieJar.Limits(total: 40, perSite: 12, share: 4)
    var jar = CookieJar(limits: limits)
    var model = Model(limits: limits)
    var now = Date(timeIntervalSince1970: 1_800_000_000)
    for step in 0..<1500 {
      // Some sites get many more cookies than others.
      let number = min(Int.random(in: 0..<30, using: &random), Int.random(in: 0..<30, using: &random))
      let site = "site\(number).com"
      now += Double(Int.random(in: 0..<3, using: &random))
      if Int.random(in: 0..<4, using: &random) == 0 {
        let url = try #require(URL(string: "https://\(site)/"))
        _ = jar.cookies(for: url, mainDocumentURL: nil, now: now)
        // A cookie that has expired is not sent, and its use does not matter.
        model.use(site)
      } else {
        let isEncrypted = Int.random(in: 0..<3, using: &random) > 0
        let new = Model.Cookie(
          site: site, name: "n\(Int.random(in: 0..<20, using: &random))",
          isSecure: isEncrypted && Bool.random(using: &random),
          expiry: Int.random(in: 0..<5, using: &random) == 0
            ? now + Double(Int.random(in: 0..<60, using: &random)) : nil,
          lastUse: 0)
        let url = try #require(URL(string: "\(isEncrypted ? "https" : "http")://\(site)/"))
        try? jar.insert(cookie(new), from: url, now: now)
        model.insert(new, isEncrypted: isEncrypted, now: now)
      }
      let expected = model.cookies.filter { !$0.isExpired(now) }.map { "\($0.site) \($0.name)" }.sorted()
      let actual = jar.cookies(now: now).map { "\($0.domain) \($0.name)" }.sorted()
      try #require(actual == expected, "step \(step)")
    }
  }

  /// When each insertion examined all cookies, this took 24 seconds.
  @Test func `a full jar does not examine all cookies for each new one`() throws {
    var jar = CookieJar()
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let duration = try ContinuousClock().measure {
      for number in 0..<9000 {
        let new = Model.Cookie(
          site: "site\(number).com", name: "n", isSecure: false, expiry: now + 1000, lastUse: 0)
        try jar.insert(cookie(new), from: nil, now: now)
      }
    }
    #expect(jar.count == 3000)
    #expect(duration < .seconds(15))
  }
}
#endif
