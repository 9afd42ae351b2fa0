import Foundation
import Synchronization
import Waiting

/// The bytes of an image as they arrive. They are kept, so that later passes can read them again.
final class ByteStore: Sendable {
  private struct State: Sendable {
    var pieces: [Data] = []
    var count = 0
    var isComplete = false
    var readers = WaitingTasks<Step>()
  }

  /// The answer that a reader gets.
  private enum Step: Sendable {
    case piece(Data)
    case end
    /// Something has changed: look again.
    case again
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
      let step = await state.wait(in: \.readers, ifCancelled: .again) { state in
        index < state.pieces.count ? Step.piece(state.pieces[index]) : state.isComplete ? .end : nil
      }
      switch step {
      case .piece(let piece): return piece
      case .end: return nil
      case .again: continue
      }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let readers = state.withLock { state in
      change(&state)
      return state.readers.takeAll()
    }
    for reader in readers { reader.resume(returning: .again) }
  }
}
