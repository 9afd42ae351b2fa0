import TestSupport
import Testing

@testable import KennelCore

@Suite(.timeLimit(.minutes(1))) struct SignInLimiterTests {
  private func makeLimiter(capacity: Int = 100) -> SignInLimiter {
    SignInLimiter(
      name: .init(burst: 3, refill: .seconds(30)), address: .init(burst: 5, refill: .seconds(10)),
      capacity: capacity)
  }

  @Test func aNameHasSomeAttemptsAndAnotherOneEachWhile() {
    var limiter = makeLimiter()
    for _ in 0..<3 { #expect(limiter.begin(name: "ada", address: "a", at: .zero) == .allowed) }
    #expect(limiter.begin(name: "ada", address: "b", at: .zero) == .wait(seconds: 30))
    #expect(
      limiter.begin(name: "ada", address: "b", at: .milliseconds(29_001)) == .wait(seconds: 1))
    #expect(limiter.begin(name: "ada", address: "b", at: .seconds(30)) == .allowed)
    #expect(limiter.begin(name: "ada", address: "b", at: .seconds(30)) == .wait(seconds: 30))
    #expect(limiter.begin(name: "bob", address: "b", at: .seconds(30)) == .allowed)
  }

  @Test func anAddressIsLimitedWhateverTheNames() {
    var limiter = makeLimiter()
    for number in 0..<5 {
      #expect(limiter.begin(name: "\(number)", address: "a", at: .zero) == .allowed)
    }
    #expect(limiter.begin(name: "5", address: "a", at: .zero) == .wait(seconds: 10))
    #expect(limiter.begin(name: "5", address: "b", at: .zero) == .allowed)
  }

  @Test func whatIsRefusedOrGivenBackCostsNothing() {
    var limiter = makeLimiter()
    for _ in 0..<20 {
      #expect(limiter.begin(name: "ada", address: "a", at: .zero) == .allowed)
      limiter.giveBack(name: "ada", address: "a")
    }
    for _ in 0..<3 { _ = limiter.begin(name: "ada", address: "a", at: .zero) }
    for _ in 0..<20 {
      #expect(limiter.begin(name: "ada", address: "b", at: .zero) == .wait(seconds: 30))
    }
    // The address was not charged for what was refused.
    #expect(limiter.begin(name: "bob", address: "b", at: .zero) == .allowed)
  }

  @Test func itsTablesAreBounded() {
    var limiter = makeLimiter(capacity: 10)
    for number in 0..<1000 { _ = limiter.begin(name: "\(number)", address: "\(number)", at: .zero) }
    #expect(limiter.entryCount <= 20)
  }

  @Test func anIPv6ClientIsItsNetwork() {
    #expect(ClientAddress.key("2001:db8:1:2::1") == ClientAddress.key("2001:db8:1:2:ffff::9"))
    #expect(ClientAddress.key("2001:db8:1:2::1") != ClientAddress.key("2001:db8:1:3::1"))
    #expect(ClientAddress.key("::ffff:192.0.2.7") == "192.0.2.7")
    #expect(ClientAddress.key("192.0.2.7") != ClientAddress.key("192.0.2.8"))
  }
}
