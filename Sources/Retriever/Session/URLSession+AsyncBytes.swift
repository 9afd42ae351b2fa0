#if !canImport(Darwin)

extension URLSession {
  /// The body of a response as it arrives, byte by byte.
  ///
  /// The sequence can be iterated once. Leaving the loop early, or releasing the sequence, cancels the transfer.
  /// Receiving pauses while nobody reads, so memory use is bounded regardless of the length of the body. A cancelled
  /// task gets `URLError(.cancelled)`.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// Usually `URLError`.
    public typealias Failure = any Error
    /// The iterator.
    public typealias AsyncIterator = AsyncByteIterator
    /// The iterator.
    public typealias Iterator = AsyncByteIterator

    /// The task that receives the body.
    public let task: URLSessionDataTask

    package let consumer: ByteConsumer

    package init(channel: BodyChannel, task: URLSessionDataTask) {
      self.task = task
      consumer = ByteConsumer(channel)
    }

    /// Creates an iterator over the bytes that have not been read yet.
    public func makeAsyncIterator() -> AsyncByteIterator {
      AsyncByteIterator(consumer)
    }
  }
}

#endif
