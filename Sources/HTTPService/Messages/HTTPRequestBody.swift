import Foundation

/// The body of a request as an asynchronous sequence of pieces, in the sizes they arrive.
///
/// The server takes no more from the client than a small buffer while nobody reads, so memory is bounded whatever
/// the body's length. A body is read once, by one task. A client that sent `Expect: 100-continue` is told to go on
/// when the first piece is asked for.
///
/// Reading throws ``HTTPServerError`` with the code `bodyTooLarge` when the body is larger than the server's limit,
/// `bodyIncomplete` when the client went away, and `CancellationError` when the reading task is cancelled, after
/// which nothing can be read any more.
public struct HTTPRequestBody: AsyncSequence, Sendable {
  /// A piece, never empty.
  public typealias Element = Data
  /// What reading throws.
  public typealias Failure = any Error

  let channel: UploadChannel
  /// The length the client has announced; nil when it did not, 0 when there is no body.
  public let announcedLength: Int64?

  init(channel: UploadChannel, announcedLength: Int64?) {
    self.channel = channel
    self.announcedLength = announcedLength
  }

  init(bytes: [UInt8]) {
    self.init(channel: UploadChannel(whole: Data(bytes)), announcedLength: Int64(bytes.count))
  }

  /// An iterator over the pieces that nobody has read yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }

  /// The iterator of a body's pieces.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let channel: UploadChannel

    /// The next piece; nil at the end.
    ///
    /// - Throws: See ``HTTPRequestBody``.
    public mutating func next() async throws -> Data? { try await channel.next() }
  }

  /// The whole body at once.
  ///
  /// - Parameter limit: The most bytes it may have.
  /// - Returns: All bytes that nobody has read yet.
  /// - Throws: ``HTTPServerError`` with the code `bodyTooLarge` as soon as that is certain, which a handler may let
  ///   through: the client gets 413. Else see ``HTTPRequestBody``.
  public func collectedBody(upTo limit: Int) async throws -> Data {
    var all = Data()
    guard (announcedLength ?? 0) <= Int64(clamping: limit) else { throw HTTPServerError.bodyTooLarge(limit) }
    while let piece = try await channel.next() {
      guard piece.count <= limit - all.count else { throw HTTPServerError.bodyTooLarge(limit) }
      if all.isEmpty { all = piece } else { all.append(piece) }
    }
    return all
  }
}

extension HTTPServerError {
  static func bodyTooLarge(_ limit: some BinaryInteger) -> HTTPServerError {
    HTTPServerError(.bodyTooLarge, "The body is larger than \(limit) bytes.")
  }
}
