#if !canImport(Darwin)

  import Synchronization

  /// The memory of large chunks, used again: fresh pages cost the kernel more than filling them.
  enum ChunkMemory {
    /// Its memory has no owner: whoever takes it from the list is the only one who knows it.
    private struct Block: Sendable {
      nonisolated(unsafe) let base: UnsafeMutablePointer<UInt8>
    }

    private static let blocks = Mutex<[Block]>([])
    private static let mostBlocks = 8
    private static var size: Int { BodyChannelStateMachine<Never>.largestChunk }

    static func take(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
      if capacity == size, let block = blocks.withLock({ $0.popLast() }) { return block.base }
      return .allocate(capacity: max(capacity, 1))
    }

    static func giveBack(_ base: UnsafeMutablePointer<UInt8>, _ capacity: Int) {
      let block = Block(base: base)
      let isKept =
        capacity == size
        && blocks.withLock { blocks in
          guard blocks.count < mostBlocks else { return false }
          blocks.append(block)
          return true
        }
      if !isKept { base.deallocate() }
    }
  }

#endif
