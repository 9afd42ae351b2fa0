#if !canImport(Darwin)

  import Foundation

  /// The iterator of the byte sequences of this library: a buffer that is refilled a chunk at a time.
  ///
  /// Nearly every call of `next` only moves a pointer. Dropping an iterator that has begun to read cancels what
  /// feeds it.
  public struct AsyncByteIterator: AsyncIteratorProtocol {
    /// A byte.
    public typealias Element = UInt8
    /// `URLError` from a transfer, `CocoaError` from a file.
    public typealias Failure = any Error

    @usableFromInline var cursor: UnsafePointer<UInt8>
    @usableFromInline var end: UnsafePointer<UInt8>
    /// Kept here, not in the reader, so that a copy of the iterator keeps alive what its pointers point into.
    @usableFromInline var chunk: ByteChunk
    @usableFromInline let reader: ByteReader

    package init(_ consumer: ByteConsumer) {
      chunk = .empty
      cursor = UnsafePointer(chunk.base)
      end = cursor
      reader = ByteReader(consumer)
    }

    /// The next byte, or nil at the end of the stream.
    ///
    /// - Throws: The error the stream ended with; `URLError(.cancelled)` if the task was cancelled, which is looked
    ///   at whenever the buffer is empty.
    @inlinable
    public mutating func next() async throws -> UInt8? {
      if cursor == end {
        guard try await refill(isolation: nil) else { return nil }
      }
      return takeByte()
    }

    /// The next byte, or nil at the end of the stream, without leaving the caller's actor.
    ///
    /// - Parameter actor: The actor the caller runs on.
    /// - Throws: The error the stream ended with; `URLError(.cancelled)` if the task was cancelled, which is looked
    ///   at whenever the buffer is empty.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
      if cursor == end {
        guard try await refill(isolation: actor) else { return nil }
      }
      return takeByte()
    }

    @inlinable
    mutating func takeByte() -> UInt8 {
      withExtendedLifetime(chunk) {
        let byte = cursor.pointee
        cursor += 1
        return byte
      }
    }

    /// Fetches the next chunk. False at the end.
    @usableFromInline
    mutating func refill(isolation actor: isolated (any Actor)?) async throws -> Bool {
      // Not pointing into a chunk that is given back, whatever happens meanwhile.
      cursor = UnsafePointer(ByteChunk.empty.base)
      end = cursor
      guard try await reader.replace(&chunk, isolation: actor) else { return false }
      cursor = UnsafePointer(chunk.base)
      end = cursor + chunk.count
      return true
    }

    /// Everything that is buffered, without a copy where that is possible.
    mutating func takeBuffer() -> Data {
      let count = end - cursor
      let start = chunk.base + (chunk.count - count)
      defer {
        chunk = .empty
        cursor = UnsafePointer(chunk.base)
        end = cursor
      }
      // A few bytes must not hold on to a large block, and a shared block must not be handed out for writing.
      guard count >= chunk.capacity / 2, isKnownUniquelyReferenced(&chunk) else {
        return Data(bytes: start, count: count)
      }
      let owner = chunk
      return Data(
        bytesNoCopy: start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(owner) {} })
    }
  }

  @available(*, unavailable)
  extension AsyncByteIterator: Sendable {}

#endif
