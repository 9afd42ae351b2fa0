import Foundation
import Synchronization
import Waiting

/// Drives a ``StreamStateMachine``: updates it under a lock, then performs its actions.
final class StreamChannel: Sendable {
  private typealias Waiter = CheckedContinuation<Void, Never>

  private let machine: Mutex<StreamStateMachine<Waiter>>
  /// Notifies the server that there is something to send.
  private let wake: @Sendable () -> Void

  init(highWaterMark: Int, length: Int64?, wake: @escaping @Sendable () -> Void) {
    machine = Mutex(StreamStateMachine(highWaterMark: highWaterMark, length: length))
    self.wake = wake
  }

  var sentCount: Int64 { machine.withLock { $0.sentCount } }
  var bufferedCount: Int { machine.withLock { $0.bufferedCount } }

  // MARK: The writer's side

  func write(_ data: Data) async throws {
    try Task.checkCancellation()
    switch machine.withLock({ $0.write(data) }) {
    case .fail: throw HTTPServerError(.responseEnded, "The client disconnected, or the response has ended.")
    case .exceed: throw HTTPServerError(.invalidResponse, "The body is longer than announced.")
    case .proceed(let wakes): if wakes { wake() }
    case .wait(let wakes):
      if wakes { wake() }
      await machine.wait(in: \.waiters, ifCancelled: ()) { $0.isFull ? nil : () }
      try Task.checkCancellation()
      guard machine.withLock({ $0.isOpen }) else {
        throw HTTPServerError(.responseEnded, "The client disconnected, or the response has ended.")
      }
    }
  }

  private func resume(_ waiters: [Waiter]) {
    for waiter in waiters { waiter.resume() }
  }

  func finish(failed: Bool) {
    if machine.withLock({ $0.finish(failed: failed) }) { wake() }
  }

  // MARK: The server's side

  enum Pull {
    case bytes(Int)
    case waitForData
    case finish
    case fail
  }

  func pull(into target: UnsafeMutableRawBufferPointer) -> Pull {
    // The state machine copies into the buffer and does not keep it.
    nonisolated(unsafe) let target = target
    switch machine.withLock({ $0.pull(into: target) }) {
    case .bytes(let count, let waiters):
      resume(waiters)
      return .bytes(count)
    case .waitForData: return .waitForData
    case .finish: return .finish
    case .fail: return .fail
    }
  }

  func close() {
    resume(machine.withLock { $0.close() })
  }
}
