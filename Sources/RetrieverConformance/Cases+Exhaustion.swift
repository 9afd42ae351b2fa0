import Foundation
import TestSupport

extension ConformanceSuite {
  static let exhaustion: [ConformanceCase] = withoutDescriptors + withoutThreads

  private static func exhausting(
    over transports: [Transport] = [.http, .https], _ id: String, _ title: String,
    body: @escaping @Sendable (CaseContext) async throws -> Void
  ) -> [ConformanceCase] {
    each(over: transports, .exhaustion, id, title, in: .ownProcessWithTestHostNames, body: body)
  }

  /// Returns a small file of nginx, which runs in another process and so is not affected.
  private static func address(_ context: CaseContext) throws -> String {
    let nginx = try context.servers.nginx()
    return (context.transport == .http ? nginx.url("/1k") : nginx.secureURL("/1k")).absoluteString
  }

  /// Expects an error, with any code, in time.
  private static func expectError(_ outcome: ExchangeOutcome) throws {
    guard case .url = outcome.failure else {
      throw CaseFailure(reason: "Expected a URLError, got \(describe(outcome)).")
    }
    try expect(outcome.failure != .url(URLError.Code.timedOut.rawValue), "The error is a time-out.")
    try expect(outcome.elapsed < .seconds(3), "The error took \(outcome.elapsed).")
  }

  private static func expectRecovery(
    _ context: CaseContext, _ session: any ConformanceSession, _ address: String
  ) async throws {
    try expectResponse(
      try await context.perform(ExchangeRequest(.data, address), on: session), after: "afterwards")
    try expectResponse(
      try await context.perform(ExchangeRequest(.data, address)), after: "with a new session")
  }

  private static let withoutDescriptors: [ConformanceCase] =
    exhausting(
      "descriptors-first",
      "A program's first load without a free descriptor is an error; later loads succeed."
    ) { context in
      let address = try address(context)
      let session = try context.session()
      let shortage = try DescriptorExhaustion()
      defer { shortage.end() }
      try expectError(try await context.perform(ExchangeRequest(.data, address), on: session))
      shortage.end()
      try await expectRecovery(context, session, address)
    }
    + exhausting(
      "descriptors-session", "A session created without a free descriptor fails, and works later."
    ) { context in
      let address = try address(context)
      let shortage = try DescriptorExhaustion()
      defer { shortage.end() }
      let session = try context.session()
      try expectError(try await context.perform(ExchangeRequest(.data, address), on: session))
      shortage.end()
      try await expectRecovery(context, session, address)
    }
    + exhausting(
      "descriptors-later", "A new connection without a free descriptor is an error; later loads succeed."
    ) { context in
      let address = try address(context)
      let other = try ClosedPort()
      let session = try context.session()
      try expectResponse(try await context.perform(ExchangeRequest(.data, address), on: session))
      let shortage = try DescriptorExhaustion()
      defer { shortage.end() }
      for _ in 0..<3 {
        let outcome = try await context.perform(ExchangeRequest(.data, other.address()), on: session)
        try expectError(outcome)
      }
      shortage.end()
      try await expectRecovery(context, session, address)
    }
    + exhausting(
      over: [.http], "descriptors-code",
      "Without a free descriptor, the error does not claim that the server is unreachable."
    ) { context in
      let address = try address(context)
      let session = try context.session()
      let shortage = try DescriptorExhaustion()
      defer { shortage.end() }
      let outcome = try await context.perform(ExchangeRequest(.data, address), on: session)
      shortage.end()
      try expect(
        outcome.failure != .url(URLError.Code.cannotConnectToHost.rawValue), "The code is -1004.")
    }
    + exhausting("descriptors-few", "50 loads with ten free descriptors all end; later loads succeed.") {
      context in
      let address = try address(context)
      let session = try context.session()
      try expectResponse(try await context.perform(ExchangeRequest(.data, address), on: session))
      let shortage = try DescriptorExhaustion(leaving: 10)
      defer { shortage.end() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let request = ExchangeRequest(.data, "\(address)?\(number)")
            let outcome = try await context.perform(request, on: session)
            try expect(
              outcome.failure != nil || outcome.status == 200, "It ended with \(describe(outcome)).")
          }
        }
        try await group.waitForAll()
      }
      shortage.end()
      try await expectRecovery(context, session, address)
    }
    + exhausting(
      over: [.http], "descriptors-download",
      "A download without a descriptor for its file is an error; later downloads succeed."
    ) { context in
      let address = try address(context)
      let session = try context.session()
      try expectResponse(try await context.perform(ExchangeRequest(.data, address), on: session))
      let downloads = [try context.download(address), try context.download(address)]
      let shortage = try DescriptorExhaustion()
      defer { shortage.end() }
      try expectError(try await context.perform(downloads[0], on: session))
      shortage.end()
      try expectResponse(try await context.perform(downloads[1], on: session))
    }

  // MARK: Threads

  /// Runs `operation` while no thread can be created.
  private static func withoutNewThreads<Result>(_ operation: () async throws -> Result) async throws -> Result
  {
    guard TestHostNames.setThreadsFail(true) else {
      throw CaseFailure(reason: "The creation of threads cannot be blocked.")
    }
    defer { _ = TestHostNames.setThreadsFail(false) }
    return try await operation()
  }

  private static let withoutThreads: [ConformanceCase] =
    exhausting(
      over: [.http], "threads-first",
      "A program's first load without a free thread is an error or succeeds; later loads succeed."
    ) { context in
      let address = try address(context)
      let session = try context.session()
      let outcome = try await withoutNewThreads {
        try await context.perform(ExchangeRequest(.data, address), on: session)
      }
      try expect(outcome.failure != nil || outcome.status == 200, "It ended with \(describe(outcome)).")
      try expect(outcome.elapsed < .seconds(3), "It took \(outcome.elapsed).")
      try await expectRecovery(context, session, address)
    }
    + exhausting(
      over: [.http], "threads-look-up",
      "A look-up without a free thread is an error or succeeds; later look-ups succeed."
    ) { context in
      let address = try address(context)
      let session = try context.session()
      try expectResponse(try await context.perform(ExchangeRequest(.data, address), on: session))
      let named = address.replacingOccurrences(of: "127.0.0.1", with: "origin.test")
      let outcome = try await withoutNewThreads {
        try await context.perform(ExchangeRequest(.data, named), on: session)
      }
      try expect(outcome.failure != nil || outcome.status == 200, "It ended with \(describe(outcome)).")
      try expect(outcome.elapsed < .seconds(3), "It took \(outcome.elapsed).")
      try await expectRecovery(context, session, named)
    }
}
