import Foundation

/// Reads the body of a request. A stream may block, so it is read on a queue and not by a Swift task.
struct BodyReader: Sendable {
  struct Body: Sendable {
    var bytes = Data()
    var length = 0
  }

  /// How many bytes are kept.
  let limit: Int

  func body(of data: Data) -> Body { Body(bytes: Data(data.prefix(limit)), length: data.count) }

  /// Reads a stream to its end.
  ///
  /// - Throws: the error of the stream, or `CancellationError` if `isCancelled` returns true.
  func read(_ stream: InputStream, isCancelled: () -> Bool) throws -> Body {
    var body = Body()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    stream.open()
    defer { stream.close() }
    while true {
      if isCancelled() { throw CancellationError() }
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
      if count == 0 { return body }
      body.length += count
      body.bytes.append(contentsOf: buffer.prefix(min(count, max(0, limit - body.bytes.count))))
    }
  }
}
