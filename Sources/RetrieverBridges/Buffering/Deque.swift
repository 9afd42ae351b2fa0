/// A queue in which adding and removing elements takes constant time.
struct Deque<Element> {
  private var slots: [Element?] = []
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(head + count) % slots.count] = element
    count += 1
  }

  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      slots[head] = nil
      head = (head + 1) % slots.count
      count -= 1
    }
    return slots[head]
  }

  /// Empties the queue and returns its contents, so that the caller can release them outside a lock.
  mutating func takeAll() -> Deque {
    defer { self = Deque() }
    return self
  }

  private mutating func grow() {
    var larger = [Element?](repeating: nil, count: max(4, slots.count * 2))
    for index in 0..<count { larger[index] = slots[(head + index) % slots.count] }
    slots = larger
    head = 0
  }
}
