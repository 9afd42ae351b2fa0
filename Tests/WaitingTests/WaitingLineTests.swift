import TestSupport
import Testing
import Waiting

struct WaitingLineTests {
  @Test(arguments: 0..<20) func `the line behaves like a simple model`(seed: UInt64) {
    var line = WaitingLine<Int>()
    var model: [Int] = []
    var random = SeededRandom(seed)
    for number in 0..<2000 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        line.append(number)
        model.append(number)
      case 2:
        let member = Int.random(in: 0...number, using: &random)
        #expect(line.remove(member) == model.contains(member))
        model.removeAll { $0 == member }
      default: #expect(line.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(line.count == model.count && line.isEmpty == model.isEmpty)
      #expect(line.storedCount <= 2 * line.count + 65)
    }
  }

  @Test func `a member waits once`() {
    var line = WaitingLine<Int>()
    line.append(1)
    line.append(1)
    #expect(line.count == 1)
    #expect(line.popFirst() == 1)
    #expect(line.popFirst() == nil)
  }

  @Test func `members that leave do not use memory`() {
    var line = WaitingLine<Int>()
    for number in 0..<100_000 {
      line.append(number)
      line.remove(number)
    }
    #expect(line.storedCount <= 65)
  }
}
