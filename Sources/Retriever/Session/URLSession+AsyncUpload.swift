#if !canImport(Darwin)
import Foundation

// Uploads from asynchronous sequences.
extension URLSession {
  /// Sends the chunks of an asynchronous sequence as the body of a request. *Beyond Apple's API.*
  ///
  ///     let (lines, continuation) = AsyncStream<Data>.makeStream()
  ///     let (data, response) = try await session.upload(for: request, from: lines)
  ///
  /// The sequence is asked for its next chunk when the connection has taken the previous one. After a challenge or a
  /// redirect, the body can be sent again if at most 256 KiB were sent.
  ///
  /// - Parameters:
  ///   - request: the request. A GET becomes a POST.
  ///   - chunks: the chunks of the body. An empty chunk is ignored.
  ///   - length: the number of bytes in all chunks, which is sent as `Content-Length`; nil to send the body in chunks of
  ///     unknown number. If the sequence is longer or shorter, the upload fails.
  ///   - delegate: the delegate of this task, preferred to the session's delegate.
  /// - Returns: the complete response body, and the response.
  /// - Throws: the error of the sequence; `URLError`, with `.requestBodyStreamExhausted` for a wrong length or a body that
  ///   cannot be sent again, and `.cancelled` if the surrounding Task is cancelled. The iteration is cancelled too.
  public func upload<Chunks: AsyncSequence & Sendable>(
    for request: URLRequest, from chunks: Chunks, length: Int64? = nil,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) where Chunks.Element == Data {
    let body = AsyncSequenceBody(chunks, length: length) { [UInt8]($0) }
    return try await upload(request, body, delegate)
  }

  /// Sends the bytes of an asynchronous sequence as the body of a request. *Beyond Apple's API.*
  ///
  /// The bytes are collected in pieces of up to 16 KiB. A byte therefore waits for those after it. To send something
  /// immediately, use a sequence of `Data`.
  ///
  /// - Parameters:
  ///   - request: the request. A GET becomes a POST.
  ///   - bytes: the bytes of the body.
  ///   - length: the number of bytes, which is sent as `Content-Length`; nil if it is unknown. If the sequence is longer
  ///     or shorter, the upload fails.
  ///   - delegate: the delegate of this task, preferred to the session's delegate.
  /// - Returns: the complete response body, and the response.
  /// - Throws: the error of the sequence, or `URLError`, as for a sequence of `Data`.
  public func upload<Bytes: AsyncSequence & Sendable>(
    for request: URLRequest, from bytes: Bytes, length: Int64? = nil,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) where Bytes.Element == UInt8 {
    let body = AsyncSequenceBody(ByteCollector(bytes), length: length) { $0 }
    return try await upload(request, body, delegate)
  }

  private func upload(
    _ request: URLRequest, _ body: AsyncSequenceBody, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (Data, URLResponse) {
    // The server may respond before it has received the complete body.
    defer { body.stop() }
    let task = makeUploadTask(request, .sequence(body))
    body.onFailure { [weak task] in task?.abort($0) }
    return try await data(of: task, delegate)
  }
}

/// Collects single bytes into pieces.
private struct ByteCollector<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Bytes.Element == UInt8 {
  typealias Element = [UInt8]

  private static var maximumPiece: Int { 16 << 10 }
  private let bytes: Bytes

  init(_ bytes: Bytes) { self.bytes = bytes }

  struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: Bytes.AsyncIterator

    mutating func next() async throws -> [UInt8]? {
      var piece: [UInt8] = []
      while piece.count < maximumPiece, let byte = try await iterator.next() { piece.append(byte) }
      return piece.isEmpty ? nil : piece
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: bytes.makeAsyncIterator()) }
}
#endif
