#if !canImport(Darwin)

import Foundation

/// A byte stream in chunks, as they arrive: the fastest way to move a lot of data.
///
/// Not part of Apple's API. Chunks are never empty. Their size depends on the network and on the speed of the reader,
/// and is at most 256 KiB for a transfer.
public struct AsyncChunkSequence<Base: AsyncSequence>: AsyncSequence
where Base.AsyncIterator == AsyncByteIterator {
  /// A chunk of the stream.
  public typealias Element = Data
  /// The error type of the bytes.
  public typealias Failure = any Error

  let base: Base

  init(_ base: Base) {
    self.base = base
  }

  /// Creates an iterator over the chunks.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(bytes: base.makeAsyncIterator())
  }

  /// The iterator of the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var bytes: AsyncByteIterator

    /// The next chunk, or nil at the end of the stream.
    ///
    /// - Throws: Any error of the underlying bytes; `URLError(.cancelled)` if the task is cancelled.
    public mutating func next() async throws -> Data? {
      try await next(isolation: nil)
    }

    /// The next chunk, or nil at the end of the stream, without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Throws: Any error of the underlying bytes; `URLError(.cancelled)` if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      if bytes.cursor == bytes.end {
        guard try await bytes.refill(isolation: actor) else { return nil }
      }
      return bytes.takeBuffer()
    }
  }
}

extension AsyncChunkSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncChunkSequence.AsyncIterator: Sendable {}

extension AsyncSequence where AsyncIterator == AsyncByteIterator {
  /// The stream in chunks, as they arrive. Not part of Apple's API.
  public var chunks: AsyncChunkSequence<Self> {
    AsyncChunkSequence(self)
  }
}

#endif
