#if !canImport(Darwin)
import Synchronization

/// A chunk of a body: bytes on the heap that are filled once and then only read.
///
/// `@unchecked Sendable`: only one party at a time may write. Before the consumer receives the chunk, that is the
/// channel (under its lock) or the producer that created the chunk. Afterwards nobody writes, unless the consumer has
/// the only reference and returns the chunk for reuse.
@usableFromInline
package final class ByteChunk: @unchecked Sendable {
  @usableFromInline package let base: UnsafeMutablePointer<UInt8>
  package let capacity: Int
  @usableFromInline package private(set) var count = 0

  /// The reader's chunk before the first one and after the last one.
  package static let empty = ByteChunk(capacity: 0)

  package init(capacity: Int) {
    self.capacity = capacity
    base = ChunkMemory.allocate(capacity)
  }

  /// Creates a chunk that `body` fills. It returns the number of bytes that it wrote.
  package convenience init(
    capacity: Int, filledBy body: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows {
    self.init(capacity: capacity)
    let written = try body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
    count = min(max(written, 0), capacity)
  }

  deinit {
    ChunkMemory.deallocate(base, capacity)
  }

  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }

  package var room: Int { capacity - count }

  /// Copies as many bytes from the start of `source` as there is room for, and returns their number.
  package func fill(from source: UnsafeRawBufferPointer) -> Int {
    let length = min(room, source.count)
    guard length > 0, let start = source.baseAddress else { return 0 }
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: length)
    count += length
    return length
  }

  /// Removes the bytes so that the memory can be filled again.
  package func clear() {
    count = 0
  }
}

/// A pool for the memory of large chunks, because new pages cost the kernel more time than filling them.
enum ChunkMemory {
  /// A free block of memory. It has no owner until it is taken from the list.
  private struct Block: Sendable {
    nonisolated(unsafe) let base: UnsafeMutablePointer<UInt8>
  }

  private static let blocks = Mutex<[Block]>([])
  private static let maximumBlocks = 8
  private static var size: Int { BodyChannelStateMachine<Never>.maximumChunkSize }

  static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity == size, let block = blocks.withLock({ $0.popLast() }) { return block.base }
    return .allocate(capacity: max(capacity, 1))
  }

  static func deallocate(_ base: UnsafeMutablePointer<UInt8>, _ capacity: Int) {
    let block = Block(base: base)
    let isKept =
      capacity == size
      && blocks.withLock { blocks in
        guard blocks.count < maximumBlocks else { return false }
        blocks.append(block)
        return true
      }
    if !isKept { base.deallocate() }
  }
}
#endif
