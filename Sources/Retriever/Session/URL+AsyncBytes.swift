#if !canImport(Darwin)

import Foundation

extension URL {
  /// The bytes of the resource at a URL: a file, or anything that `URLSession.shared` can fetch.
  ///
  /// The resource is opened or fetched when the first byte is requested. Each iteration starts from the beginning.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// `CocoaError` for a file, `URLError` for anything else.
    public typealias Failure = any Error
    /// The iterator.
    public typealias AsyncIterator = AsyncByteIterator
    /// The iterator.
    public typealias Iterator = AsyncByteIterator

    private let url: URL

    init(_ url: URL) {
      self.url = url
    }

    /// Creates an iterator that reads the resource from its beginning.
    public func makeAsyncIterator() -> AsyncByteIterator {
      let source: any ByteChunkSource =
        url.isFileURL ? FileByteSource(.path(url.path)) : FetchedByteSource(url)
      return AsyncByteIterator(ByteConsumer(source))
    }
  }

  /// The bytes of the resource at the URL.
  public var resourceBytes: AsyncBytes {
    AsyncBytes(self)
  }

  /// The lines of the resource at the URL, decoded as UTF-8, without empty ones.
  public var lines: AsyncLineSequence<AsyncBytes> {
    resourceBytes.lines
  }
}

#endif
