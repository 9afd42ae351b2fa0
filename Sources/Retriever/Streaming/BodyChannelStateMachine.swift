#if !canImport(Darwin)

/// The state machine of a ``BodyChannel``: what is buffered, who waits, who must pause. No lock, no I/O, no callback.
///
/// `Waiter` is the suspended consumer: a continuation in the driver, a number in the tests.
package struct BodyChannelStateMachine<Waiter> {
  /// The producer's next step after an append.
  package enum AppendAction {
    /// Nothing. `pause` asks the producer to stop until there is new demand.
    case buffered(pause: Bool)
    /// The same, but the consumer is still waiting: ``flush()`` resumes it.
    case batched
    /// The consumer was waiting: resume it with this chunk.
    case resume(Waiter, with: ByteChunk)
    /// Nobody will ever read these bytes.
    case dropped
  }

  package enum FinishAction {
    case none
    case resume(Waiter, throwing: (any Error)?)
  }

  package enum TakeAction {
    /// `demand` asks the driver to wake the paused producer.
    case deliver(ByteChunk, demand: Bool)
    case end
    case fail(any Error)
    /// The consumer left or was cancelled before the end.
    case terminated
    /// Another consumer is already waiting; only one is allowed.
    case contended
    /// No data yet: the consumer has to wait, or, if it was passed as a waiter, is now waiting.
    case wait
  }

  package enum TerminateAction {
    case none
    /// Resume the waiter, if there is one, with the cancellation. Notify the producer if it has not finished.
    case terminate(Waiter?, notifyProducer: Bool)
  }

  private enum Phase {
    case open
    /// The producer has finished; the error is delivered after the buffered bytes.
    case finished((any Error)?)
    /// The consumer has received the end or the error.
    case drained
    /// The state after a cancellation. Later calls see it, so a cancellation is never missed.
    case terminated
  }

  /// Chunks start small, so that small amounts stay cheap, and grow while the consumer lags behind.
  package static var minimumChunkSize: Int { 16 << 10 }
  package static var maximumChunkSize: Int { 256 << 10 }

  private let highWaterMark: Int
  private let lowWaterMark: Int
  private var phase = Phase.open
  private var isPaused = false
  private var waiter: Waiter?
  /// A queue. The water marks keep it short, so removing the first element is cheap.
  private var chunks: [ByteChunk] = []
  private var spare: ByteChunk?
  private var nextCapacity = Self.minimumChunkSize

  package private(set) var bufferedCount = 0

  package init(highWaterMark: Int, lowWaterMark: Int) {
    self.highWaterMark = max(highWaterMark, 1)
    self.lowWaterMark = min(max(lowWaterMark, 0), self.highWaterMark)
  }

  // MARK: Producer

  /// Copies bytes that have arrived.
  ///
  /// - Parameter wakeThreshold: The number of bytes below which a waiting consumer is not resumed until ``flush()``.
  package mutating func append(_ bytes: UnsafeRawBufferPointer, wakeThreshold: Int = 0) -> AppendAction {
    guard case .open = phase else { return .dropped }
    var rest = bytes
    if let tail = chunks.last, tail.room > 0 {
      let copied = tail.fill(from: rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[copied...])
      if tail.room == 0 { growChunks() }
    }
    while !rest.isEmpty {
      let chunk = takeEmptyChunk(for: rest.count)
      let copied = chunk.fill(from: rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[copied...])
      chunks.append(chunk)
    }
    return didAppend(bytes.count, wakeThreshold: wakeThreshold)
  }

  /// Resumes a waiting consumer with the batched bytes, because no more bytes come for now.
  package mutating func flush() -> AppendAction { didAppend(0) }

  /// Adds a complete chunk without copying it.
  package mutating func append(_ chunk: ByteChunk) -> AppendAction {
    guard case .open = phase else { return .dropped }
    if chunk.count > 0 { chunks.append(chunk) }
    return didAppend(chunk.count)
  }

  private mutating func didAppend(_ count: Int, wakeThreshold: Int = 0) -> AppendAction {
    bufferedCount += count
    if waiter != nil, bufferedCount < wakeThreshold { return .batched }
    if !chunks.isEmpty, let consumer = waiter.take() {
      return .resume(consumer, with: takeFirstChunk())
    }
    if bufferedCount > highWaterMark { isPaused = true }
    return .buffered(pause: isPaused)
  }

  /// Records that the producer has finished or failed. Only the first call has an effect.
  package mutating func finish(throwing error: (any Error)?) -> FinishAction {
    guard case .open = phase else { return .none }
    isPaused = false
    spare = nil
    guard let consumer = waiter.take() else {
      phase = .finished(error)
      return .none
    }
    phase = .drained
    return .resume(consumer, throwing: error)
  }

  // MARK: Consumer

  /// Takes the next chunk for the consumer, which may return a used chunk for reuse.
  package mutating func take(recycling spent: ByteChunk?) -> TakeAction {
    if case .open = phase, spare == nil, let spent, spent.capacity >= Self.minimumChunkSize {
      spent.clear()
      spare = spent
    }
    return take()
  }

  /// Records that the consumer is suspended. If the result is not `wait`, the consumer must be resumed immediately.
  package mutating func suspend(_ consumer: Waiter) -> TakeAction {
    let action = take()
    if case .wait = action { waiter = consumer }
    return action
  }

  private mutating func take() -> TakeAction {
    if case .terminated = phase { return .terminated }
    guard waiter == nil else { return .contended }
    if !chunks.isEmpty {
      let chunk = takeFirstChunk()
      let demand = isPaused && bufferedCount <= lowWaterMark
      if demand { isPaused = false }
      return .deliver(chunk, demand: demand)
    }
    switch phase {
    case .open:
      return .wait
    case .finished(let error):
      phase = .drained
      return if let error { .fail(error) } else { .end }
    case .drained:
      return .end
    case .terminated:
      return .terminated
    }
  }

  /// Records that the consumer stopped reading or its task was cancelled, perhaps before it was suspended.
  package mutating func terminate() -> TerminateAction {
    let notifyProducer: Bool
    switch phase {
    case .open: notifyProducer = true
    case .finished: notifyProducer = false
    case .drained, .terminated: return .none
    }
    phase = .terminated
    isPaused = false
    chunks = []
    spare = nil
    bufferedCount = 0
    return .terminate(waiter.take(), notifyProducer: notifyProducer)
  }

  // MARK: Chunks

  private mutating func takeFirstChunk() -> ByteChunk {
    let chunk = chunks.removeFirst()
    bufferedCount -= chunk.count
    if chunks.isEmpty, chunk.count < chunk.capacity / 4 {
      nextCapacity = max(nextCapacity / 2, Self.minimumChunkSize)
    }
    return chunk
  }

  private mutating func takeEmptyChunk(for count: Int) -> ByteChunk {
    let capacity = min(max(nextCapacity, count), Self.maximumChunkSize)
    if let chunk = spare.take(), chunk.capacity >= capacity { return chunk }
    return ByteChunk(capacity: capacity)
  }

  private mutating func growChunks() {
    nextCapacity = min(nextCapacity * 2, Self.maximumChunkSize)
  }
}

extension BodyChannelStateMachine: Sendable where Waiter: Sendable {}
extension BodyChannelStateMachine.AppendAction: Sendable where Waiter: Sendable {}
extension BodyChannelStateMachine.FinishAction: Sendable where Waiter: Sendable {}
extension BodyChannelStateMachine.TakeAction: Sendable where Waiter: Sendable {}
extension BodyChannelStateMachine.TerminateAction: Sendable where Waiter: Sendable {}

#endif
