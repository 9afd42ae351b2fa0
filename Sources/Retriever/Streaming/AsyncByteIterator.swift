#if !canImport(Darwin)

import Foundation

/// The iterator of this library's byte sequences: a buffer that is refilled one chunk at a time.
///
/// Most calls of `next` only advance a pointer. Releasing an iterator that has begun to read cancels its source.
public struct AsyncByteIterator: AsyncIteratorProtocol {
  /// A byte.
  public typealias Element = UInt8
  /// `URLError` from a transfer, `CocoaError` from a file.
  public typealias Failure = any Error

  @usableFromInline var cursor: UnsafePointer<UInt8>
  @usableFromInline var end: UnsafePointer<UInt8>
  /// Stored here and not in the reader, so that a copy of the iterator keeps the memory of its pointers alive.
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
  /// - Throws: The error that the stream ended with; `URLError(.cancelled)` if the task was cancelled. Cancellation
  ///   is checked whenever the buffer is empty.
  @inlinable
  public mutating func next() async throws -> UInt8? {
    if cursor == end {
      guard try await refill(isolation: nil) else { return nil }
    }
    return takeByte()
  }

  /// The next byte, or nil at the end of the stream, without leaving the caller's actor.
  ///
  /// - Parameter actor: The caller's actor.
  /// - Throws: The error that the stream ended with; `URLError(.cancelled)` if the task was cancelled. Cancellation
  ///   is checked whenever the buffer is empty.
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

  /// Fetches the next chunk. Returns false at the end.
  @usableFromInline
  mutating func refill(isolation actor: isolated (any Actor)?) async throws -> Bool {
    // Never points into a chunk that has been returned for reuse, even if this method throws.
    cursor = UnsafePointer(ByteChunk.empty.base)
    end = cursor
    guard try await reader.replace(&chunk, isolation: actor) else { return false }
    cursor = UnsafePointer(chunk.base)
    end = cursor + chunk.count
    return true
  }

  /// Returns everything that is buffered, without a copy if possible.
  mutating func takeBuffer() -> Data {
    let count = end - cursor
    let start = chunk.base + (chunk.count - count)
    defer {
      chunk = .empty
      cursor = UnsafePointer(chunk.base)
      end = cursor
    }
    // A few bytes must not keep a large block alive, and a shared block must not be passed on for writing.
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
