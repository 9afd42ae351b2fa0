import Testing

@testable import KennelModel

@Suite(.timeLimit(.minutes(5))) struct SignInCoordinatorTests {
  private let home = SignInLimiter.Visitor(name: "ada", address: "home")
  private let credentials = VerifiedCredentials(user: 7, passwordDigest: [1])

  private func makeCoordinator() -> SignInCoordinator {
    let limiter = SignInLimiter(
      address: .init(burst: 3, refill: .seconds(10)), visitor: .init(burst: 3, refill: .seconds(10)))
    return SignInCoordinator(limiter: limiter, verificationLifetime: .seconds(300))
  }

  @Test func `correct credentials are verified for a fixed time`() {
    var coordinator = makeCoordinator()
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    coordinator.finish(0, .right(credentials), at: .seconds(1))
    for second in 1...300 {
      #expect(coordinator.arrive(home, digest: [1], at: .seconds(second)) == .verified(credentials))
    }
    #expect(coordinator.arrive(home, digest: [1], at: .seconds(301)) == .begin(id: 1))
  }

  @Test func `equal attempts are joined and counted once`() {
    var coordinator = makeCoordinator()
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    for _ in 0..<100 { #expect(coordinator.arrive(home, digest: [1], at: .zero) == .join(id: 0)) }
    #expect(coordinator.arrive(home, digest: [2], at: .zero) == .begin(id: 1))
    #expect(coordinator.arrive(home, digest: [3], at: .zero) == .begin(id: 2))
    #expect(coordinator.arrive(home, digest: [4], at: .zero) == .wait(seconds: 10))
    coordinator.finish(0, .right(credentials), at: .zero)
    #expect(coordinator.arrive(home, digest: [4], at: .zero) == .begin(id: 3))
    for id in 1...3 { coordinator.finish(id, .wrong, at: .zero) }
    #expect(coordinator.attemptCount == 0)
  }

  @Test func `a client over the limit does not learn about a right guess`() {
    var coordinator = makeCoordinator()
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    coordinator.finish(0, .right(credentials), at: .zero)
    let stranger = SignInLimiter.Visitor(name: "ada", address: "stranger")
    for id in 1...3 {
      #expect(coordinator.arrive(stranger, digest: [9, UInt8(id)], at: .zero) == .begin(id: id))
      coordinator.finish(id, .wrong, at: .zero)
    }
    #expect(coordinator.arrive(stranger, digest: [1], at: .zero) == .wait(seconds: 10))
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .verified(credentials))
  }

  @Test func `an abandoned attempt is started again`() {
    var coordinator = makeCoordinator()
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    coordinator.abandon(0)
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .begin(id: 1))
    // The end of the first attempt does not end the second one, and the first one is no longer counted.
    coordinator.finish(0, .undecided, at: .zero)
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .join(id: 1))
    coordinator.finish(1, .undecided, at: .zero)
    for id in 2...4 {
      #expect(coordinator.arrive(home, digest: [2, UInt8(id)], at: .zero) == .begin(id: id))
    }
  }

  @Test func `invalidated or discarded credentials are verified again`() {
    var coordinator = makeCoordinator()
    for digest: UInt8 in 1...2 {
      #expect(coordinator.arrive(home, digest: [digest], at: .zero) == .begin(id: Int(digest) - 1))
      coordinator.finish(Int(digest) - 1, .right(credentials), at: .zero)
    }
    coordinator.invalidate([1])
    #expect(coordinator.arrive(home, digest: [1], at: .zero) == .begin(id: 2))
    #expect(coordinator.arrive(home, digest: [2], at: .zero) == .verified(credentials))
    coordinator.forget(user: 7)
    #expect(coordinator.arrive(home, digest: [2], at: .zero) == .begin(id: 3))
  }

  @Test func `the cache of verified credentials is bounded`() {
    var verified = VerifiedCredentialsCache(capacity: 3, lifetime: .seconds(10))
    for number: UInt8 in 0..<100 {
      verified.add(credentials, for: [number], at: .seconds(Int(number)))
      #expect(verified.count <= 11)
    }
    #expect(verified.count == 3)
    #expect(verified.credentials([99], at: .seconds(99)) == credentials)
    #expect(verified.credentials([96], at: .seconds(99)) == nil)
  }
}
