import TestSupport
import Testing

@testable import TransferEngine

@Suite struct RetryRuleTests {
  private typealias Attempt = RetryRule.Attempt
  private static let idempotentMethods = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
  /// Methods are case-sensitive: "get" is an unknown method.
  private static let otherMethods = ["POST", "PATCH", "CONNECT", "LOCK", "get", "Post", "", "GET "]

  @Test func `the methods that RFC 9110 calls idempotent are idempotent, and no other`() {
    for method in Self.idempotentMethods { #expect(RetryRule(method: method).isIdempotent, "\(method)") }
    for method in Self.otherMethods { #expect(!RetryRule(method: method).isIdempotent, "\(method)") }
  }

  /// Sent bytes, reused connection, refused; then the decisions for GET and for POST.
  @Test(arguments: [
    (false, false, false, RetryRule.Decision.fails, RetryRule.Decision.fails),
    (true, false, false, .fails, .fails),
    (false, true, false, .repeats(onFreshConnection: true), .repeats(onFreshConnection: true)),
    (true, true, false, .repeats(onFreshConnection: true), .fails),
    (false, false, true, .repeats(onFreshConnection: false), .repeats(onFreshConnection: false)),
    (true, false, true, .repeats(onFreshConnection: false), .repeats(onFreshConnection: false)),
    (false, true, true, .repeats(onFreshConnection: false), .repeats(onFreshConnection: false)),
    (true, true, true, .repeats(onFreshConnection: false), .repeats(onFreshConnection: false)),
  ])
  func `the first attempt's end decides`(
    sent: Bool, reused: Bool, refused: Bool, idempotent: RetryRule.Decision, other: RetryRule.Decision
  ) {
    let attempt = RetryRule.Attempt(sentBytes: sent, reusedConnection: reused, wasRefused: refused)
    for method in Self.idempotentMethods {
      var rule = RetryRule(method: method)
      #expect(rule.decide(after: attempt) == idempotent, "\(method)")
    }
    for method in Self.otherMethods {
      var rule = RetryRule(method: method)
      #expect(rule.decide(after: attempt) == other, "\(method)")
    }
  }

  @Test func `a GET that was partly sent is repeated at most twice`() {
    var rule = RetryRule(method: "GET")
    let attempt = Attempt(sentBytes: true, reusedConnection: true)
    #expect(repeats(of: &rule, attempt) == RetryRule.maximumRepeats)
    #expect(RetryRule.maximumRepeats == 2)
  }

  @Test func `a POST of which nothing was sent is repeated a limited number of times`() {
    var rule = RetryRule(method: "POST")
    let attempt = Attempt(sentBytes: false, reusedConnection: true)
    #expect(repeats(of: &rule, attempt) == RetryRule.maximumUnsent)
  }

  @Test func `a refused expectation is dropped once, if no body was sent`() {
    for method in Self.idempotentMethods + Self.otherMethods {
      var rule = RetryRule(method: method)
      let decisions = [true, false, false].map { rule.repeatsWithoutExpectation(sentBody: $0) }
      #expect(decisions == [false, true, false])
      #expect(rule.repeats == 0 && rule.refusals == 0 && rule.unsent == 0)
    }
  }

  @Test func `a request that is refused every time is repeated a limited number of times`() {
    var rule = RetryRule(method: "POST")
    let attempt = Attempt(sentBytes: true, reusedConnection: true, wasRefused: true)
    #expect(repeats(of: &rule, attempt) == RetryRule.maximumRefusals)
  }

  @Test func `refusals do not use up the repeats of a request that was sent`() {
    var rule = RetryRule(method: "GET")
    _ = repeats(of: &rule, Attempt(sentBytes: true, reusedConnection: true, wasRefused: true))
    _ = repeats(of: &rule, Attempt(sentBytes: false, reusedConnection: true))
    #expect(repeats(of: &rule, Attempt(sentBytes: true, reusedConnection: true)) == RetryRule.maximumRepeats)
  }

  /// Returns how often the rule repeats a request when each attempt ends in the same way.
  private func repeats(of rule: inout RetryRule, _ attempt: Attempt) -> Int {
    var count = 0
    while count < 100, rule.decide(after: attempt) != .fails { count += 1 }
    return count
  }

  // MARK: Model

  /// A million attempts. Each rule receives random attempts until long after its limits.
  @Test(arguments: 0..<20) func `the bounds hold in any order of attempts`(seed: UInt64) {
    var random = SeededRandom(seed)
    for round in 0..<1250 {
      let bits = random.next()
      let isPost = bits & 1 == 0
      var rule = RetryRule(method: isPost ? "POST" : "PUT")
      var left = (sent: isPost ? 0 : 2, unsent: 8, refused: 8)
      for step in 0..<40 {
        let draw = random.next()
        let attempt = Attempt(
          sentBytes: draw & 1 == 0, reusedConnection: draw & 6 != 0, wasRefused: draw & 24 == 0)
        let decision = rule.decide(after: attempt)
        let isExpected: Bool
        if attempt.wasRefused {
          isExpected = Self.agrees(decision, fresh: false, &left.refused)
        } else if !attempt.reusedConnection {
          isExpected = decision == .fails
        } else if attempt.sentBytes {
          isExpected = Self.agrees(decision, fresh: true, &left.sent)
        } else {
          isExpected = Self.agrees(decision, fresh: true, &left.unsent)
        }
        guard isExpected else {
          Issue.record("Seed \(seed), round \(round), step \(step): \(attempt) gives \(decision)")
          return
        }
      }
    }
  }

  /// Whether the request is repeated exactly while repeats are left.
  private static func agrees(_ decision: RetryRule.Decision, fresh: Bool, _ left: inout Int) -> Bool {
    guard left > 0 else { return decision == .fails }
    left -= 1
    return decision == .repeats(onFreshConnection: fresh)
  }
}
