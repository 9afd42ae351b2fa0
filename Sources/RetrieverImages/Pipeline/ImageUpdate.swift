/// What becomes known of an image while it is on its way.
public enum ImageUpdate: Sendable {
  /// A picture to show at once, made of the ThumbHash that was given. Comes first, if at all.
  case placeholder(UIImage)
  /// Bytes have arrived.
  case progress(ImageProgress)
  /// The image as far as it has come: of a progressive one all of it, blurred, of another one its upper part.
  case preview(UIImage)
  /// The image. Comes last.
  case image(UIImage)
}

/// How much of an image has arrived.
public struct ImageProgress: Sendable, Hashable {
  /// How many bytes are there.
  public var receivedBytes: Int
  /// How many there will be; nil when the server did not say.
  public var expectedBytes: Int?

  /// From 0 to 1; nil when the server did not say how many bytes there will be.
  public var fraction: Double? {
    expectedBytes.flatMap { $0 > 0 ? min(Double(receivedBytes) / Double($0), 1) : nil }
  }
}

/// The updates on one image: a load begins with each iterator, and is given up when that is dropped.
///
/// Of updates that nobody takes in time only the newest are kept; the image is always among them.
public struct ImageUpdates: AsyncSequence, Sendable {
  /// An update.
  public typealias Element = ImageUpdate
  /// `URLError` or ``ImageError``.
  public typealias Failure = any Error
  /// The iterator.
  public typealias AsyncIterator = AsyncThrowingStream<ImageUpdate, any Error>.Iterator

  static var mostKept: Int { 16 }

  let start: @Sendable (AsyncThrowingStream<ImageUpdate, any Error>.Continuation) -> Void

  /// Begins a load.
  public func makeAsyncIterator() -> AsyncIterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: ImageUpdate.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(Self.mostKept))
    start(continuation)
    return stream.makeAsyncIterator()
  }
}
