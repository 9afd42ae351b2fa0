import Waiting

/// The state machine of a sequence with a bounded buffer and one reader. It contains no locks and calls no
/// continuations or callbacks.
///
/// `Waiter` is the suspended reader: a continuation in ``EventBuffer``, a number in the tests.
struct BufferStateMachine<Element, Waiter> {
  enum AppendAction {
    case stored
    /// The reader was waiting. Resume it with the element.
    case resume(Waiter, with: Element)
    /// The element is lost, because the buffer is full or the sequence has ended. Release it outside the lock.
    case dropped(Element)
    /// The buffer is full. The sequence ends with an error after the buffered elements.
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
    /// Another reader is already waiting. Only one is allowed.
    case contended
    /// No element is available. The reader must wait or, if it was passed as a waiter, is waiting now.
    case wait
  }

  struct CancelAction {
    /// The waiter to resume with a cancellation error.
    var waiter: Waiter?
    /// The elements that will not be read. Release them outside the lock.
    var discarded: FIFO<Element>
  }

  private enum Phase {
    case open
    /// No more elements arrive. The error is delivered after the buffered elements.
    case finished((any Error)?)
    /// The sequence was cancelled. The next call of the reader throws.
    case cancelled
    /// The reader has reached the end.
    case drained
  }

  private let buffering: EventBuffering
  private let overflowError: any Error
  private var phase = Phase.open
  private var waiter: Waiter?
  private var buffer = FIFO<Element>()

  /// The number of elements that were dropped.
  private(set) var droppedCount = 0
  /// The number of elements in the buffer.
  var bufferedCount: Int { buffer.count }

  init(buffering: EventBuffering, overflowError: any Error) {
    self.buffering = buffering
    self.overflowError = overflowError
  }

  /// Adds an element.
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

  /// Ends the sequence. Only the first call has an effect.
  mutating func finish(throwing error: (any Error)?) -> FinishAction {
    guard case .open = phase else { return .none }
    guard let reader = waiter.take() else {
      phase = .finished(error)
      return .none
    }
    phase = .drained
    return .resume(reader, throwing: error)
  }

  /// Requests the next element for the reader.
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

  /// Registers the suspended reader. If the result is not `wait`, resume the reader immediately.
  mutating func suspend(_ reader: Waiter) -> NextAction {
    let action = next()
    if case .wait = action { waiter = reader }
    return action
  }

  /// Cancels the sequence, because the reader's task was cancelled or the reader was deallocated.
  mutating func cancel() -> CancelAction {
    if case .drained = phase { return CancelAction(waiter: nil, discarded: FIFO()) }
    let reader = waiter.take()
    // A waiting reader is resumed now. Otherwise the next call of the reader throws.
    phase = reader == nil ? .cancelled : .drained
    return CancelAction(waiter: reader, discarded: buffer.takeAll())
  }
}
