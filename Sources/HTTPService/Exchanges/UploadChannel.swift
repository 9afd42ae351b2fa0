import Foundation
import Synchronization

/// Drives an ``UploadStateMachine``: locks, asks, unlocks, acts.
final class UploadChannel: Sendable {
  private typealias Waiter = CheckedContinuation<Step, Never>

  /// What a waiter is woken with.
  private enum Step: Sendable {
    case bytes(Data)
    case again
  }

  private let machine: Mutex<UploadStateMachine<Waiter>>
  /// Tells the server that bytes are wanted again.
  private let ask: @Sendable () -> Void

  init(highWaterMark: Int, ask: @escaping @Sendable () -> Void) {
    machine = Mutex(UploadStateMachine(highWaterMark: highWaterMark))
    self.ask = ask
  }

  init(whole: Data) {
    machine = Mutex(UploadStateMachine(whole: whole))
    ask = {}
  }

  var bufferedCount: Int { machine.withLock { $0.bufferedCount } }

  /// Takes bytes in; true when no more are to be brought until asked for.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Used within this call only; the machine copies from it and keeps nothing.
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
    waiter?.resume(returning: .again)
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
        case .retry: continuation.resume(returning: .again)
        }
      }
    } onCancel: {
      // The mark it leaves is seen by whoever registers later.
      machine.withLock { $0.cancel() }?.resume(returning: .again)
    }
  }
}
