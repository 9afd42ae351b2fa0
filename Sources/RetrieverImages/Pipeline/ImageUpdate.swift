/// An update on an image that is being loaded.
public enum ImageUpdate: Sendable {
  /// An image to show immediately, made from the given ThumbHash. If there is one, it comes first.
  case placeholder(UIImage)
  /// The number of bytes that have arrived.
  case progress(ImageProgress)
  /// The image as decoded so far: a blurred version of a progressive image, or the upper part of another one.
  case preview(UIImage)
  /// The image. It comes last.
  case image(UIImage)
}

/// The number of bytes of an image that have arrived.
public struct ImageProgress: Sendable, Hashable {
  /// The number of bytes received.
  public var receivedBytes: Int
  /// The expected number of bytes; nil if the server did not specify it.
  public var expectedBytes: Int?

  /// The fraction received, from 0 to 1; nil if the server did not specify the number of bytes.
  public var fraction: Double? {
    expectedBytes.flatMap { $0 > 0 ? min(Double(receivedBytes) / Double($0), 1) : nil }
  }
}

/// The updates on one image. Each iterator starts a load, which is cancelled when the iterator is released.
///
/// If updates arrive faster than they are read, only the newest are kept. The image is always among them.
public struct ImageUpdates: AsyncSequence, Sendable {
  /// The type of an update.
  public typealias Element = ImageUpdate
  /// The errors are `URLError` or ``ImageError``.
  public typealias Failure = any Error
  /// The type of the iterator.
  public typealias AsyncIterator = AsyncThrowingStream<ImageUpdate, any Error>.Iterator

  static var maximumBufferedUpdates: Int { 16 }

  let start: @Sendable (AsyncThrowingStream<ImageUpdate, any Error>.Continuation) -> Void

  /// Starts a load and returns its iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: ImageUpdate.self, throwing: (any Error).self,
      bufferingPolicy: .bufferingNewest(Self.maximumBufferedUpdates))
    start(continuation)
    return stream.makeAsyncIterator()
  }
}
