import Foundation
import Synchronization

/// The bytes of an image as they arrive. They are kept, so that later passes can read them again.
final class ByteStore: Sendable {
  private struct State: Sendable {
    var pieces: [Data] = []
    var count = 0
    var isComplete = false
    var follower: (token: Int, continuation: CheckedContinuation<Void, Never>)?
    var lastToken = 0
    /// The readers that were cancelled before they began to wait.
    var cancelled: Set<Int> = []
  }

  private let state: Mutex<State>

  init(_ beginning: Data = Data()) {
    var state = State()
    if !beginning.isEmpty { state.pieces = [beginning] }
    state.count = beginning.count
    self.state = Mutex(state)
  }

  var count: Int { state.withLock { $0.count } }
  var isComplete: Bool { state.withLock { $0.isComplete } }

  func append(_ piece: Data) {
    wake { state in
      state.pieces.append(piece)
      state.count += piece.count
    }
  }

  func finish() { wake { $0.isComplete = true } }

  /// Returns whether a piece, or the end, is available.
  func has(_ index: Int) -> Bool { state.withLock { index < $0.pieces.count || $0.isComplete } }

  /// Returns a piece by its number, as soon as it is available; nil after the last one.
  ///
  /// - Throws: ``ImageError`` if the task is cancelled. Only one task at a time may wait.
  func piece(_ index: Int) async throws(ImageError) -> Data? {
    while true {
      if Task.isCancelled { throw .cancelled }
      let (piece, isComplete, token) = state.withLock { state in
        state.lastToken += 1
        return (index < state.pieces.count ? state.pieces[index] : nil, state.isComplete, state.lastToken)
      }
      if let piece { return piece }
      if isComplete { return nil }
      await wait(for: index, token)
    }
  }

  private func wait(for index: Int, _ token: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          if state.cancelled.remove(token) != nil { return false }
          guard index >= state.pieces.count, !state.isComplete, state.follower == nil else { return false }
          state.follower = (token, continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      let follower = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard state.follower?.token == token else {
          state.cancelled.insert(token)
          return nil
        }
        return state.follower.take()?.continuation
      }
      follower?.resume()
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let follower = state.withLock { state in
      change(&state)
      return state.follower.take()
    }
    follower?.continuation.resume()
  }
}
