import CLinux
import Glibc
import HTTPSyntax

/// The part of a request's body that is not sent yet.
struct RequestBody {
  var source: (any TransferBodySource)?
  var isChunked = false
  var isWaiting = false
  /// Whether the connection took no more bytes, so that the request is not complete.
  var isBroken = false

  /// Whether there are bytes to send.
  var isReady: Bool { source != nil && !isWaiting }
  /// Whether the request was sent completely.
  var isComplete: Bool { source == nil && !isBroken }
}

extension Connection {
  /// Room for the line before a chunk.
  private static let chunkLineBytes = 10

  // MARK: Sending

  func startHTTP1(_ exchange: any Exchange) {
    reader.reset()
    requestBody = RequestBody()
    do throws(TransferFailure) {
      try appendHead(of: exchange.request)
    } catch {
      self.exchange = nil
      pools.keepIdle(self)
      return exchange.ended(error)
    }
    exchange.didSendHead(byteCount: pools.output.count)
    switch exchange.request.body {
    case .none: break
    case .bytes(let bytes):
      pools.output += bytes
      exchange.didSendShortBody()
    case .source(let source): requestBody = RequestBody(source: source, isChunked: source.length == nil)
    }
    guard pools.output.withUnsafeBytes({ send($0) }) else { return cannotSend() }
    if requestBody.isReady { sendBody() }
    wantMore()
  }

  private func appendHead(of request: TransferRequest) throws(TransferFailure) {
    pools.output.removeAll(keepingCapacity: true)
    guard let target = RequestTarget(request.url) else {
      throw TransferFailure(.badURL, message: "The URL is not valid.")
    }
    append(request.method)
    pools.output.append(32)
    target.append(to: &pools.output)
    append(" HTTP/1.1\r\n")
    try pool.appendFields(of: request, userAgent: pools.settings.userAgent, to: &pools.output)
    switch request.body {
    case .none: break
    case .bytes(let bytes): append("Content-Length: \(bytes.count)\r\n")
    case .source(let source):
      append(source.length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n")
    }
    append("\r\n")
  }

  private func append(_ text: String) { pools.output.append(contentsOf: text.utf8) }

  /// Sends as much of the body as the socket takes, but leaves a long body's rest for the next round.
  func sendBody() {
    guard let exchange, let source = requestBody.source else { return }
    let buffer = pools.body
    let start = requestBody.isChunked ? Self.chunkLineBytes : 0
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(buffer.count - 2)])
    for _ in 0..<Self.piecesPerRound {
      guard !hasUnsent, requestBody.isReady else { return }
      switch exchange.readBody(into: room) {
      case .wait: requestBody.isWaiting = true
      case .failed: return end(exchange, exchange.noticedFailure)
      case .end:
        requestBody.source = nil
        if requestBody.isChunked, !Self.lastChunk.withUnsafeBytes({ send($0) }) { return cannotSend() }
      case .bytes(let count):
        let piece = requestBody.isChunked ? Self.chunk(count, in: buffer) : buffer[..<count]
        guard send(UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: piece))) else {
          return cannotSend()
        }
        if let length = source.length, exchange.sentBodyBytes >= length { requestBody.source = nil }
      }
    }
  }

  private static let piecesPerRound = 16
  private static let lastChunk = Array("0\r\n\r\n".utf8)

  /// Makes a chunk of bytes in a buffer that has room around them.
  private static func chunk(
    _ count: Int, in buffer: UnsafeMutableRawBufferPointer
  ) -> Slice<UnsafeMutableRawBufferPointer> {
    let line = Array((String(count, radix: 16) + "\r\n").utf8)
    let first = chunkLineBytes - line.count
    let end = chunkLineBytes + count
    for (index, byte) in line.enumerated() { buffer[first + index] = byte }
    buffer[end] = 13
    buffer[end + 1] = 10
    return buffer[first..<(end + 2)]
  }

  // MARK: Receiving

  func receivedHTTP1(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty, stage == .ready {
      // Nobody asked for these bytes.
      guard let exchange else { return close() }
      switch reader.part {
      case .head, .chunkSize, .chunkEnd, .trailers:
        guard takeLine(from: &rest, exchange) else { return }
      case .body(let remaining):
        let count = Int(min(Int64(rest.count), remaining))
        guard deliver(count, of: &rest, exchange) else { return }
        reader.part = .body(remaining: remaining - Int64(count))
        if remaining == Int64(count) { return complete(exchange, rest) }
      case .chunk(let remaining):
        let count = Int(min(Int64(rest.count), remaining))
        guard deliver(count, of: &rest, exchange) else { return }
        reader.part = remaining == Int64(count) ? .chunkEnd : .chunk(remaining: remaining - Int64(count))
      case .untilClose:
        guard deliver(rest.count, of: &rest, exchange) else { return }
      }
    }
  }

  /// Passes a piece of the body on. False if the rest must wait, or the exchange has ended.
  private func deliver(
    _ count: Int, of rest: inout UnsafeRawBufferPointer, _ exchange: any Exchange
  ) -> Bool {
    switch exchange.receive(UnsafeRawBufferPointer(rebasing: rest[..<count])) {
    case .accepted:
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      return stage == .ready
    case .keep:
      kept += rest
      wantMore()
      return false
    case .stop:
      end(exchange, exchange.noticedFailure ?? .cancelled)
      return false
    }
  }

  /// Ends an exchange before its response is complete.
  private func end(_ exchange: any Exchange, _ failure: TransferFailure?) {
    self.exchange = nil
    close()
    exchange.ended(failure)
  }

  /// Handles a line if it is complete. False if it is not, or the exchange has ended.
  private func takeLine(from rest: inout UnsafeRawBufferPointer, _ exchange: any Exchange) -> Bool {
    guard let base = rest.baseAddress, let found = memchr(base, 10, rest.count) else {
      reader.line += rest
      if reader.line.count > ResponseReader.maximumLineBytes { end(exchange, .tooLongLine) }
      return false
    }
    let count = base.distance(to: UnsafeRawPointer(found)) + 1
    guard reader.line.count + count <= ResponseReader.maximumLineBytes else {
      end(exchange, .tooLongLine)
      return false
    }
    let piece = UnsafeRawBufferPointer(rebasing: rest[..<count])
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    if reader.line.isEmpty { return handle(piece, rest, exchange) }
    let line = reader.line + piece
    reader.line.removeAll(keepingCapacity: true)
    return line.withUnsafeBytes { handle($0, rest, exchange) }
  }

  private func handle(
    _ line: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer, _ exchange: any Exchange
  ) -> Bool {
    switch reader.part {
    case .head: return handleHeadLine(line, rest, exchange)
    case .chunkSize:
      guard let size = ResponseReader.chunkSize(line) else {
        end(exchange, .badChunk)
        return false
      }
      reader.part = size == 0 ? .trailers : .chunk(remaining: size)
    case .chunkEnd:
      guard line.first == 10 || line.first == 13 && line.count == 2 else {
        end(exchange, .badChunk)
        return false
      }
      reader.part = .chunkSize
    case .trailers:
      reader.trailerBytes += line.count
      guard reader.trailerBytes <= exchange.request.limits.headerBytes else {
        end(exchange, .tooLongLine)
        return false
      }
      if line.first == 10 || line.first == 13 {
        complete(exchange, rest)
        return false
      }
    case .body, .untilClose, .chunk: break
    }
    return stage == .ready
  }

  private func handleHeadLine(
    _ line: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer, _ exchange: any Exchange
  ) -> Bool {
    if reader.isAtStatusLine {
      guard ResponseReader.isStatusLine(line) else {
        end(exchange, .notHTTP)
        return false
      }
      reader.isAtStatusLine = false
    } else {
      reader.note(line)
    }
    switch exchange.receiveHead(line) {
    case .more: return true
    case .failure(let failure):
      end(exchange, failure)
      return false
    case .informational(let head):
      exchange.receive(informational: head)
      reader.reset()
      return true
    case .complete(let head):
      let request = exchange.request
      reader.endHead(
        version: head.version, hasNoBody: request.hasNoResponseBody(status: head.status),
        isChunked: exchange.isChunked, length: head.contentLength)
      guard exchange.deliver(head) else {
        end(exchange, exchange.noticedFailure ?? .cancelled)
        return false
      }
      guard reader.part == .body(remaining: 0) else { return stage == .ready }
      complete(exchange, rest)
      return false
    }
  }

  /// The response is complete. The connection is free for the next request if nothing else arrived.
  private func complete(_ exchange: any Exchange, _ rest: UnsafeRawBufferPointer) {
    self.exchange = nil
    if requestCount == 1, let tls { pool.keepSession(of: tls) }
    let isReusable =
      !reader.closes && rest.isEmpty && !hasUnsent && requestBody.isComplete && !isRetired && kept.isEmpty
    if isReusable {
      want(0)
      pools.keepIdle(self)
    } else {
      close()
    }
    exchange.ended(nil)
  }

  func lostHTTP1(_ alert: TransferFailure?) {
    guard let exchange else { return close() }
    self.exchange = nil
    let isComplete = reader.part == .untilClose && endedCleanly
    close()
    if isComplete { return exchange.ended(nil) }
    if let alert { return exchange.ended(alert) }
    exchange.lost(isReused: requestCount > 1, wasRefused: false, .cutOff)
  }
}

extension TransferFailure {
  static let badChunk = TransferFailure(
    .badReply, message: "The response is not valid HTTP: it has an invalid chunk.")
  static let notHTTP = TransferFailure(
    .badReply,
    message: "The response is not valid HTTP: it does not begin with a status line. "
      + "Check that the URL has the port of an HTTP server.")
  static let tooLongLine = TransferFailure(.headTooLarge, message: "The response's header is too long.")
}
