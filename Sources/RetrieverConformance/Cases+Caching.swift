import Foundation
import TestSupport

extension ConformanceSuite {
  static let caching: [ConformanceCase] = reuse + policies + programs

  /// Plays a scenario against a server whose bodies are the numbers of its requests.
  private static func numbered(
    _ id: String, _ title: String, _ scenario: Scenario, _ fields: [(String, String)] = fresh,
    expecting expected: String...,
    then check: @escaping @Sendable ([ScriptedRequest]) throws -> Void = { _ in }
  ) -> [ConformanceCase] {
    each(.caching, id, title) { context in
      let count = Counter()
      let (origin, server) = try context.serveHTTP { request in
        if request["If-None-Match"] == "\"dog\"" {
          count.increment()
          return Reply(304, headers: fields, framing: .none)
        }
        return Reply(headers: fields, text: "\(count.increment())")
      }
      try await context.play(scenario, at: origin, expecting: expected)
      try check(server.requests)
    }
  }

  private static let fresh = [("Cache-Control", "max-age=600")]

  private static let reuse: [ConformanceCase] =
    numbered("cache-fresh", "A fresh response is not requested again.", .cachedTwice, expecting: "1", "1")
    + numbered(
      "cache-no-store", "A response with no-store is not stored.", .cachedTwice,
      [("Cache-Control", "no-store, max-age=600")], expecting: "1", "2")
    + numbered(
      "cache-validated", "A stale response is validated with its entity tag.", .cachedTwice,
      [("Cache-Control", "max-age=0"), ("ETag", "\"dog\"")], expecting: "1", "1"
    ) { try expect($0.map { $0["If-None-Match"] } == [nil, "\"dog\""], "If-None-Match was not sent once.") }
    + numbered(
      "cache-no-cache", "A response with no-cache is validated.", .cachedTwice,
      [("Cache-Control", "no-cache, max-age=600"), ("ETag", "\"dog\"")], expecting: "1", "1"
    ) { try expect($0.count == 2, "\($0.count) requests were sent.") }
    + numbered(
      "cache-expired", "A response whose Expires has passed is requested again.", .cachedTwice,
      [("Expires", "Wed, 21 Oct 2015 07:28:00 GMT")], expecting: "1", "2")
    + numbered(
      "cache-vary", "Vary separates the responses.", .cachedVariants, fresh + [("Vary", "Accept-Language")],
      expecting: "1", "1", "2")
    + numbered(
      "cache-vary-any", "A response with Vary: * is not used again.", .cachedTwice, fresh + [("Vary", "*")],
      expecting: "1", "2")
    + numbered("cache-post", "A response to POST is not used for another.", .cachedPosts, expecting: "1", "2")
    + numbered(
      "cache-put", "A PUT invalidates what is stored for its URL.", .cacheInvalidation, expecting: "1", "2",
      "3")
    + each(.caching, "cache-large", "A body of more than 5 % of the capacity is not stored.") { context in
      let (origin, server) = try context.serveHTTP { _ in
        Reply(headers: fresh, body: Data(repeating: 7, count: 200_000))
      }
      try await context.play(.largeForCache, at: origin, expecting: ["200000", "200000"])
      try expect(server.requests.count == 2, "\(server.requests.count) requests were sent.")
    }

  private static let policies: [ConformanceCase] =
    numbered(
      "cache-policies", "The request's policy decides about a stale response.", .cachePolicies,
      [("Cache-Control", "max-age=0"), ("ETag", "\"dog\"")], expecting: "1", "2", "2", "2")
    + [
      plain(
        .caching, "cache-only-empty", "Without a stored response, a load from the cache only is -1008.",
        .emptyCache, "-1008")
    ] + numbered("cache-none", "Without a cache nothing is stored.", .noCache, expecting: "1", "2")

  private static let programs: [ConformanceCase] =
    numbered(
      "cache-refused", "A delegate may refuse to store a response.", .refusedStoring,
      expecting: "1", "asked", "2", "asked")
    + [
      plain(
        .caching, "cache-by-program", "A response that the program stored is used.", .storedByProgram,
        "status 200", "stored")
    ]
    + numbered(
      "cache-cleared", "Removed responses are requested again.", .clearedCache, expecting: "1", "2")
}
