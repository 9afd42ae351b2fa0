import Foundation
import Glibc
import TestSupport

extension ConformanceSuite {
  static let caching: [ConformanceCase] = reuse + parts + policies + programs

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

  /// A body of 200,000 bytes, of which a server sends parts. Some responses end too early.
  private static let parts: [ConformanceCase] =
    each(.caching, "cache-range", "A range is taken from a stored response.") { context in
      let (origin, server) = try context.serveHTTP { _ in
        Reply(headers: fresh + [("ETag", "\"dog\"")], text: "0123456789")
      }
      try await context.play(.cachedRange, at: origin, expecting: ["0123456789", "234", "status 206"])
      try expect(server.requests.count == 1, "\(server.requests.count) requests were sent.")
    }
    + each(.caching, "cache-ranges", "Stored parts of one version are combined.") { context in
      let (origin, server) = try context.serveHTTP { part(of: large, for: $0) }
      try await context.play(.combinedRanges, at: origin, expecting: ["2048", "2048", "2048"])
      try expect(server.requests.count == 2, "\(server.requests.count) requests were sent.")
    }
    + each(.caching, "cache-interrupted", "Only the rest of an interrupted body is loaded.") { context in
      let (origin, server) = try interrupting(context, tag: "\"dog\"")
      try await context.play(.interruptedForCache, at: origin, expecting: ["failed", "200000"])
      let last = server.requests.last
      try expect(last?["Range"] == "bytes=100000-", "The rest was not requested.")
      try expect(last?["If-Range"] == "\"dog\"", "The rest was requested without a condition.")
    }
    + each(.caching, "cache-interrupted-weak", "A body with a weak tag is loaded again.") { context in
      let (origin, server) = try interrupting(context, tag: "W/\"dog\"")
      try await context.play(.interruptedForCache, at: origin, expecting: ["failed", "200000"])
      try expect(server.requests.allSatisfy { $0["Range"] == nil }, "A range was requested.")
    }
    + each(.caching, "cache-concurrent", "Loads that miss at the same time share a request.") { context in
      let count = Counter()
      let (origin, _) = try context.serveHTTP { _ in
        let number = count.increment()
        // Long enough for the second load to begin. A slower machine makes the case pass for another reason.
        usleep(300_000)
        return Reply(headers: fresh, text: "\(number)")
      }
      try await context.play(.cachedConcurrently, at: origin, expecting: ["1", "1"])
    }

  private static let large = Data(repeating: 7, count: 200_000)

  /// The part that a request asks for, or everything.
  private static func part(of body: Data, for request: ScriptedRequest, tag: String = "\"dog\"") -> Reply {
    let fields = fresh + [("ETag", tag)]
    let bounds = (request["Range"] ?? "").dropFirst("bytes=".count).split(
      separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Int(bounds[0]), first < body.count else {
      return Reply(headers: fields, body: body)
    }
    let last = min(Int(bounds[1]) ?? .max, body.count - 1)
    return Reply(
      206, headers: fields + [("Content-Range", "bytes \(first)-\(last)/\(body.count)")],
      body: body.subdata(in: first..<last + 1))
  }

  /// Starts a server that closes its first connection in the middle of a body.
  private static func interrupting(_ context: CaseContext, tag: String) throws -> (String, ScriptedServer) {
    let failed = Counter()
    return try context.serve { connection in
      while let request = try connection.nextRequest() {
        let reply = part(of: large, for: request, tag: tag)
        if reply.status == 200, failed.increment() == 1 {
          try connection.send(reply.head + reply.body.prefix(100_000))
          return
        }
        try connection.send(reply.bytes)
      }
    }
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
      "cache-subclass", "A subclass with its own storage answers.", .cacheSubclass, expecting: "1", "1")
    + numbered(
      "cache-cleared", "Removed responses are requested again.", .clearedCache, expecting: "1", "2")
}
