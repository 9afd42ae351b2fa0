#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

/// The cases of the public suite http-tests/cache-tests for private caches, as a table of our own, with the names of
/// the suite. Its cases for shared caches are missing. Pauses of the suite are movements of the clock here.
@Suite struct CacheConformanceTests {
  /// How much a case matters, in the words of the suite.
  enum Kind: Sendable { case required, optimal, check }

  /// One response of the server, and what the cache does with the next request.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: Kind
    let status: Int
    let fields: [(String, String)]
    let pause: TimeInterval
    let requests: (first: [(String, String)], second: [(String, String)])
    let isReused: Bool

    init(
      _ name: String, _ kind: Kind, status: Int = 200, _ fields: [(String, String)], pause: TimeInterval = 3,
      requests: ([(String, String)], [(String, String)]) = ([], []), isReused: Bool
    ) {
      self.name = name
      self.kind = kind
      self.status = status
      self.fields = fields
      self.pause = pause
      self.requests = (requests.0, requests.1)
      self.isReused = isReused
    }

    var testDescription: String { name }
  }

  private static let now = moment()
  private static func at(_ seconds: TimeInterval) -> String { httpDate(moment(seconds)) }

  @Test(arguments: freshness + ages + dates + statuses + directives + selections)
  func `a response is reused or not as the suite demands`(item: Case) {
    var cache = CacheModel()
    #expect(
      cache.send(.init(status: item.status, fields: item.fields), fields: item.requests.first) == .loaded)
    cache.now += item.pause
    let answer = cache.send(fields: item.requests.second)
    #expect((answer == .cached) == item.isReused, "\(answer)")
  }

  @Test func `the table has all required cases of its groups`() {
    let all = Self.freshness + Self.ages + Self.dates + Self.statuses + Self.directives + Self.selections
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(all.filter { $0.kind == .required }.count >= 80)
  }

  // MARK: Freshness

  static let freshness: [Case] = [
    Case("freshness-none", .check, [], isReused: false),
    Case("freshness-max-age", .optimal, [("Cache-Control", "max-age=3600")], isReused: true),
    Case("freshness-max-age-stale", .required, [("Cache-Control", "max-age=2")], isReused: false),
    Case("freshness-max-age-0", .required, [("Cache-Control", "max-age=0")], isReused: false),
    Case(
      "freshness-max-age-max-minus-1", .optimal, [("Cache-Control", "max-age=2147483647")], isReused: true),
    Case("freshness-max-age-max", .optimal, [("Cache-Control", "max-age=2147483648")], isReused: true),
    Case("freshness-max-age-max-plus-1", .optimal, [("Cache-Control", "max-age=2147483649")], isReused: true),
    Case("freshness-max-age-max-plus", .optimal, [("Cache-Control", "max-age=99999999999")], isReused: true),
    Case(
      "freshness-max-age-age", .required,
      [("Date", at(0)), ("Cache-Control", "max-age=3600"), ("Age", "7200")], isReused: false),
    Case(
      "freshness-max-age-date", .check, [("Date", at(-7200)), ("Cache-Control", "max-age=3600")],
      isReused: false),
    Case(
      "freshness-max-age-expires", .optimal,
      [("Cache-Control", "max-age=3600"), ("Expires", at(-7200)), ("Date", at(0))], isReused: true),
    Case(
      "freshness-max-age-expires-invalid", .optimal, [("Cache-Control", "max-age=3600"), ("Expires", "0")],
      isReused: true),
    Case(
      "freshness-max-age-0-expires", .required, [("Cache-Control", "max-age=0"), ("Expires", at(3600))],
      isReused: false),
    Case(
      "freshness-max-age-extension", .optimal, [("Cache-Control", "foobar, max-age=3600")], isReused: true),
    Case("freshness-max-age-case-insenstive", .optimal, [("Cache-Control", "MaX-aGe=3600")], isReused: true),
    Case("freshness-max-age-negative", .required, [("Cache-Control", "max-age=-3600")], isReused: false),
    Case(
      "freshness-max-age-s-maxage-private", .required, [("Cache-Control", "s-maxage=3600, max-age=1")],
      isReused: false),
    Case(
      "freshness-max-age-s-maxage-private-multiple", .required,
      [("Cache-Control", "s-maxage=3600"), ("Cache-Control", "max-age=1")], isReused: false),
    Case(
      "freshness-max-age-two-fresh-stale-sameline", .check, [("Cache-Control", "max-age=1800, max-age=1")],
      isReused: true),
    Case(
      "freshness-max-age-two-fresh-stale-sepline", .check,
      [("Cache-Control", "max-age=1800"), ("Cache-Control", "max-age=1")], isReused: true),
    Case(
      "freshness-max-age-two-stale-fresh-sameline", .check, [("Cache-Control", "max-age=1, max-age=1800")],
      isReused: false),
    Case("freshness-max-age-quoted", .check, [("Cache-Control", "max-age=\"3600\"")], isReused: true),
    Case(
      "freshness-max-age-ignore-quoted", .required,
      [("Cache-Control", "extension=\"max-age=3600\", max-age=1")], isReused: false),
    Case(
      "freshness-max-age-ignore-quoted-rev", .required,
      [("Cache-Control", "max-age=1, extension=\"max-age=3600\"")], isReused: false),
    Case(
      "freshness-max-age-space-before-equals", .check, [("Cache-Control", "max-age =3600")], isReused: false),
    Case(
      "freshness-max-age-space-after-equals", .check, [("Cache-Control", "max-age= 3600")], isReused: false),
    Case("freshness-max-age-leading-zero", .required, [("Cache-Control", "max-age=003600")], isReused: true),
    Case(
      "freshness-max-age-single-quoted", .required, [("Cache-Control", "max-age='3600'")], isReused: false),
    Case("freshness-max-age-decimal-zero", .check, [("Cache-Control", "max-age=3600.0")], isReused: false),
    Case("freshness-max-age-decimal-five", .check, [("Cache-Control", "max-age=3600.5")], isReused: false),
    Case("freshness-max-age-a100", .check, [("Cache-Control", "max-age=a3600")], isReused: false),
    Case("freshness-max-age-100a", .check, [("Cache-Control", "max-age=3600a")], isReused: false),
  ]

  static let ages: [Case] = [
    ("age-parse-nonnumeric", ["abc"], true), ("age-parse-negative", ["-7200"], true),
    ("age-parse-float", ["7200.0"], true), ("age-parse-large-minus-one", ["2147483647"], false),
    ("age-parse-large", ["2147483648"], false), ("age-parse-larger", ["2147483649"], false),
    ("age-parse-suffix", ["7200, 0"], false), ("age-parse-prefix", ["0, 7200"], true),
    ("age-parse-suffix-twoline", ["7200", "0"], false), ("age-parse-prefix-twoline", ["0", "7200"], true),
    ("age-parse-dup-0", ["0, 0"], true), ("age-parse-dup-0-twoline", ["0", "0"], true),
    ("age-parse-dup-old", ["1800", "1800"], true),
  ].map { name, values, isReused in
    Case(
      name, .required, [("Date", at(0)), ("Cache-Control", "max-age=3600")] + values.map { ("Age", $0) },
      isReused: isReused)
  }

  static let dates: [Case] =
    [
      ("freshness-expires-32bit", .optimal, "Tue, 19 Jan 2038 14:14:08 GMT", true),
      ("freshness-expires-far-future", .optimal, "Sun, 21 Nov 2286 04:46:39 GMT", true),
      ("freshness-expires-rfc850", .optimal, "Thursday, 18-Aug-20 02:01:18 GMT", true),
      ("freshness-expires-ansi-c", .optimal, "Thu Aug  8 02:01:18 2050", true),
      ("freshness-expires-wrong-case-weekday", .optimal, "THU, 18 Aug 2050 02:01:18 GMT", true),
      ("freshness-expires-wrong-case-month", .optimal, "Thu, 18 AUG 2050 02:01:18 GMT", true),
      ("freshness-expires-wrong-case-tz", .optimal, "Thu, 18 Aug 2050 02:01:18 gMT", true),
      ("freshness-expires-invalid-utc", .required, "Thu, 18 Aug 2050 02:01:18 UTC", false),
      ("freshness-expires-invalid-aest", .required, "Thu, 18 Aug 2050 02:01:18 AEST", false),
      ("freshness-expires-invalid-2-digit-year", .required, "Thu, 18 Aug 50 02:01:18 GMT", false),
      ("freshness-expires-invalid-no-comma", .required, "Thu 18 Aug 2050 02:01:18 GMT", false),
      ("freshness-expires-invalid-multiple-spaces", .required, "Thu, 18  Aug  2050 02:01:18 GMT", false),
      ("freshness-expires-invalid-date-dashes", .required, "Thu, 18-Aug-2050 02:01:18 GMT", false),
      ("freshness-expires-invalid-time-periods", .required, "Thu, 18 Aug 2050 02.01.18 GMT", false),
      ("freshness-expires-invalid-1-digit-hour", .required, "Thu, 18 Aug 2050 2:01:18 GMT", false),
      ("freshness-expires-invalid", .required, "0", false),
      ("freshness-expires-future", .optimal, at(2_592_000), true),
      ("freshness-expires-past", .required, at(-2_592_000), false),
      ("freshness-expires-present", .required, at(0), false),
    ].map { name, kind, text, isReused in
      Case(name, kind, [("Expires", text), ("Date", at(0)), ("ETag", "\"a\"")], pause: 0, isReused: isReused)
    } + [
      Case(
        "freshness-expires-invalid-multiple-lines", .required,
        [("Expires", at(100)), ("Expires", at(200)), ("Date", at(0))], isReused: false),
      Case(
        "freshness-expires-old-date", .required, [("Expires", at(300)), ("Date", at(400))], isReused: false),
      Case(
        "freshness-expires-invalid-date", .optimal, [("Date", "foo"), ("Expires", at(10))], isReused: true),
      Case(
        "freshness-expires-age-slow-date", .required,
        [("Date", at(-10)), ("Expires", at(10)), ("Age", "25")], isReused: false),
      Case(
        "freshness-expires-age-fast-date", .required, [("Date", at(10)), ("Expires", at(20)), ("Age", "15")],
        isReused: false),
    ]

  // MARK: Statuses

  private static let heuristic = [("Last-Modified", at(-86_400)), ("Date", at(0))]

  static let statuses: [Case] =
    [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599].flatMap {
      status in
      [
        Case(
          "status-\(status)-fresh", .optimal, status: status, [("Cache-Control", "max-age=3600")],
          isReused: true),
        Case(
          "status-\(status)-stale", .required, status: status, [("Cache-Control", "max-age=2")],
          isReused: false),
      ]
    }
    + [200, 203, 204, 404, 405, 410, 414, 501].map { status in
      Case("heuristic-\(status)-cached", .optimal, status: status, heuristic, isReused: true)
    }
    + [201, 202, 403, 502, 503, 504, 599].map { status in
      Case("heuristic-\(status)-not_cached", .required, status: status, heuristic, isReused: false)
    } + [
      Case(
        "heuristic-599-cached", .optimal, status: 599, heuristic + [("Cache-Control", "public")],
        isReused: true),
      Case(
        "status-599-must-understand", .required, status: 599,
        [("Cache-Control", "max-age=3600, no-store, must-understand")], isReused: false),
      Case(
        "status-200-must-understand", .optimal,
        [("Cache-Control", "max-age=3600, no-store, must-understand")], isReused: true),
    ]

  // MARK: Directives

  private static let etag = ("ETag", "\"abcd\"")

  static let directives: [Case] =
    [
      Case("cc-resp-private-private", .optimal, [("Cache-Control", "private, max-age=3600")], isReused: true),
      Case("cc-resp-no-store", .required, [("Cache-Control", "no-store")], isReused: false),
      Case("cc-resp-no-store-case-insensitive", .required, [("Cache-Control", "No-StOrE")], isReused: false),
      Case(
        "cc-resp-no-store-fresh", .required,
        [("Cache-Control", "max-age=10000, no-store"), ("Expires", at(10_000))], isReused: false),
      Case(
        "cc-resp-no-cache", .required,
        [("Cache-Control", "max-age=10000, no-cache"), ("Expires", at(10_000))], isReused: false),
      Case(
        "cc-resp-no-cache-case-insensitive", .required, [("Cache-Control", "max-age=10000, No-CaChE")],
        isReused: false),
      Case("cc-resp-no-cache-revalidate", .optimal, [("Cache-Control", "no-cache"), etag], isReused: false),
      Case(
        "cc-resp-must-revalidate-fresh", .optimal,
        [("Cache-Control", "max-age=10000, must-revalidate"), etag], isReused: true),
      Case(
        "cc-resp-must-revalidate-stale", .required, [("Cache-Control", "max-age=2, must-revalidate"), etag],
        isReused: false),
      Case(
        "cc-resp-immutable-stale", .required, [("Cache-Control", "max-age=2, immutable"), etag],
        isReused: false),
      Case(
        "stale-while-revalidate-window", .required,
        [("Cache-Control", "max-age=1, stale-while-revalidate=4"), etag], pause: 6, isReused: false),
      Case(
        "pragma-response-no-cache", .check, [("Cache-Control", "max-age=3600"), ("Pragma", "no-cache")],
        isReused: true),
      Case(
        "pragma-response-no-cache-heuristic", .check, heuristic + [("Pragma", "no-cache")], isReused: true),
      Case(
        "pragma-response-extension", .check, [("Cache-Control", "max-age=3600"), ("Pragma", "foo")],
        isReused: true),
      Case(
        "other-set-cookie", .optimal, [("Cache-Control", "max-age=3600"), ("Set-Cookie", "a=b")],
        isReused: true),
      Case(
        "other-cookie", .optimal, [("Cache-Control", "max-age=3600")], requests: ([], [("Cookie", "a=b")]),
        isReused: true),
      Case(
        "other-authorization", .optimal, [("Cache-Control", "max-age=3600")],
        requests: ([("Authorization", "FOO")], []), isReused: false),
      Case(
        "other-authorization-public", .check, [("Cache-Control", "max-age=3600, public")],
        requests: ([("Authorization", "FOO")], []), isReused: true),
      Case(
        "other-fresh-content-disposition-attachment", .check,
        [("Cache-Control", "max-age=3600"), ("Content-Disposition", "attachment")], isReused: true),
    ]
    + [
      ("ccreq-ma0", "max-age=0", [("Cache-Control", "max-age=3600")], false),
      ("ccreq-ma1", "max-age=1", [("Cache-Control", "max-age=3600")], false),
      ("ccreq-magreaterage", "max-age=600", [("Cache-Control", "max-age=3600"), ("Age", "1800")], false),
      ("ccreq-max-stale", "max-stale=1000", [("Cache-Control", "max-age=1")], true),
      ("ccreq-max-stale-any", "max-stale", [("Cache-Control", "max-age=1")], true),
      ("ccreq-max-stale-age", "max-stale=1000", [("Cache-Control", "max-age=1500"), ("Age", "2000")], true),
      (
        "ccreq-max-stale-must-revalidate", "max-stale", [("Cache-Control", "max-age=1, must-revalidate")],
        false
      ),
      ("ccreq-min-fresh", "min-fresh=2000", [("Cache-Control", "max-age=1500")], false),
      ("ccreq-min-fresh-age", "min-fresh=1000", [("Cache-Control", "max-age=1500"), ("Age", "1000")], false),
      ("ccreq-no-cache", "no-cache", [("Cache-Control", "max-age=3600")], false),
      ("ccreq-no-store", "no-store", [("Cache-Control", "max-age=3600")], false),
    ].map { name, control, fields, isReused in
      Case(name, .check, fields + [etag], requests: ([], [("Cache-Control", control)]), isReused: isReused)
    }

  // MARK: Vary

  private static func vary(
    _ name: String, _ kind: Kind, _ value: String, _ first: [(String, String)], _ second: [(String, String)],
    isReused: Bool
  ) -> Case {
    Case(
      name, kind, [("Cache-Control", "max-age=5000"), ("Last-Modified", at(-3000)), ("Vary", value)],
      requests: (first, second), isReused: isReused)
  }

  private static let three = [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")]

  static let selections: [Case] =
    [
      vary("vary-match", .optimal, "Foo", [("Foo", "1")], [("Foo", "1")], isReused: true),
      vary("vary-no-match", .required, "Foo", [("Foo", "1")], [("Foo", "2")], isReused: false),
      vary("vary-omit-stored", .required, "Foo", [], [("Foo", "1")], isReused: false),
      vary("vary-omit", .required, "Foo", [("Foo", "1")], [], isReused: false),
      vary(
        "vary-cache-key", .optimal, "Foo", [("Foo", "1"), ("Other", "2")], [("Foo", "1"), ("Other", "3")],
        isReused: true),
      vary(
        "vary-2-match", .optimal, "Foo, Bar", [("Foo", "1"), ("Bar", "abc")], [("Foo", "1"), ("Bar", "abc")],
        isReused: true),
      vary(
        "vary-2-no-match", .required, "Foo, Bar", [("Foo", "1"), ("Bar", "abc")],
        [("Foo", "2"), ("Bar", "abc")], isReused: false),
      vary("vary-2-match-omit", .required, "Foo, Bar", [("Foo", "1"), ("Bar", "abc")], [], isReused: false),
      vary("vary-3-match", .optimal, "Foo, Bar, Baz", three, three.reversed(), isReused: true),
      vary(
        "vary-3-no-match", .required, "Foo, Bar, Baz", three, [("Foo", "2"), three[1], three[2]],
        isReused: false),
      vary(
        "vary-3-order", .required, "Foo, Bar, Baz", three, [three[0], three[2], ("Bar", "abcde")],
        isReused: false),
      vary(
        "vary-3-omit", .optimal, "Foo, Bar, Baz", [three[0], three[2]], [three[2], three[0]], isReused: true),
      vary(
        "vary-normalise-combine", .optimal, "Foo", [("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")],
        isReused: true),
      vary(
        "vary-normalise-lang-case", .optimal, "Accept-Language", [("Accept-Language", "en, de")],
        [("Accept-Language", "eN, De")], isReused: true),
      vary(
        "vary-normalise-lang-space", .optimal, "Accept-Language", [("Accept-Language", "en, de")],
        [("Accept-Language", " en ,   de")], isReused: true),
      vary("vary-normalise-space", .optimal, "Foo", [("Foo", "1,2")], [("Foo", " 1, 2 ")], isReused: true),
      vary("vary-star", .required, "*", three, three, isReused: false),
      vary("vary-syntax-star-star", .required, "*, *", three, three, isReused: false),
      vary("vary-syntax-empty-star", .required, ", *", three, three, isReused: false),
      vary("vary-syntax-star-foo", .required, "*, Foo", three, three, isReused: false),
      vary("vary-syntax-foo-star", .required, "Foo, *", three, three, isReused: false),
    ]
    + [("vary-syntax-star-star-lines", "*"), ("vary-syntax-empty-star-lines", "")].map { name, first in
      Case(
        name, .required, [("Cache-Control", "max-age=5000"), ("Vary", first), ("Vary", "*")],
        requests: (three, three), isReused: false)
    }
}
#endif
