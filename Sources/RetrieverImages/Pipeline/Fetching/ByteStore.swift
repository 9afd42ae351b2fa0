import Foundation
import Synchronization
import Waiting

/// The bytes of an image as they arrive. They are kept, so that later passes can read them again.
final class ByteStore: Sendable {
  private struct State: Sendable {
    var pieces: [Data] = []
    var count = 0
    var isComplete = false
    var readers = Waiters<Void, Never>()
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
  /// - Throws: ``ImageError`` if the task is cancelled.
  func piece(_ index: Int) async throws(ImageError) -> Data? {
    while true {
      if Task.isCancelled { throw .cancelled }
      let (piece, isComplete, token) = state.withLock { state in
        (index < state.pieces.count ? state.pieces[index] : nil, state.isComplete, state.readers.makeToken())
      }
      if let piece { return piece }
      if isComplete { return nil }
      await wait(for: index, token)
    }
  }

  private func wait(for index: Int, _ token: Waiters<Void, Never>.Token) async {
    defer { state.withLock { $0.readers.forget(token) } }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          guard index >= state.pieces.count, !state.isComplete else { return false }
          return state.readers.wait(continuation, as: token)
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.readers.cancel(token) }?.resume()
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let readers = state.withLock { state in
      change(&state)
      return state.readers.takeAll()
    }
    for reader in readers { reader.resume() }
  }
}
