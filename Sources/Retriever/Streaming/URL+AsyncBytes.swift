#if !canImport(Darwin)

  import Foundation

  extension URL {
    /// The bytes of what a URL points to: a file, or anything `URLSession.shared` can fetch.
    ///
    /// Nothing is opened or fetched before the first byte is asked for. Every iteration starts anew.
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

      /// An iterator that reads the resource from its beginning.
      public func makeAsyncIterator() -> AsyncByteIterator {
        let source: any ByteChunkSource =
          url.isFileURL ? FileByteSource(.path(url.path)) : FetchedByteSource(url)
        return AsyncByteIterator(ByteConsumer(source))
      }
    }

    /// The bytes of the resource the URL points to.
    public var resourceBytes: AsyncBytes {
      AsyncBytes(self)
    }

    /// The lines of the resource the URL points to, read as UTF-8, without the empty ones.
    public var lines: AsyncLineSequence<AsyncBytes> {
      resourceBytes.lines
    }
  }

#endif
