/// A queue in which adding and removing elements takes constant time.
public struct FIFO<Element> {
  // Other modules specialise the queue for their elements. The number of slots is a power of two.
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head = 0
  @usableFromInline var length = 0

  /// Creates an empty queue.
  @inlinable public init() {}

  /// The number of elements.
  @inlinable public var count: Int { length }

  /// Whether the queue has no elements.
  @inlinable public var isEmpty: Bool { length == 0 }

  /// The oldest element; nil if the queue is empty.
  public var first: Element? { count == 0 ? nil : slots[head] }

  /// Adds an element at the end.
  @inlinable
  public mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(head + count) & (slots.count - 1)] = element
    length += 1
  }

  /// Removes and returns the oldest element; nil if the queue is empty.
  @inlinable
  @discardableResult
  public mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      slots[head] = nil
      head = (head + 1) & (slots.count - 1)
      length -= 1
    }
    return slots[head]
  }

  /// Empties the queue and returns its contents, so that the caller can release them outside a lock.
  public mutating func takeAll() -> FIFO {
    defer { self = FIFO() }
    return self
  }

  /// Keeps only some elements, in their order. Takes time for each element.
  public mutating func keep(where isKept: (Element) -> Bool) {
    var kept = FIFO()
    while let element = popFirst() {
      if isKept(element) { kept.append(element) }
    }
    self = kept
  }

  @usableFromInline
  mutating func grow() {
    var larger = [Element?](repeating: nil, count: max(4, slots.count * 2))
    for index in 0..<count { larger[index] = slots[(head + index) & (slots.count - 1)] }
    slots = larger
    head = 0
  }
}

extension FIFO: Sendable where Element: Sendable {}
