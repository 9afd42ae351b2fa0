import Foundation
import Retriever

// What was requested.
extension HTTPStubs {
  /// The requests that are kept, in the order in which they came. They include those without a stub.
  public var requests: [ReceivedRequest] { table.read { $0.requests } }

  /// The requests that are kept and match a pattern.
  public func requests(matching pattern: RequestPattern) -> [ReceivedRequest] {
    requests.compactMap(pattern.matched)
  }

  /// The requests without a stub, up to 100.
  public var unexpectedRequests: [ReceivedRequest] { table.read { $0.unexpected.map(\.request) } }

  /// Waits for a request, and returns it.
  ///
  /// It returns immediately if the request has come. There is no time limit: limit the time of the test.
  ///
  /// - Parameters:
  ///   - number: Which one of the requests that match; the first one is 1.
  ///   - pattern: Which requests count. Its conditions must not use these stubs.
  /// - Throws: `CancellationError` if the surrounding task is cancelled, or ``StubsError`` if the request is no longer
  ///   kept.
  public func request(
    _ number: Int = 1, matching pattern: RequestPattern = .any
  ) async throws -> ReceivedRequest {
    var seen = 0
    var count = 0
    while true {
      let known = seen
      let (total, kept) = try await table.wait { table in
        table.requestCount > known ? (table.requestCount, table.requests) : nil
      }
      // Conditions are the test's own code, so they are asked without the lock.
      let new = kept.filter { $0.number > known }
      if new.count < total - known {
        throw StubsError(
          .forgottenRequest,
          "Request \(number) for \(pattern) may have come, but only the last \(kept.count) requests are kept. "
            + "Raise the limits of the stubs.")
      }
      for request in new.lazy.compactMap(pattern.matched) {
        count += 1
        if count == number { return request }
      }
      seen = total
    }
  }

  // MARK: Verifying

  /// Checks how many requests that match a pattern have come.
  ///
  /// - Parameters:
  ///   - pattern: Which requests.
  ///   - count: The expected number.
  /// - Throws: ``StubsError`` that says which requests came, and what the nearest one lacks.
  public func verify(_ pattern: RequestPattern, count: Int = 1) throws {
    try verify(pattern, count == 1 ? "1 request" : "\(count) requests") { $0 == count }
  }

  /// Checks that at least a number of requests that match a pattern have come.
  ///
  /// - Parameters:
  ///   - pattern: Which requests.
  ///   - minimum: The minimum number.
  /// - Throws: ``StubsError`` that says which requests came, and what the nearest one lacks.
  public func verify(_ pattern: RequestPattern, atLeast minimum: Int) throws {
    try verify(pattern, "at least \(minimum) requests") { $0 >= minimum }
  }

  private func verify(
    _ pattern: RequestPattern, _ expected: String, _ isRight: (Int) -> Bool
  ) throws {
    let all = requests
    let found = all.count { pattern.matches($0) }
    guard !isRight(found) else { return }
    throw StubsError(
      .unexpectedCount, StubMessages.wrongCount(pattern, expected: expected, found: found, among: all))
  }

  /// Checks that each stub has answered a request, that each entry of a replayed archive was used, and that no request
  /// came without a stub.
  ///
  /// - Throws: ``StubsError``.
  public func verifyAll() throws {
    let (unexpected, entries) = table.read { ($0.unexpected.first?.message, $0.entries) }
    if let unexpected { throw StubsError(.unexpectedRequest, unexpected) }
    for entry in entries {
      if case .replay(let script) = entry.answers, let first = script.unused.first {
        throw StubsError(
          .unusedStub, "\(script.unused.count) requests of \(entry.name) did not come. The first is \(first)."
        )
      }
      if entry.requestCount == 0 {
        let received = requests.prefix(8).map { "\($0)" }.joined(separator: ", ")
        throw StubsError(
          .unusedStub,
          "No request came for \(entry.name). "
            + (received.isEmpty ? "No request was received." : "The requests were: \(received)."))
      }
    }
  }
}
