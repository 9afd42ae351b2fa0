#if !canImport(Darwin)

import Foundation
import Synchronization

/// Passes a body from the thread that receives it to the one task that reads it, in bounded memory.
///
/// The producer appends until a result asks it to pause, and continues when `onDemand` is called. The consumer takes
/// chunks. If it stops or is cancelled before the producer has finished, `onTermination` is called once. Both
/// callbacks are called without a lock, on the consumer's thread. They are released when the body has ended.
package final class BodyChannel: Sendable {
  private typealias Continuation = UnsafeContinuation<ByteChunk?, any Error>
  private typealias Machine = BodyChannelStateMachine<Continuation>

  private struct Callbacks: Sendable {
    let onDemand: @Sendable () -> Void
    let onTermination: @Sendable () -> Void
  }

  private struct State: Sendable {
    var machine: Machine
    /// Nil after the end, because the callbacks usually retain the transfer, which retains this channel.
    var callbacks: Callbacks?
  }

  private let state: Mutex<State>

  package static let defaultHighWaterMark = 1 << 20
  package static let defaultLowWaterMark = 256 << 10

  /// - Parameters:
  ///   - highWaterMark: The number of buffered bytes above which the producer should pause.
  ///   - lowWaterMark: The number of buffered bytes at which a paused producer may continue.
  ///   - onDemand: Called when the paused producer may continue.
  ///   - onTermination: Called when nobody reads any more and the producer should stop. Not called after
  ///     ``finish(throwing:)``.
  package init(
    highWaterMark: Int = defaultHighWaterMark,
    lowWaterMark: Int = defaultLowWaterMark,
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
  /// Returns true if the producer should pause, because the consumer lags behind or no longer reads.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    perform(state.withLock { $0.machine.append(bytes) })
  }

  /// The result of ``appendBatched(_:)``.
  package enum AppendResult: Sendable {
    case accepted, pause
    /// A waiting consumer has to be resumed with ``flush()``.
    case batched
  }

  /// Like ``append(_:)``, but resumes a waiting consumer only when enough bytes are buffered. Resuming it for each
  /// small piece would cost more than the piece itself. Call ``flush()`` when no more bytes come for now.
  package func appendBatched(_ bytes: UnsafeRawBufferPointer) -> AppendResult {
    let action = state.withLock { $0.machine.append(bytes, wakeThreshold: Self.wakeThreshold) }
    if case .batched = action { return .batched }
    return perform(action) ? .pause : .accepted
  }

  /// Resumes a waiting consumer, because no more bytes come for now.
  package func flush() { _ = perform(state.withLock { $0.machine.flush() }) }

  private static let wakeThreshold = 128 << 10

  /// Passes on `chunk` without a copy; nobody may write to it afterwards. Returns true if the producer should pause.
  package func append(_ chunk: ByteChunk) -> Bool {
    perform(state.withLock { $0.machine.append(chunk) })
  }

  /// Ends the body. The consumer still receives what is buffered, and then the error if there is one.
  package func finish(throwing error: (any Error)? = nil) {
    let (action, callbacks) = state.withLock { ($0.machine.finish(throwing: error), $0.callbacks.take()) }
    // Released outside the lock, because releasing the callbacks may run any code.
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
    case .batched:
      return false
    case .resume(let consumer, let chunk):
      consumer.resume(returning: chunk)
      return false
    case .dropped:
      return true
    }
  }

  // MARK: Consumer

  /// The next chunk of the body, or nil at its end.
  ///
  /// - Parameter spent: A chunk to which the caller has the only reference; its memory is reused.
  /// - Throws: The error that the producer finished with; `URLError(.cancelled)` if the task is cancelled or the
  ///   channel was terminated; ``StreamingError/Code/concurrentIteration`` if another task is already waiting.
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

  /// Ends reading. A waiting consumer gets `URLError(.cancelled)`.
  package func terminate() {
    let (action, callbacks) = state.withLock { ($0.machine.terminate(), $0.callbacks.take()) }
    guard case .terminate(let consumer, let notifyProducer) = action else { return }
    if notifyProducer { callbacks?.onTermination() }
    consumer?.resume(throwing: URLError(.cancelled))
  }

  /// Returns the result for the consumer, or nil if it has to wait.
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
