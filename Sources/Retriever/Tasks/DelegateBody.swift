#if !canImport(Darwin)
import Foundation
import Synchronization

/// A body that is delivered to a delegate. Parts that arrive while the delegate is busy are delivered together.
final class DelegateBody: Sendable {
  private struct State: Sendable {
    var waiting = Data()
    var isPaused = false
  }

  static let highWaterMark = 1 << 20
  private let state = Mutex(State())

  /// Adds bytes. `delivers` requests a call of ``take()`` on the delegate queue; `pauses` asks the transfer to pause.
  func append(_ bytes: UnsafeRawBufferPointer) -> (delivers: Bool, pauses: Bool) {
    state.withLock { state in
      let delivers = state.waiting.isEmpty
      state.waiting.append(contentsOf: bytes)
      state.isPaused = state.waiting.count >= Self.highWaterMark
      return (delivers, state.isPaused)
    }
  }

  /// Returns everything that has arrived; `resumes` is true if the transfer was paused.
  func take() -> (data: Data, resumes: Bool) {
    state.withLock { state in
      defer { state = State() }
      return (state.waiting, state.isPaused)
    }
  }
}
#endif
