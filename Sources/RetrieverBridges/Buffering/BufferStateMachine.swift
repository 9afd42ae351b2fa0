/// The rules of a sequence with a bounded buffer and one reader. No lock, no resumption, no callback.
///
/// `Waiter` is the suspended reader: a continuation in the driver, a plain number in the tests.
struct BufferStateMachine<Element, Waiter> {
  enum AppendAction {
    case stored
    /// The reader was waiting: resume it with the element.
    case resume(Waiter, with: Element)
    /// This one is lost: because there is no room for it, or because nobody will read it. Let go of it.
    case dropped(Element)
    /// There is no room, and the sequence ends with an error once the buffer has been read.
    case overflowed(Element)
  }

  enum FinishAction {
    case none
    case resume(Waiter, throwing: (any Error)?)
  }

  enum NextAction {
    case deliver(Element)
    case end
    case fail(any Error)
    /// Another reader is waiting already; there can be only one.
    case contended
    /// Nothing there yet: the reader has to wait, or, if it was passed as a waiter, is waiting now.
    case wait
  }

  struct CancelAction {
    /// Is to be resumed with the cancellation.
    var waiter: Waiter?
    /// Elements that nobody will read: let go of them.
    var discarded: Deque<Element>
  }

  private enum Phase {
    case open
    /// No more elements come; the error is delivered after the buffered ones.
    case finished((any Error)?)
    /// The mark that a cancellation leaves: the reader that comes next finds it.
    case cancelled
    /// The reader has seen the end.
    case drained
  }

  private let buffering: EventBuffering
  private let overflowError: any Error
  private var phase = Phase.open
  private var waiter: Waiter?
  private var buffer = Deque<Element>()

  /// How many elements were lost to the policy.
  private(set) var droppedCount = 0
  /// How many elements wait for the reader.
  var bufferedCount: Int { buffer.count }

  init(buffering: EventBuffering, overflowError: any Error) {
    self.buffering = buffering
    self.overflowError = overflowError
  }

  /// An element has come.
  mutating func append(_ element: Element) -> AppendAction {
    guard case .open = phase else { return .dropped(element) }
    if let reader = waiter.take() { return .resume(reader, with: element) }
    guard buffer.count >= buffering.limit else {
      buffer.append(element)
      return .stored
    }
    droppedCount += 1
    switch buffering {
    case .droppingNewest:
      return .dropped(element)
    case .droppingOldest:
      let oldest = buffer.popFirst()
      buffer.append(element)
      return oldest.map(AppendAction.dropped) ?? .stored
    case .failing:
      phase = .finished(overflowError)
      return .overflowed(element)
    }
  }

  /// No more elements come. Only the first call counts.
  mutating func finish(throwing error: (any Error)?) -> FinishAction {
    guard case .open = phase else { return .none }
    guard let reader = waiter.take() else {
      phase = .finished(error)
      return .none
    }
    phase = .drained
    return .resume(reader, throwing: error)
  }

  /// The reader wants the next element.
  mutating func next() -> NextAction {
    if waiter != nil { return .contended }
    if let element = buffer.popFirst() { return .deliver(element) }
    switch phase {
    case .open:
      return .wait
    case .finished(let error):
      phase = .drained
      return error.map(NextAction.fail) ?? .end
    case .cancelled:
      phase = .drained
      return .fail(CancellationError())
    case .drained:
      return .end
    }
  }

  /// The reader has been suspended; if the answer is anything but `wait` it must be resumed at once.
  mutating func suspend(_ reader: Waiter) -> NextAction {
    let action = next()
    if case .wait = action { waiter = reader }
    return action
  }

  /// The reader's task was cancelled, or the reader is gone: nothing more will be read.
  mutating func cancel() -> CancelAction {
    if case .drained = phase { return CancelAction(waiter: nil, discarded: Deque()) }
    let reader = waiter.take()
    // A waiting reader is told now; otherwise the next one to come finds the mark.
    phase = reader == nil ? .cancelled : .drained
    return CancelAction(waiter: reader, discarded: buffer.takeAll())
  }
}
