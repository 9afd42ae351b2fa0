/// What is decided under a lock and done without it, in the order of the decisions, by one thread at a time.
///
/// Nobody waits: while one thread takes elements, others only add theirs.
public struct Turns<Element> {
  private var elements = FIFO<Element>()
  private var isTaken = false

  /// Whether there is nothing to do, and nobody who may still do something.
  public var isOver: Bool { !isTaken && elements.isEmpty }

  /// Creates a value without elements.
  public init() {}

  /// Adds elements. Returns whether it is the caller's turn: then it must take elements until there are none.
  public mutating func add(_ added: some Sequence<Element>) -> Bool {
    for element in added { elements.append(element) }
    guard !isTaken, !elements.isEmpty else { return false }
    isTaken = true
    return true
  }

  /// Removes and returns the next element. Without one, the turn is over.
  public mutating func next() -> Element? {
    if let element = elements.popFirst() { return element }
    isTaken = false
    return nil
  }
}

extension Turns: Sendable where Element: Sendable {}
