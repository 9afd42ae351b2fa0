#if !canImport(Darwin)
import Foundation
import Synchronization

extension FileHandle {
  /// The bytes from the position of the file handle to its end, as they become readable.
  ///
  /// A separate thread reads ahead of the loop. If the loop ends early, the position of the handle is therefore
  /// undefined. The sequence can be iterated once.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// `CocoaError`; `URLError(.cancelled)` if the task is cancelled.
    public typealias Failure = any Error
    /// The iterator.
    public typealias AsyncIterator = AsyncByteIterator
    /// The iterator.
    public typealias Iterator = AsyncByteIterator

    private let consumer: ByteConsumer

    init(_ handle: FileHandle) {
      consumer = ByteConsumer(FileByteSource(.handle(handle)))
    }

    /// Creates an iterator over the bytes that have not been read yet.
    public func makeAsyncIterator() -> AsyncByteIterator {
      AsyncByteIterator(consumer)
    }
  }

  /// The bytes from the position of the file handle to its end.
  public var bytes: AsyncBytes {
    AsyncBytes(self)
  }
}

/// The bytes of a file, which is opened and read when the first chunk is requested.
final class FileByteSource: ByteChunkSource {
  private let pump: FilePump
  private let channel: BodyChannel
  private let hasStarted = Atomic(false)

  init(_ origin: FilePump.Origin) {
    let pump = FilePump(origin)
    self.pump = pump
    channel = BodyChannel(onDemand: { pump.resume() }, onTermination: { pump.stop() })
  }

  func nextChunk(
    recycling spent: ByteChunk?, isolation: isolated (any Actor)?
  ) async throws -> ByteChunk? {
    if !hasStarted.exchange(true, ordering: .relaxed) { pump.start(feeding: channel) }
    return try await channel.nextChunk(recycling: spent, isolation: isolation)
  }

  func terminate() {
    channel.terminate()
  }
}
#endif
