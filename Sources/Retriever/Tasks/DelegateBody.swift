#if !canImport(Darwin)
import Foundation
import Synchronization

/// A body that is delivered to a delegate. Parts that arrive while the delegate is busy are delivered together.
final class DelegateBody: Sendable {
  private struct State: Sendable {
    var waiting = Data()
    var isPaused = false
    /// Whether a call of ``take()`` was requested.
    var isRequested = false
  }

  static let highWaterMark = 1 << 20
  private let state = Mutex(State())

  /// Adds bytes. `delivers` requests a call of ``take()`` on the delegate queue; `pauses` asks the transfer to pause.
  ///
  /// - Parameter gathers: Whether nothing is delivered before the transfer has to pause.
  func append(_ bytes: UnsafeRawBufferPointer, gathers: Bool) -> (delivers: Bool, pauses: Bool) {
    state.withLock { state in
      state.waiting.append(contentsOf: bytes)
      state.isPaused = state.waiting.count >= Self.highWaterMark
      let delivers = !state.isRequested && (state.isPaused || !gathers)
      if delivers { state.isRequested = true }
      return (delivers, state.isPaused)
    }
  }

  /// Ends the body. Returns whether bytes were gathered that are still to be delivered with ``take()``.
  func finish() -> Bool {
    state.withLock { state in
      guard !state.isRequested, !state.waiting.isEmpty else { return false }
      state.isRequested = true
      return true
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
