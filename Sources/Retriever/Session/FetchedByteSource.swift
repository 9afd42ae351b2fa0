#if !canImport(Darwin)

import Foundation
import Synchronization

/// The bytes of a URL. The shared session starts to fetch them when the first chunk is requested.
final class FetchedByteSource: ByteChunkSource {
  private enum State {
    case idle
    case starting
    case reading(URLSession.AsyncBytes)
    case failed
    /// Terminated before the response arrived, so the response must be discarded.
    case terminated
  }

  private let url: URL
  private let state = Mutex(State.idle)

  init(_ url: URL) {
    self.url = url
  }

  func nextChunk(
    recycling spent: ByteChunk?, isolation: isolated (any Actor)?
  ) async throws -> ByteChunk? {
    let previous = state.withLock { state in
      defer { if case .idle = state { state = .starting } }
      return state
    }
    switch previous {
    case .idle:
      return try await start(isolation: isolation).consumer.source.nextChunk(
        recycling: spent, isolation: isolation)
    case .starting:
      throw StreamingError(.concurrentIteration)
    case .reading(let bytes):
      return try await bytes.consumer.source.nextChunk(recycling: spent, isolation: isolation)
    case .failed:
      return nil
    case .terminated:
      throw URLError(.cancelled)
    }
  }

  private func start(isolation: isolated (any Actor)?) async throws -> URLSession.AsyncBytes {
    do {
      let (bytes, _) = try await URLSession.shared.bytes(from: url)
      let isWanted = state.withLock { state in
        guard case .starting = state else { return false }
        state = .reading(bytes)
        return true
      }
      guard isWanted else { throw URLError(.cancelled) }
      return bytes
    } catch {
      state.withLock { state in
        if case .starting = state { state = .failed }
      }
      throw error
    }
  }

  func terminate() {
    let previous = state.withLock { state in
      defer {
        switch state {
        case .idle, .starting: state = .terminated
        case .reading, .failed, .terminated: break
        }
      }
      return state
    }
    if case .reading(let bytes) = previous { bytes.consumer.source.terminate() }
  }
}

#endif
