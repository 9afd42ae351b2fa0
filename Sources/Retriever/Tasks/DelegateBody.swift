#if !canImport(Darwin)
  import Foundation
  import Synchronization

  /// A body on its way to a delegate: pieces that arrive while the delegate is busy are handed over together.
  final class DelegateBody: Sendable {
    private struct State: Sendable {
      var waiting = Data()
      var isPaused = false
    }

    private static let highWaterMark = 1 << 20
    private let state = Mutex(State())

    /// Takes a piece. `delivers` asks for a call of ``take()`` on the delegate's queue; `pauses` is for the transfer.
    func append(_ bytes: UnsafeRawBufferPointer) -> (delivers: Bool, pauses: Bool) {
      state.withLock { state in
        let delivers = state.waiting.isEmpty
        state.waiting.append(contentsOf: bytes)
        state.isPaused = state.waiting.count >= Self.highWaterMark
        return (delivers, state.isPaused)
      }
    }

    /// All that has arrived; `resumes` tells that the transfer had been paused.
    func take() -> (data: Data, resumes: Bool) {
      state.withLock { state in
        defer { state = State() }
        return (state.waiting, state.isPaused)
      }
    }
  }
#endif
