import TestSupport
import Testing

@testable import TransferEngine

@Suite struct DeadlineHeapTests {
  private func moment(_ nanoseconds: Int64) -> Monotonic { Monotonic(nanoseconds: nanoseconds) }

  @Test func anEmptyHeapHasNothingDue() {
    var heap = DeadlineHeap<Int>()
    #expect(heap.earliest == nil)
    #expect(heap.popEarliest(due: moment(.max)) == nil)
  }

  @Test func whatIsDueComesOutInOrderAndNothingEarlier() {
    var heap = DeadlineHeap<Int64>()
    for due: Int64 in [5, 1, 9, 3, 7] { heap.push(due, due: moment(due)) }
    #expect(heap.earliest == moment(1))
    var popped: [Int64] = []
    while let owner = heap.popEarliest(due: moment(5)) { popped.append(owner) }
    #expect(popped == [1, 3, 5])
    #expect(heap.count == 2)
    #expect(heap.earliest == moment(7))
  }

  @Test func equalDeadlinesAllComeOut() {
    var heap = DeadlineHeap<Int>()
    for owner in 0..<10 { heap.push(owner, due: moment(4)) }
    var popped: Set<Int> = []
    while let owner = heap.popEarliest(due: moment(4)) { popped.insert(owner) }
    #expect(popped == Set(0..<10))
  }

  @Test(arguments: 0..<20) func agreesWithSorting(seed: UInt64) {
    var random = SeededRandom(seed)
    var heap = DeadlineHeap<Int64>()
    var expected: [Int64] = []
    for _ in 0..<500 {
      if Int.random(in: 0..<3, using: &random) < 2 {
        let due = Int64.random(in: 0..<1000, using: &random)
        heap.push(due, due: moment(due))
        expected.append(due)
        expected.sort()
      } else {
        let limit = Int64.random(in: 0..<1000, using: &random)
        let first = expected.first.flatMap { $0 <= limit ? $0 : nil }
        #expect(heap.popEarliest(due: moment(limit)) == first)
        if first != nil { expected.removeFirst() }
      }
      #expect(heap.earliest?.nanoseconds == expected.first)
    }
  }
}
