#if !canImport(Darwin)

import Synchronization

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
