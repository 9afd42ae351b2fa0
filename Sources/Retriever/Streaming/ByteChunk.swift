#if !canImport(Darwin)

  /// A piece of a body: bytes on the heap that are filled once, then only read.
  ///
  /// `@unchecked Sendable`: one party at a time may write. Until it is handed to the consumer that is the channel
  /// (under its lock) or the producer that made it; afterwards nobody writes, unless the consumer proves that it
  /// holds the only reference and gives the chunk back for reuse.
  @usableFromInline
  package final class ByteChunk: @unchecked Sendable {
    @usableFromInline package let base: UnsafeMutablePointer<UInt8>
    package let capacity: Int
    @usableFromInline package private(set) var count = 0

    /// What a reader holds before the first chunk and after the last one.
    package static let empty = ByteChunk(capacity: 0)

    package init(capacity: Int) {
      self.capacity = capacity
      base = ChunkMemory.take(capacity)
    }

    /// A chunk filled by `body`, which returns how many bytes it wrote.
    package convenience init(
      capacity: Int, filledBy body: (UnsafeMutableRawBufferPointer) throws -> Int
    ) rethrows {
      self.init(capacity: capacity)
      let written = try body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
      count = min(max(written, 0), capacity)
    }

    deinit {
      ChunkMemory.giveBack(base, capacity)
    }

    package var bytes: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: base, count: count)
    }

    package var room: Int { capacity - count }

    /// Copies as much of the start of `source` as there is room for and returns how much that was.
    package func fill(from source: UnsafeRawBufferPointer) -> Int {
      let length = min(room, source.count)
      guard length > 0, let start = source.baseAddress else { return 0 }
      UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: length)
      count += length
      return length
    }

    /// Forgets the bytes so that the memory can be filled again.
    package func clear() {
      count = 0
    }
  }

#endif
