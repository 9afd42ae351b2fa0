#if !canImport(Darwin)

  /// Where chunks of bytes come from: a transfer, a file. One consumer at a time.
  package protocol ByteChunkSource: AnyObject, Sendable {
    /// The next chunk, or nil at the end; `spent` is a chunk nobody else refers to, to be filled again.
    func nextChunk(
      recycling spent: ByteChunk?, isolation: isolated (any Actor)?
    ) async throws -> ByteChunk?

    /// Nobody will read any more. Does nothing if the end has been reached.
    func terminate()
  }

  extension BodyChannel: ByteChunkSource {}

  /// Held by a sequence and by its iterators: when the last of them goes, the source is told.
  package final class ByteConsumer: Sendable {
    package let source: any ByteChunkSource

    package init(_ source: any ByteChunkSource) {
      self.source = source
    }

    deinit {
      source.terminate()
    }
  }

  /// The side of an iterator that fetches chunks.
  ///
  /// An iterator that has begun to read and is dropped, as by `break`, ends the stream even while the sequence is
  /// still in scope: the bytes it had buffered are gone, so nobody could read on sensibly.
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

    /// Replaces a used-up chunk by the next one; at the end by the empty one, and returns false.
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
