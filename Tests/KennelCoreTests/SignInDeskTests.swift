import Testing

@testable import KennelCore

@Suite(.timeLimit(.minutes(3))) struct SignInDeskTests {
  private let home = SignInLimiter.Visitor(name: "ada", address: "home")
  private let proof = ProvenCredentials.Proof(user: 7, passwordDigest: [1])

  private func makeDesk() -> SignInDesk {
    let limiter = SignInLimiter(
      address: .init(burst: 3, refill: .seconds(10)), visitor: .init(burst: 3, refill: .seconds(10)))
    return SignInDesk(limiter: limiter, proofLifetime: .seconds(300))
  }

  @Test func whatWasRightIsProvenForAWhileHoweverOftenItIsUsed() {
    var desk = makeDesk()
    #expect(desk.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    desk.finish(0, .right(proof), at: .seconds(1))
    for second in 1...300 { #expect(desk.arrive(home, digest: [1], at: .seconds(second)) == .proven(proof)) }
    #expect(desk.arrive(home, digest: [1], at: .seconds(301)) == .begin(id: 1))
  }

  @Test func equalAttemptsAreOneAndCountOnce() {
    var desk = makeDesk()
    #expect(desk.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    for _ in 0..<100 { #expect(desk.arrive(home, digest: [1], at: .zero) == .join(id: 0)) }
    #expect(desk.arrive(home, digest: [2], at: .zero) == .begin(id: 1))
    #expect(desk.arrive(home, digest: [3], at: .zero) == .begin(id: 2))
    #expect(desk.arrive(home, digest: [4], at: .zero) == .wait(seconds: 10))
    desk.finish(0, .right(proof), at: .zero)
    #expect(desk.arrive(home, digest: [4], at: .zero) == .begin(id: 3))
    for id in 1...3 { desk.finish(id, .wrong, at: .zero) }
    #expect(desk.attemptCount == 0)
  }

  @Test func whoHasUsedUpTheirAttemptsLearnsNothingOfARightGuess() {
    var desk = makeDesk()
    #expect(desk.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    desk.finish(0, .right(proof), at: .zero)
    let stranger = SignInLimiter.Visitor(name: "ada", address: "stranger")
    for id in 1...3 {
      #expect(desk.arrive(stranger, digest: [9, UInt8(id)], at: .zero) == .begin(id: id))
      desk.finish(id, .wrong, at: .zero)
    }
    #expect(desk.arrive(stranger, digest: [1], at: .zero) == .wait(seconds: 10))
    #expect(desk.arrive(home, digest: [1], at: .zero) == .proven(proof))
  }

  @Test func whatNobodyWaitsForIsBegunAnew() {
    var desk = makeDesk()
    #expect(desk.arrive(home, digest: [1], at: .zero) == .begin(id: 0))
    desk.abandon(0)
    #expect(desk.arrive(home, digest: [1], at: .zero) == .begin(id: 1))
    // The end of the first is not that of the second, and gives back what it was counted for.
    desk.finish(0, .undecided, at: .zero)
    #expect(desk.arrive(home, digest: [1], at: .zero) == .join(id: 1))
    desk.finish(1, .undecided, at: .zero)
    for id in 2...4 {
      #expect(desk.arrive(home, digest: [2, UInt8(id)], at: .zero) == .begin(id: id))
    }
  }

  @Test func whatIsRefutedOrOfSomebodyGoneIsLookedIntoAgain() {
    var desk = makeDesk()
    for digest: UInt8 in 1...2 {
      #expect(desk.arrive(home, digest: [digest], at: .zero) == .begin(id: Int(digest) - 1))
      desk.finish(Int(digest) - 1, .right(proof), at: .zero)
    }
    desk.refute([1])
    #expect(desk.arrive(home, digest: [1], at: .zero) == .begin(id: 2))
    #expect(desk.arrive(home, digest: [2], at: .zero) == .proven(proof))
    desk.forget(user: 7)
    #expect(desk.arrive(home, digest: [2], at: .zero) == .begin(id: 3))
  }

  @Test func provenOnesAreBounded() {
    var proven = ProvenCredentials(capacity: 3, lifetime: .seconds(10))
    for number: UInt8 in 0..<100 {
      proven.add(proof, for: [number], at: .seconds(Int(number)))
      #expect(proven.count <= 11)
    }
    #expect(proven.count == 3)
    #expect(proven.proof([99], at: .seconds(99)) == proof)
    #expect(proven.proof([96], at: .seconds(99)) == nil)
  }
}
