#if !canImport(Darwin)

  import Foundation

  extension FileHandle {
    /// The bytes from the position of the file handle to its end, as they can be read.
    ///
    /// Reading happens on a thread of its own and runs ahead of the loop, so the position of the handle afterwards
    /// tells nothing if the loop is left early. The sequence can be iterated once.
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

      /// An iterator over the bytes that have not been read yet.
      public func makeAsyncIterator() -> AsyncByteIterator {
        AsyncByteIterator(consumer)
      }
    }

    /// The bytes from the position of the file handle to its end.
    public var bytes: AsyncBytes {
      AsyncBytes(self)
    }
  }

#endif
