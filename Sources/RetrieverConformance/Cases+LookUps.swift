import Foundation
import TestSupport

/// The addresses of the names are documented at `TestHostNames`.
extension ConformanceSuite {
  static let lookups: [ConformanceCase] = slowNames + failingNames + sharedQuestions

  private static func naming(
    over transports: [Transport] = [.http], _ id: String, _ title: String, limit: Duration = .seconds(25),
    body: @escaping @Sendable (CaseContext) async throws -> Void
  ) -> [ConformanceCase] {
    each(over: transports, .lookups, id, title, limit: limit, in: .ownProcessWithTestHostNames) { context in
      context.setProxies([:])
      try await body(context)
    }
  }

  /// Starts a healthy server. Returns a function that returns its URL under a name.
  private static func served(_ context: CaseContext) throws -> (@Sendable (_ name: String) -> String) {
    let server = context.keep(try ScriptedServer.http { _ in Reply(text: "hello") })
    return { [port = server.port] name in "http://\(name):\(port)/" }
  }

  private static func count(of name: String) -> Int { TestHostNames.questions().count { $0.name == name } }

  /// Waits until a name is being looked up.
  private static func expectQuestion(_ name: String) async throws {
    let isAsked = await eventually(within: .seconds(5)) { count(of: name) > 0 }
    try expect(isAsked, "\(name) was never looked up.")
  }

  // MARK: Slow names

  private static let slowNames: [ConformanceCase] =
    naming("name-plain", "A client can connect to a name that needs a look-up.") { context in
      let url = try served(context)
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, url("origin.test"))), text: "hello")
    }
    + naming("name-slow", "A load waits for a look-up of half a second.") { context in
      let url = try served(context)
      let outcome = try await context.perform(ExchangeRequest(.data, url("slow-500.test")))
      try expectResponse(outcome, text: "hello")
      try expect(outcome.elapsed > .milliseconds(450), "It took only \(outcome.elapsed).")
    }
    + naming("name-slow-timeout", "A time-out of one second ends a look-up that takes eight.") { context in
      let url = try served(context)
      var request = ExchangeRequest(.data, url("slow-8000.test"))
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request, limit: .seconds(12)))
    }
    + naming("name-slow-resource", "A resource time-out of one second ends a look-up that takes eight.") {
      context in
      let url = try served(context)
      let session = try context.session { $0.resourceTimeout = .seconds(1) }
      let request = ExchangeRequest(.data, url("slow-8000.test"))
      try expectTimeOut(try await context.perform(request, on: session, limit: .seconds(12)))
    }
    + naming("name-slow-cancel", "Cancelling during a slow look-up ends the load immediately.") { context in
      let url = try served(context)
      let session = try context.session()
      var request = ExchangeRequest(.data, url("slow-8000.test"))
      let cancel = Gate()
      request.cancel = cancel
      async let result = context.perform(request, on: session, limit: .seconds(12))
      try await expectQuestion("slow-8000.test")
      let start = ContinuousClock.now
      cancel.open()
      let outcome = try await result
      let elapsed = ContinuousClock.now - start
      try expect(
        outcome.failure == .url(URLError.Code.cancelled.rawValue), "Expected -999, got \(describe(outcome)).")
      try expect(elapsed < .milliseconds(500), "It took \(elapsed).")
    }
    + naming("name-slow-next", "After a cancelled slow look-up the session's next load does not wait.") {
      context in
      let url = try served(context)
      let session = try context.session()
      var request = ExchangeRequest(.data, url("slow-8000.test"))
      let cancel = Gate()
      request.cancel = cancel
      async let result = context.perform(request, on: session, limit: .seconds(12))
      try await expectQuestion("slow-8000.test")
      cancel.open()
      try await expectAnswerSoon(context, session, url("127.0.0.1"))
      _ = try await result
      try await expectAnswerSoon(context, session, url("127.0.0.1"))
    }
    + naming("name-slow-others", "While one look-up hangs, loads from other hosts succeed.") { context in
      let url = try served(context)
      let session = try context.session()
      var request = ExchangeRequest(.data, url("slow-8000.test"))
      let cancel = Gate()
      request.cancel = cancel
      async let hanging = context.perform(request, on: session, limit: .seconds(12))
      try await expectQuestion("slow-8000.test")
      for name in ["127.0.0.1", "origin.test", "other.test"] {
        try await expectAnswerSoon(context, session, url(name))
      }
      cancel.open()
      _ = try await hanging
    }
    + naming(
      "name-slow-invalidate", "Invalidating a session during a slow look-up ends its loads immediately."
    ) {
      context in
      let url = try served(context)
      let session = try context.session(isJudgedAfterwards: false)
      let request = ExchangeRequest(.data, url("slow-8000.test"))
      async let result = context.perform(request, on: session, limit: .seconds(12))
      try await expectQuestion("slow-8000.test")
      let start = ContinuousClock.now
      session.invalidate()
      let outcome = try await result
      let elapsed = ContinuousClock.now - start
      try expect(outcome.failure != nil, "There is no error: \(describe(outcome)).")
      try expect(elapsed < .milliseconds(500), "It took \(elapsed).")
    }
    + naming("name-slow-crowd", "Ten hanging look-ups do not delay other loads.") { context in
      let url = try served(context)
      let session = try context.session()
      let cancel = Gate()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<10 {
          group.addTask {
            var request = ExchangeRequest(.data, url("slow-8000-\(number).test"))
            request.cancel = cancel
            _ = try await context.perform(request, on: session, limit: .seconds(12))
          }
        }
        try await expectQuestion("slow-8000-0.test")
        let start = ContinuousClock.now
        try await expectAnswerSoon(context, session, url("127.0.0.1"))
        try await expectAnswerSoon(context, session, url("origin.test"), within: .seconds(1))
        cancel.open()
        try await group.waitForAll()
        let elapsed = ContinuousClock.now - start
        try expect(elapsed < .seconds(3), "Cancelling ten took \(elapsed).")
      }
    }

  /// 100 milliseconds, plus a margin for a busy machine and a new process.
  static func expectAnswerSoon(
    _ context: CaseContext, _ session: any ConformanceSession, _ address: String,
    within limit: Duration = .milliseconds(250)
  ) async throws {
    let outcome = try await context.perform(ExchangeRequest(.data, address), on: session, limit: .seconds(12))
    try expectResponse(outcome, after: "from \(address)")
    try expect(outcome.elapsed < limit, "\(address) was answered after \(outcome.elapsed).")
  }

  // MARK: Failing and changing names

  private static let failingNames: [ConformanceCase] =
    naming("name-fails", "A name that does not exist is -1003.") { context in
      let session = try context.session()
      for name in ["fails.test", "fails-500.test"] {
        try expectFailure(
          try await context.perform(ExchangeRequest(.data, "http://\(name)/"), on: session), .cannotFindHost,
          .dnsLookupFailed)
      }
    }
    + naming("name-fails-crowd", "50 failing names do not delay other loads, and all end.") { context in
      let url = try served(context)
      let session = try context.session()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let outcome = try await context.perform(
              ExchangeRequest(.data, "http://fails-100-\(number).test/"), on: session, limit: .seconds(15))
            try expectFailure(outcome, .cannotFindHost, .dnsLookupFailed, within: .seconds(10))
          }
        }
        group.addTask { try await expectAnswerSoon(context, session, url("127.0.0.1"), within: .seconds(2)) }
        try await group.waitForAll()
      }
    }
    + naming("name-several-addresses", "If the first address of a name refuses, the next one is tried.") {
      context in
      let url = try served(context)
      try expectResponse(try await context.perform(ExchangeRequest(.data, url("many.test"))), text: "hello")
    }
    + naming("name-changes", "A name whose address refused is looked up again for the next load.") {
      context in
      let url = try served(context)
      let session = try context.session()
      let request = ExchangeRequest(.data, url("changes.test"))
      try expectFailure(try await context.perform(request, on: session), .cannotConnectToHost)
      try expectResponse(
        try await context.perform(request, on: session), text: "hello", after: "at its new address")
    }

  // MARK: Many questions

  private static let sharedQuestions: [ConformanceCase] =
    naming("name-shared", "50 concurrent loads look up the name of their host once.") { context in
      let url = try served(context)
      let session = try context.session { $0.needsKeptConnections = true }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let request = ExchangeRequest(.data, url("slow-500-shared.test") + "\(number)")
            let outcome = try await context.perform(request, on: session)
            try expectResponse(outcome, text: "hello")
          }
        }
        try await group.waitForAll()
      }
      let asked = count(of: "slow-500-shared.test")
      try expect(asked == 1, "The name was looked up \(asked) times.")
    }
    + naming("name-threads", "200 concurrent slow look-ups use a bounded number of threads.") {
      context in
      let url = try served(context)
      let session = try context.session { $0.needsKeptConnections = true }
      let before = ResourceSnapshot.take().threads
      let cancel = Gate()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            var request = ExchangeRequest(.data, url("slow-3000-\(number).test"))
            request.cancel = cancel
            _ = try await context.perform(request, on: session, limit: .seconds(20))
          }
        }
        _ = await eventually(within: .seconds(1)) { TestHostNames.questions().count >= 200 }
        let threads = ResourceSnapshot.take().threads - before
        let concurrency = TestHostNames.questions().map(\.concurrency).max() ?? 0
        cancel.open()
        try await group.waitForAll()
        try expect(concurrency > 0, "No name was looked up.")
        try expect(concurrency <= 64, "\(concurrency) look-ups were in progress at the same time.")
        try expect(threads <= 96, "\(threads) threads were added.")
      }
    }
}
