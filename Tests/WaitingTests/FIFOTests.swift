import TestSupport
import Testing
import Waiting

struct FIFOTests {
  @Test func `elements come out in the order in which they went in`() {
    var (queue, model, random) = (FIFO<Int>(), [Int](), SeededRandom(1))
    for number in 0..<10_000 {
      if Bool.random(using: &random) {
        queue.append(number)
        model.append(number)
      } else {
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty && queue.first == model.first)
    }
  }

  @Test func `a removed element is released`() {
    final class Element {}
    var queue = FIFO<Element>()
    weak var released: Element?
    do {
      let element = Element()
      released = element
      queue.append(element)
    }
    #expect(released != nil)
    queue.popFirst()
    #expect(released == nil)
  }

  @Test func `keeping some elements keeps their order`() {
    var queue = FIFO<Int>()
    for number in 0..<100 { queue.append(number) }
    for _ in 0..<10 { queue.popFirst() }
    queue.keep { $0.isMultiple(of: 3) }
    var rest: [Int] = []
    while let number = queue.popFirst() { rest.append(number) }
    #expect(rest == (10..<100).filter { $0.isMultiple(of: 3) })
  }

  @Test func `taking everything empties the queue`() {
    var queue = FIFO<Int>()
    queue.append(1)
    var taken = queue.takeAll()
    #expect(queue.isEmpty && taken.popFirst() == 1)
  }
}
