/// The members of a queue that anyone may leave: the oldest comes first. Joining, leaving and taking the first member
/// take constant time on average.
///
/// A member that has left must not join again, so members are usually numbers that are used once.
public struct WaitingLine<Member: Hashable & Sendable>: Sendable {
  /// All members in order, and some that have left.
  private var order = FIFO<Member>()
  private var members: Set<Member> = []

  /// Creates an empty line.
  public init() {}

  /// The number of members.
  public var count: Int { members.count }

  /// Whether nobody waits.
  public var isEmpty: Bool { members.isEmpty }

  /// The number of entries that memory is used for. It is at most twice the number of members, plus 64.
  public var storedCount: Int { order.count }

  /// Adds a member at the end.
  public mutating func append(_ member: Member) {
    guard members.insert(member).inserted else { return }
    order.append(member)
  }

  /// Removes a member from any position. Returns false if it does not wait.
  @discardableResult
  public mutating func remove(_ member: Member) -> Bool {
    guard members.remove(member) != nil else { return false }
    if order.count > 2 * members.count + 64 { order.keep(where: members.contains) }
    return true
  }

  /// Removes and returns the oldest member; nil if nobody waits.
  public mutating func popFirst() -> Member? {
    while let member = order.popFirst() {
      if members.remove(member) != nil { return member }
    }
    return nil
  }
}
