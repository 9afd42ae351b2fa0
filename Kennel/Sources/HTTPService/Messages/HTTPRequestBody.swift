import Foundation

/// The body of a request as an asynchronous sequence of pieces, in the sizes in which they arrive.
///
/// While no task reads the body, the server buffers only a small part of it, so its memory use is limited for bodies
/// of any length. A body can be read once, by one task. If the client sent `Expect: 100-continue`, the server sends
/// `100 Continue` when the task reads the first piece.
///
/// Reading throws ``HTTPServerError`` with the code `bodyTooLarge` if the body is larger than the server's limit, and
/// with `bodyIncomplete` if the client disconnected. It throws `CancellationError` if the reading task is cancelled;
/// the body cannot be read after that.
public struct HTTPRequestBody: AsyncSequence, Sendable {
  /// A piece, never empty.
  public typealias Element = Data
  /// The type of error that reading throws.
  public typealias Failure = any Error

  let channel: UploadChannel
  /// The length that the client announced; nil if it announced none, 0 if there is no body.
  public let announcedLength: Int64?
  private var check: (@Sendable () async throws -> Void)?

  init(channel: UploadChannel, announcedLength: Int64?) {
    self.channel = channel
    self.announcedLength = announcedLength
  }

  init(bytes: [UInt8]) {
    self.init(channel: UploadChannel(complete: Data(bytes)), announcedLength: Int64(bytes.count))
  }

  /// Returns the body with a check at its end: a client can take minutes to send it, and may not have the right to any more
  /// by then.
  ///
  /// - Parameter check: The check, which runs when a task has read the last piece. Reading throws its error instead of ending.
  /// - Returns: The body. It replaces this one: only one of the two can be read.
  public func checkedAtEnd(_ check: @escaping @Sendable () async throws -> Void) -> HTTPRequestBody {
    var body = self
    body.check = check
    return body
  }

  /// Returns an iterator over the unread pieces.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel, check: check) }

  /// The iterator over the pieces of a body.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let channel: UploadChannel
    let check: (@Sendable () async throws -> Void)?

    /// Returns the next piece, or nil at the end.
    ///
    /// - Throws: See ``HTTPRequestBody``.
    public mutating func next() async throws -> Data? {
      if let piece = try await channel.next() { return piece }
      try await check?()
      return nil
    }
  }

  /// Reads the complete body into memory.
  ///
  /// - Parameter limit: The maximum size of the body in bytes.
  /// - Returns: All unread bytes.
  /// - Throws: ``HTTPServerError`` with the code `bodyTooLarge` as soon as the body exceeds the limit. A handler can
  ///   rethrow it; the server then responds with 413. For other errors, see ``HTTPRequestBody``.
  public func collectedBody(upTo limit: Int) async throws -> Data {
    var all = Data()
    guard (announcedLength ?? 0) <= Int64(clamping: limit) else { throw HTTPServerError.bodyTooLarge(limit) }
    while let piece = try await channel.next() {
      guard piece.count <= limit - all.count else { throw HTTPServerError.bodyTooLarge(limit) }
      if all.isEmpty { all = piece } else { all.append(piece) }
    }
    try await check?()
    return all
  }
}

extension HTTPServerError {
  static func bodyTooLarge(_ limit: some BinaryInteger) -> HTTPServerError {
    HTTPServerError(.bodyTooLarge, "The body is larger than \(limit) bytes.")
  }
}
