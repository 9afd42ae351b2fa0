#if !canImport(Darwin)

  /// The rules of a ``BodyChannel``: what is buffered, who waits, who must pause. No lock, no I/O, no callback.
  ///
  /// `Waiter` is the suspended consumer: a continuation in the driver, a plain number in the tests.
  package struct BodyChannelStateMachine<Waiter> {
    /// What the producer has to do after an append.
    package enum AppendAction {
      /// Nothing. `pause` asks the producer to stop until it hears of new demand.
      case buffered(pause: Bool)
      /// The same, and the consumer waits: it is to be resumed by ``settle()``.
      case held
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
      /// Another consumer is waiting already; there can be only one.
      case contended
      /// Nothing there yet: the consumer has to wait, or, if it was passed as a waiter, is waiting now.
      case wait
    }

    package enum TerminateAction {
      case none
      /// Resume the waiter, if there is one, with the cancellation; tell the producer if it is still at work.
      case terminate(Waiter?, notifyProducer: Bool)
    }

    private enum Phase {
      case open
      /// The producer is done; the error is still to be delivered, after the buffered bytes.
      case finished((any Error)?)
      /// The consumer has seen the end or the error.
      case drained
      /// The mark that a cancellation leaves: whoever comes later finds it, so none can be missed.
      case terminated
    }

    /// Chunks start small, so that a trickle is cheap, and grow while the consumer lags behind.
    package static var smallestChunk: Int { 16 << 10 }
    package static var largestChunk: Int { 256 << 10 }

    private let highWaterMark: Int
    private let lowWaterMark: Int
    private var phase = Phase.open
    private var isPaused = false
    private var waiter: Waiter?
    /// First in, first out. The marks keep it at a handful of chunks, so shifting it costs nothing.
    private var chunks: [ByteChunk] = []
    private var spare: ByteChunk?
    private var nextCapacity = Self.smallestChunk

    package private(set) var bufferedCount = 0

    package init(highWaterMark: Int, lowWaterMark: Int) {
      self.highWaterMark = max(highWaterMark, 1)
      self.lowWaterMark = min(max(lowWaterMark, 0), self.highWaterMark)
    }

    // MARK: Producer

    /// Bytes have arrived; they are copied.
    ///
    /// - Parameter least: A waiting consumer is not resumed with less than this, but left to ``settle()``.
    package mutating func append(_ bytes: UnsafeRawBufferPointer, holding least: Int = 0) -> AppendAction {
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
      return didAppend(bytes.count, holding: least)
    }

    /// No more bytes come for now: a consumer that waits gets what was held together for it.
    package mutating func settle() -> AppendAction { didAppend(0) }

    /// A whole chunk has arrived; it is handed on as it is.
    package mutating func append(_ chunk: ByteChunk) -> AppendAction {
      guard case .open = phase else { return .dropped }
      if chunk.count > 0 { chunks.append(chunk) }
      return didAppend(chunk.count)
    }

    private mutating func didAppend(_ count: Int, holding least: Int = 0) -> AppendAction {
      bufferedCount += count
      if waiter != nil, bufferedCount < least { return .held }
      if !chunks.isEmpty, let consumer = waiter.take() {
        return .resume(consumer, with: takeFirstChunk())
      }
      if bufferedCount > highWaterMark { isPaused = true }
      return .buffered(pause: isPaused)
    }

    /// The producer has come to its end, or failed. Only the first call counts.
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

    /// The consumer wants the next chunk and gives back, if it can, the one it is done with.
    package mutating func take(recycling spent: ByteChunk?) -> TakeAction {
      if case .open = phase, spare == nil, let spent, spent.capacity >= Self.smallestChunk {
        spent.clear()
        spare = spent
      }
      return take()
    }

    /// The consumer has been suspended; if the answer is anything but `wait` it must be resumed at once.
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

    /// The consumer left, or its task was cancelled, perhaps before it could be suspended.
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
        nextCapacity = max(nextCapacity / 2, Self.smallestChunk)
      }
      return chunk
    }

    private mutating func takeEmptyChunk(for count: Int) -> ByteChunk {
      let capacity = min(max(nextCapacity, count), Self.largestChunk)
      if let chunk = spare.take(), chunk.capacity >= capacity { return chunk }
      return ByteChunk(capacity: capacity)
    }

    private mutating func growChunks() {
      nextCapacity = min(nextCapacity * 2, Self.largestChunk)
    }
  }

  extension BodyChannelStateMachine: Sendable where Waiter: Sendable {}
  extension BodyChannelStateMachine.AppendAction: Sendable where Waiter: Sendable {}
  extension BodyChannelStateMachine.FinishAction: Sendable where Waiter: Sendable {}
  extension BodyChannelStateMachine.TakeAction: Sendable where Waiter: Sendable {}
  extension BodyChannelStateMachine.TerminateAction: Sendable where Waiter: Sendable {}

#endif
