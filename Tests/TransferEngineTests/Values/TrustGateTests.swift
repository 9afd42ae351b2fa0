import TestSupport
import Testing

@testable import TransferEngine

@Suite struct TrustGateTests {
  private typealias Gate = TrustGate<Int, String>

  @Test func `the first transfer leads, and the others wait until it has a connection`() {
    var gate = Gate()
    #expect(gate.enter(1) == true)
    #expect(gate.enter(1) == true)
    #expect(gate.enter(2) == false)
    #expect(gate.connected(2) == false)
    #expect(gate.connected(1) == true)
    #expect(gate.enter(2) == true)
  }

  @Test func `a question is asked once, and its answer lets everyone connect`() {
    var gate = Gate()
    #expect(gate.enter(1) == true)
    #expect(gate.undecided(.server([7]), by: 1) == .ask)
    #expect(gate.isAsking)
    #expect(gate.enter(2) == false)
    #expect(gate.undecided(.server([7]), by: 3) == .wait)
    gate.decide([7], .accepted(ignoringHostName: false))
    #expect(gate.decision(about: [7]) == .accepted(ignoringHostName: false))
    for member in 1...3 { #expect(gate.enter(member) == true) }
    #expect(gate.undecided(.server([7]), by: 3) == .connect)
    #expect(gate.undecided(.server([8]), by: 3) == .ask)
  }

  @Test func `the first decision about certificates counts`() {
    var gate = Gate()
    gate.decide([7], .standard)
    gate.decide([7], .accepted(ignoringHostName: true))
    #expect(gate.decision(about: [7]) == .standard)
    gate.decide(presenting: .nothing)
    gate.decide(presenting: .key("late"))
    guard case .nothing = gate.presented else {
      Issue.record("The second decision counted.")
      return
    }
    gate.forgetPresented()
    #expect(gate.undecided(.clientCertificate, by: 1) == .ask)
  }

  @Test func `when the one that asks leaves, another one asks`() {
    var gate = Gate()
    #expect(gate.enter(1) == true)
    #expect(gate.undecided(.server([7]), by: 1) == .ask)
    #expect(gate.left(2) == false)
    #expect(gate.left(1) == true)
    #expect(gate.enter(2) == true)
    #expect(gate.enter(3) == false)
    #expect(gate.undecided(.server([7]), by: 2) == .ask)
    // The late answer of the first delegate call decides too.
    gate.decide([7], .standard)
    #expect(!gate.isAsking)
  }

  @Test func `only the transfer that asks can decline`() {
    var gate = Gate()
    #expect(gate.undecided(.clientCertificate, by: 1) == .ask)
    gate.decline(.clientCertificate, by: 2)
    #expect(gate.isAsking)
    gate.decline(.clientCertificate, by: 1)
    #expect(!gate.isAsking)
    #expect(gate.undecided(.clientCertificate, by: 2) == .ask)
  }

  @Test func `the oldest decisions are forgotten`() {
    var gate = Gate()
    for number in 0...UInt8(Gate.maximumDecisions) { gate.decide([number], .standard) }
    #expect(gate.decision(about: [0]) == nil)
    #expect(gate.decision(about: [1]) == .standard)
  }

  /// A simple model: sets of members and decisions. It checks that nothing is accepted without a decision, that there is
  /// at most one question or leader, and that after everyone has left the gate lets a new member in.
  @Test(arguments: 0..<20) func `random events keep the rules`(seed: UInt64) {
    var random = SeededRandom(seed)
    var gate = Gate()
    var members: Set<Int> = []
    var decided: [[UInt8]: ServerDecision] = [:]
    var order: [[UInt8]] = []
    var asking: (member: Int, digest: [UInt8])?
    var leader: Int?
    for _ in 0..<5_000 {
      let member = Int.random(in: 0..<8, using: &random)
      let digest = [UInt8.random(in: 0..<24, using: &random)]
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1:
        let mayEnter = asking == nil && (leader == nil || leader == member)
        #expect(gate.enter(member) == mayEnter)
        if mayEnter {
          members.insert(member)
          if decided.isEmpty { leader = member }
        }
      case 2:
        let opens = leader == member
        #expect(gate.connected(member) == opens)
        if opens { leader = nil }
      case 3 where members.contains(member):
        switch gate.undecided(.server(digest), by: member) {
        case .connect:
          #expect(decided[digest] != nil)
          if leader == member { leader = nil }
        case .wait: #expect(decided[digest] == nil && asking != nil)
        case .ask:
          #expect(decided[digest] == nil && asking == nil)
          asking = (member, digest)
          leader = nil
        }
      case 4:
        // An answer, perhaps a late one of a question that was given up.
        let decision: ServerDecision =
          Bool.random(using: &random) ? .standard : .accepted(ignoringHostName: Bool.random(using: &random))
        gate.decide(digest, decision)
        if asking?.digest == digest { asking = nil }
        if decided[digest] == nil {
          decided[digest] = decision
          order.append(digest)
          if order.count > Gate.maximumDecisions { decided[order.removeFirst()] = nil }
        }
      case 5:
        gate.decline(.server(digest), by: member)
        if let current = asking, current.member == member, current.digest == digest { asking = nil }
      default:
        let opens = leader == member || asking?.member == member
        #expect(gate.left(member) == opens)
        members.remove(member)
        if leader == member { leader = nil }
        if asking?.member == member { asking = nil }
      }
      #expect(gate.isAsking == (asking != nil))
      #expect(gate.decision(about: digest) == decided[digest])
    }
    for member in 0..<8 { _ = gate.left(member) }
    #expect(gate.enter(99) == true)
  }
}
