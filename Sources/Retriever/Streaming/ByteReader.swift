#if !canImport(Darwin)

/// A source of byte chunks, such as a transfer or a file, for one consumer at a time.
package protocol ByteChunkSource: AnyObject, Sendable {
  /// The next chunk, or nil at the end; `spent` is a chunk without other references, to be filled again.
  func nextChunk(
    recycling spent: ByteChunk?, isolation: isolated (any Actor)?
  ) async throws -> ByteChunk?

  /// Ends reading. Has no effect after the end.
  func terminate()
}

extension BodyChannel: ByteChunkSource {}

/// An object that a sequence and its iterators share. When the last of them is released, it terminates the source.
package final class ByteConsumer: Sendable {
  package let source: any ByteChunkSource

  package init(_ source: any ByteChunkSource) {
    self.source = source
  }

  deinit {
    source.terminate()
  }
}

/// The part of an iterator that fetches chunks.
///
/// If an iterator has begun to read and is released, for example by `break`, it ends the stream even while the
/// sequence is in scope. Its buffered bytes are lost, so nobody could continue reading correctly.
@usableFromInline
package final class ByteReader {
  private let consumer: ByteConsumer
  private var hasStarted = false

  package init(_ consumer: ByteConsumer) {
    self.consumer = consumer
  }

  deinit {
    if hasStarted { consumer.source.terminate() }
  }

  /// Replaces a used chunk with the next one. At the end, replaces it with the empty chunk and returns false.
  package func replace(
    _ chunk: inout ByteChunk, isolation: isolated (any Actor)?
  ) async throws -> Bool {
    hasStarted = true
    let spent = isKnownUniquelyReferenced(&chunk) ? chunk : nil
    chunk = .empty
    guard let next = try await consumer.source.nextChunk(recycling: spent, isolation: isolation) else {
      return false
    }
    chunk = next
    return true
  }
}

#endif
