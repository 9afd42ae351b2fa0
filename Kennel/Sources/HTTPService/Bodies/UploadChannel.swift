import Foundation
import Synchronization

/// Drives an ``UploadStateMachine``: updates it under a lock, then performs its actions.
final class UploadChannel: Sendable {
  private typealias Waiter = CheckedContinuation<Step, Never>

  /// The result that a waiter is resumed with.
  private enum Step: Sendable {
    case bytes(Data)
    case retry
  }

  private let machine: Mutex<UploadStateMachine<Waiter>>
  /// Asks the server for more bytes.
  private let ask: @Sendable () -> Void

  init(highWaterMark: Int, ask: @escaping @Sendable () -> Void) {
    machine = Mutex(UploadStateMachine(highWaterMark: highWaterMark))
    self.ask = ask
  }

  init(complete data: Data) {
    machine = Mutex(UploadStateMachine(complete: data))
    ask = {}
  }

  var bufferedCount: Int { machine.withLock { $0.bufferedCount } }

  /// Appends bytes. Returns true if the server must wait before it brings more.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // The state machine copies from the buffer and does not keep it.
    nonisolated(unsafe) let bytes = bytes
    let (isWithheld, wake): (Bool, (Waiter, Data)?) = machine.withLock { machine in
      switch machine.append(bytes) {
      case .deliver(let waiter, let data): (false, (waiter, data))
      case .keep, .drop: (false, nil)
      case .withhold: (true, nil)
      }
    }
    if let (waiter, data) = wake { waiter.resume(returning: .bytes(data)) }
    return isWithheld
  }

  func finish(_ end: UploadStateMachine<Never>.End) {
    let waiter = machine.withLock { machine in
      switch end {
      case .complete: machine.finish(.complete)
      case .failed(let error): machine.finish(.failed(error))
      }
    }
    waiter?.resume(returning: .retry)
  }

  func next() async throws -> Data? {
    while true {
      switch machine.withLock({ $0.next() }) {
      case .deliver(let data, let asks):
        if asks { ask() }
        return data
      case .finish: return nil
      case .fail(let error): throw error
      case .wait: if case .bytes(let data) = await wait() { return data }
      }
    }
  }

  private func wait() async -> Step {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        switch machine.withLock({ $0.register(continuation) }) {
        case .wait(let asks): if asks { ask() }
        case .retry: continuation.resume(returning: .retry)
        }
      }
    } onCancel: {
      // The state machine remembers the cancellation for a later registration.
      machine.withLock { $0.cancel() }?.resume(returning: .retry)
    }
  }
}
