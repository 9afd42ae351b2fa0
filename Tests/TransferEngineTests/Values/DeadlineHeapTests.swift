import TestSupport
import Testing

@testable import TransferEngine

@Suite struct DeadlineHeapTests {
  private final class Owner: DeadlineOwner {
    let number: Int
    var deadlineIndex = -1
    init(_ number: Int) { self.number = number }
  }

  private func moment(_ nanoseconds: Int64) -> Monotonic { Monotonic(nanoseconds: nanoseconds) }

  @Test func `an empty heap has nothing due`() {
    var heap = DeadlineHeap<Owner>()
    #expect(heap.earliest == nil)
    #expect(heap.popEarliest(due: moment(.max)) == nil)
  }

  @Test func `due deadlines are removed in order, and only these`() {
    var heap = DeadlineHeap<Owner>()
    let owners = [5, 1, 9, 3, 7].map(Owner.init)
    for owner in owners { heap.set(owner, due: moment(Int64(owner.number))) }
    #expect(heap.earliest == moment(1))
    var popped: [Int] = []
    while let owner = heap.popEarliest(due: moment(5)) { popped.append(owner.number) }
    #expect(popped == [1, 3, 5])
    #expect(heap.count == 2)
    #expect(heap.earliest == moment(7))
  }

  @Test func `a removed deadline does not retain its owner`() {
    var heap = DeadlineHeap<Owner>()
    weak var kept: Owner?
    do {
      let owner = Owner(1)
      kept = owner
      heap.set(owner, due: moment(300_000_000_000))
      heap.set(owner, due: nil)
    }
    #expect(kept == nil)
    #expect(heap.count == 0)
  }

  @Test(arguments: 0..<20) func `agrees with a sorted list`(seed: UInt64) {
    var random = SeededRandom(seed)
    var heap = DeadlineHeap<Owner>()
    let owners = (0..<40).map(Owner.init)
    var expected: [Int: Int64] = [:]
    for _ in 0..<2000 {
      let owner = owners[Int.random(in: 0..<40, using: &random)]
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        heap.set(owner, due: nil)
        expected[owner.number] = nil
      case 1:
        let limit = Int64.random(in: 0..<1000, using: &random)
        let earliest = expected.values.min()
        let popped = heap.popEarliest(due: moment(limit))
        #expect((popped != nil) == (earliest.map { $0 <= limit } ?? false))
        if let popped { #expect(expected.removeValue(forKey: popped.number) == earliest) }
      default:
        let due = Int64.random(in: 0..<1000, using: &random)
        heap.set(owner, due: moment(due))
        expected[owner.number] = due
      }
      #expect(heap.count == expected.count)
      #expect(heap.earliest?.nanoseconds == expected.values.min())
      #expect(heap.deadline(of: owner)?.nanoseconds == expected[owner.number])
    }
  }
}
