import TestSupport
import Testing

@testable import KennelModel

@Suite(.timeLimit(.minutes(5))) struct SignInLimiterTests {
  private func makeLimiter(capacity: Int = 100) -> SignInLimiter {
    SignInLimiter(
      address: .init(burst: 5, refill: .seconds(10)), visitor: .init(burst: 3, refill: .seconds(30)),
      unknownVisitors: .init(burst: 8, refill: .seconds(60)), knownFor: .seconds(1000), capacity: capacity)
  }

  private typealias Visitor = SignInLimiter.Visitor

  /// Begins an attempt if it is allowed, and returns the verdict.
  private func attempt(
    _ limiter: inout SignInLimiter, _ name: String, from address: String, at now: Duration = .zero
  ) -> SignInLimiter.Verdict {
    let visitor = Visitor(name: name, address: address)
    let verdict = limiter.verdict(visitor, at: now)
    if verdict == .allowed { _ = limiter.begin(visitor, at: now) }
    return verdict
  }

  @Test func `a name has a few attempts from an address, then one per interval`() {
    var limiter = makeLimiter()
    for _ in 0..<3 { #expect(attempt(&limiter, "ada", from: "a") == .allowed) }
    #expect(attempt(&limiter, "ada", from: "a") == .wait(seconds: 30))
    #expect(attempt(&limiter, "ada", from: "a", at: .milliseconds(29_001)) == .wait(seconds: 1))
    #expect(attempt(&limiter, "ada", from: "a", at: .seconds(30)) == .allowed)
    #expect(attempt(&limiter, "ada", from: "a", at: .seconds(30)) == .wait(seconds: 30))
  }

  @Test func `an unknown address uses up only its own attempts`() {
    var limiter = makeLimiter()
    while attempt(&limiter, "ada", from: "stranger") == .allowed {}
    #expect(attempt(&limiter, "ada", from: "home") == .allowed)
  }

  @Test func `an address is limited for all names together`() {
    var limiter = makeLimiter()
    for number in 0..<5 { #expect(attempt(&limiter, "\(number)", from: "a") == .allowed) }
    #expect(attempt(&limiter, "5", from: "a") == .wait(seconds: 10))
    #expect(attempt(&limiter, "5", from: "b") == .allowed)
  }

  @Test func `unknown addresses share one allowance and a known address keeps its own`() {
    var limiter = makeLimiter()
    limiter.remember(Visitor(name: "ada", address: "home"), at: .zero)
    let heard = (0..<100).count { attempt(&limiter, "ada", from: "\($0)") == .allowed }
    #expect(heard == 8)
    #expect(attempt(&limiter, "ada", from: "100") == .wait(seconds: 60))
    // Wrong attempts from home count for that address, and not for the crowd.
    for _ in 0..<3 { #expect(attempt(&limiter, "ada", from: "home") == .allowed) }
    #expect(attempt(&limiter, "ada", from: "home") == .wait(seconds: 30))
    #expect(attempt(&limiter, "ada", from: "100", at: .seconds(60)) == .allowed)
    // Another name is not affected.
    #expect(attempt(&limiter, "bob", from: "101") == .allowed)
  }

  @Test func `a known address expires`() {
    var limiter = makeLimiter()
    limiter.remember(Visitor(name: "ada", address: "home"), at: .zero)
    for number in 0..<100 { _ = attempt(&limiter, "ada", from: "\(number)", at: .seconds(999)) }
    #expect(attempt(&limiter, "ada", from: "home", at: .seconds(999)) == .allowed)
    #expect(attempt(&limiter, "ada", from: "home", at: .seconds(1000)) == .wait(seconds: 59))
  }

  @Test func `refused and refunded attempts are not counted`() {
    var limiter = makeLimiter()
    let home = Visitor(name: "ada", address: "home")
    for _ in 0..<50 {
      #expect(limiter.verdict(home, at: .zero) == .allowed)
      limiter.refund(limiter.begin(home, at: .zero))
    }
    while attempt(&limiter, "ada", from: "home") == .allowed {}
    for _ in 0..<50 { #expect(attempt(&limiter, "ada", from: "home") == .wait(seconds: 30)) }
    // Refused attempts do not count for the address.
    for name in ["bob", "eve"] { #expect(attempt(&limiter, name, from: "home") == .allowed) }
    #expect(attempt(&limiter, "joe", from: "home") == .wait(seconds: 10))
  }

  @Test func `the limiter's tables are bounded`() {
    var limiter = makeLimiter(capacity: 10)
    for number in 0..<1000 {
      _ = attempt(&limiter, "\(number)", from: "\(number)")
      limiter.remember(Visitor(name: "\(number)", address: ""), at: .zero)
    }
    #expect(limiter.entryCount <= 40)
  }

  @Test func `an IPv6 client is counted by its network`() {
    #expect(ClientAddress.key("2001:db8:1:2::1") == ClientAddress.key("2001:db8:1:2:ffff::9"))
    #expect(ClientAddress.key("2001:db8:1:2::1") != ClientAddress.key("2001:db8:1:3::1"))
    #expect(ClientAddress.key("::ffff:192.0.2.7") == "192.0.2.7")
    #expect(ClientAddress.key("192.0.2.7") != ClientAddress.key("192.0.2.8"))
  }
}
