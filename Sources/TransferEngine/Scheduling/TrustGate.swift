/// What was decided about one server, and which transfer may connect to it while nothing is decided: a pure value.
///
/// Without a decision, a handshake is refused and a delegate is asked. So that a hundred transfers do not cause a hundred
/// handshakes, the first one leads: it connects, and the others wait until it has a connection, an answer, or has left.
struct TrustGate<Member: Equatable & Sendable, Key: Sendable>: Sendable {
  /// What a question is about.
  enum Topic: Hashable, Sendable {
    /// The certificates with this digest.
    case server([UInt8])
    case clientCertificate
  }

  enum Action: Equatable, Sendable {
    /// Ask, and wait for the answer.
    case ask
    /// Wait: another transfer has asked.
    case wait
    /// Connect again: this was decided in the meantime.
    case connect
  }

  private enum Phase: Sendable {
    case open
    case leading(Member)
    case asking(Member, Topic)
  }

  /// A presented key, or the decision to present none.
  enum Presented: Sendable {
    case nothing
    case key(Key)
  }

  /// The number of certificate chains that are remembered. The oldest is forgotten first.
  static var maximumDecisions: Int { 16 }

  private var phase = Phase.open
  private var decisions: [(digest: [UInt8], decision: ServerDecision)] = []
  /// What is presented to the server; nil if nothing was decided.
  private(set) var presented: Presented?

  /// Whether a delegate is being asked.
  var isAsking: Bool { if case .asking = phase { true } else { false } }

  func decision(about digest: [UInt8]) -> ServerDecision? {
    decisions.first { $0.digest == digest }?.decision
  }

  /// A transfer is about to connect. Returns false if it must wait.
  mutating func enter(_ member: Member) -> Bool {
    switch phase {
    case .open:
      if decisions.isEmpty { phase = .leading(member) }
      return true
    case .leading(let leader): return leader == member
    case .asking: return false
    }
  }

  /// A transfer has a connection. Returns true if waiting transfers may try again.
  mutating func connected(_ member: Member) -> Bool {
    guard case .leading(member) = phase else { return false }
    phase = .open
    return true
  }

  /// A transfer's handshake was refused because nothing was decided.
  mutating func undecided(_ topic: Topic, by member: Member) -> Action {
    if isDecided(topic) {
      if case .leading(member) = phase { phase = .open }
      return .connect
    }
    if case .asking = phase { return .wait }
    phase = .asking(member, topic)
    return .ask
  }

  /// The certificates were decided about. The first decision counts.
  mutating func decide(_ digest: [UInt8], _ decision: ServerDecision) {
    close(.server(digest))
    guard !isDecided(.server(digest)) else { return }
    if decisions.count >= Self.maximumDecisions { decisions.removeFirst() }
    decisions.append((digest, decision))
  }

  /// It was decided what to present. The first decision counts.
  mutating func decide(presenting decided: Presented) {
    close(.clientCertificate)
    if presented == nil { presented = decided }
  }

  /// The transfer's question was answered without a decision.
  mutating func decline(_ topic: Topic, by member: Member) {
    if case .asking(member, topic) = phase { phase = .open }
  }

  /// The server refused what was presented.
  mutating func forgetPresented() { presented = nil }

  /// A transfer has ended or no longer waits. Returns true if waiting transfers may try again.
  mutating func left(_ member: Member) -> Bool {
    switch phase {
    case .leading(member), .asking(member, _):
      phase = .open
      return true
    default: return false
    }
  }

  private func isDecided(_ topic: Topic) -> Bool {
    switch topic {
    case .server(let digest): decision(about: digest) != nil
    case .clientCertificate: presented != nil
    }
  }

  private mutating func close(_ topic: Topic) {
    if case .asking(_, topic) = phase { phase = .open }
  }
}
