#if !canImport(Darwin)

  import Foundation
  import Synchronization

  /// A body on its way from the thread that receives it to the one task that reads it, in bounded memory.
  ///
  /// The producer appends until it is told to pause, and goes on when `onDemand` is called. The consumer takes
  /// chunks; when it leaves or is cancelled before the producer has finished, `onTermination` is called, once.
  /// Both callbacks are called without a lock, on the consumer's thread, and are let go when the body has ended.
  package final class BodyChannel: Sendable {
    private typealias Continuation = UnsafeContinuation<ByteChunk?, any Error>
    private typealias Machine = BodyChannelStateMachine<Continuation>

    private struct Callbacks: Sendable {
      let onDemand: @Sendable () -> Void
      let onTermination: @Sendable () -> Void
    }

    private struct State: Sendable {
      var machine: Machine
      /// Nil from the end on: they usually hold the transfer, which holds this channel.
      var callbacks: Callbacks?
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - highWaterMark: The producer is asked to pause when more than this many bytes are buffered.
    ///   - lowWaterMark: A paused producer is called back when no more than this many bytes are left.
    ///   - onDemand: The paused producer may go on.
    ///   - onTermination: Nobody reads any more; the producer should stop. Not called after ``finish(throwing:)``.
    package init(
      highWaterMark: Int = 1 << 20,
      lowWaterMark: Int = 256 << 10,
      onDemand: @escaping @Sendable () -> Void,
      onTermination: @escaping @Sendable () -> Void
    ) {
      state = Mutex(
        State(
          machine: Machine(highWaterMark: highWaterMark, lowWaterMark: lowWaterMark),
          callbacks: Callbacks(onDemand: onDemand, onTermination: onTermination)))
    }

    // MARK: Producer

    /// Copies `bytes` to the end of the body.
    ///
    /// Returns true if the producer should pause: the consumer lags behind, or has left and nobody will read on.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
      perform(state.withLock { $0.machine.append(bytes) })
    }

    /// What became of bytes that ``gather(_:)`` took.
    package enum Reception: Sendable {
      case taken, pause
      /// A consumer waits for ``settle()``.
      case held
    }

    /// Like ``append(_:)``, but a waiting consumer is woken only by a good many bytes: for each piece of a stream it
    /// would cost more than the bytes do. ``settle()`` is to be called when no more come for now.
    package func gather(_ bytes: UnsafeRawBufferPointer) -> Reception {
      let action = state.withLock { $0.machine.append(bytes, holding: Self.worthWaking) }
      if case .held = action { return .held }
      return perform(action) ? .pause : .taken
    }

    /// No more bytes come for now.
    package func settle() { _ = perform(state.withLock { $0.machine.settle() }) }

    private static let worthWaking = 128 << 10

    /// Hands `chunk` on without a copy; nobody may write to it any more. Returns true if the producer should pause.
    package func append(_ chunk: ByteChunk) -> Bool {
      perform(state.withLock { $0.machine.append(chunk) })
    }

    /// Ends the body. The consumer still gets what is buffered, then the error if there is one.
    package func finish(throwing error: (any Error)? = nil) {
      let (action, callbacks) = state.withLock { ($0.machine.finish(throwing: error), $0.callbacks.take()) }
      // Dropped out here: releasing what they hold may run any code.
      _ = callbacks
      guard case .resume(let consumer, let error) = action else { return }
      if let error {
        consumer.resume(throwing: error)
      } else {
        consumer.resume(returning: nil)
      }
    }

    private func perform(_ action: Machine.AppendAction) -> Bool {
      switch action {
      case .buffered(let pause):
        return pause
      case .held:
        return false
      case .resume(let consumer, let chunk):
        consumer.resume(returning: chunk)
        return false
      case .dropped:
        return true
      }
    }

    // MARK: Consumer

    /// The next piece of the body, or nil at its end.
    ///
    /// - Parameter spent: A chunk that the caller holds the only reference to; its memory is used again.
    /// - Throws: What the producer finished with; `URLError(.cancelled)` if the task is or gets cancelled or the
    ///   channel was terminated; ``StreamingError/Code/concurrentIteration`` if another task is waiting already.
    package func nextChunk(
      recycling spent: ByteChunk? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> ByteChunk? {
      if Task.isCancelled { terminate() }
      let action = state.withLock { $0.machine.take(recycling: spent) }
      if let result = resolve(action) { return try result.get() }
      return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { (consumer: Continuation) in
          let action = self.state.withLock { $0.machine.suspend(consumer) }
          if let result = self.resolve(action) { consumer.resume(with: result) }
        }
      } onCancel: {
        terminate()
      }
    }

    /// Says that nobody will read any more. A waiting consumer gets `URLError(.cancelled)`.
    package func terminate() {
      let (action, callbacks) = state.withLock { ($0.machine.terminate(), $0.callbacks.take()) }
      guard case .terminate(let consumer, let notifyProducer) = action else { return }
      if notifyProducer { callbacks?.onTermination() }
      consumer?.resume(throwing: URLError(.cancelled))
    }

    /// The result for the consumer, or nil if it has to wait.
    private func resolve(_ action: Machine.TakeAction) -> Result<ByteChunk?, any Error>? {
      switch action {
      case .deliver(let chunk, let demand):
        if demand { state.withLock { $0.callbacks }?.onDemand() }
        return .success(chunk)
      case .end:
        return .success(nil)
      case .fail(let error):
        return .failure(error)
      case .terminated:
        return .failure(URLError(.cancelled))
      case .contended:
        return .failure(StreamingError(.concurrentIteration))
      case .wait:
        return nil
      }
    }
  }

#endif
