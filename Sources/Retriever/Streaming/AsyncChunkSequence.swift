#if !canImport(Darwin)

  import Foundation

  /// A byte stream in the pieces it arrives in: the fastest way to move much data.
  ///
  /// Not part of Apple's API. The pieces are never empty; their size depends on the network and on the speed of
  /// the reader, and is at most 256 KiB for a transfer.
  public struct AsyncChunkSequence<Base: AsyncSequence>: AsyncSequence
  where Base.AsyncIterator == AsyncByteIterator {
    /// A piece of the stream.
    public typealias Element = Data
    /// The errors of the bytes.
    public typealias Failure = any Error

    let base: Base

    init(_ base: Base) {
      self.base = base
    }

    /// An iterator over the pieces.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(bytes: base.makeAsyncIterator())
    }

    /// The iterator of the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var bytes: AsyncByteIterator

      /// The next piece, or nil at the end of the stream.
      ///
      /// - Throws: What the bytes throw; `URLError(.cancelled)` if the task is cancelled.
      public mutating func next() async throws -> Data? {
        try await next(isolation: nil)
      }

      /// The next piece, or nil at the end of the stream, without leaving the caller's actor.
      ///
      /// - Parameter actor: The actor the caller runs on.
      /// - Throws: What the bytes throw; `URLError(.cancelled)` if the task is cancelled.
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
    /// The stream in the pieces it arrives in. Not part of Apple's API.
    public var chunks: AsyncChunkSequence<Self> {
      AsyncChunkSequence(self)
    }
  }

#endif
