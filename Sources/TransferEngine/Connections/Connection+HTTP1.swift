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
  /// Whether the server has accepted the request before it had all of it.
  var isAccepted = false

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
    reader.reset(maximumTrailerBytes: exchange.request.limits.headerBytes)
    requestBody = RequestBody()
    do throws(TransferFailure) {
      try appendHead(of: exchange.request, to: exchange.target)
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

  private func appendHead(
    of request: TransferRequest, to target: RequestTarget?
  ) throws(TransferFailure) {
    pools.output.removeAll(keepingCapacity: true)
    guard let target else {
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
    while stage == .ready {
      guard let exchange else {
        // Nobody asked for these bytes.
        if !rest.isEmpty { close() }
        return
      }
      switch reader.next(from: &rest) {
      case .needsMore: return
      case .headLine(let line): takeHeadLine(line, exchange)
      case .joinedHeadLine(let line): line.withUnsafeBytes { takeHeadLine($0, exchange) }
      case .piece(let piece):
        switch exchange.receive(piece) {
        case .accepted: reader.took(piece.count, from: &rest)
        case .keep:
          kept += rest
          return wantMore()
        case .stop: end(exchange, exchange.noticedFailure ?? .cancelled)
        }
      case .end: return complete(exchange, rest)
      case .failure(let failure): end(exchange, failure)
      }
    }
  }

  /// Ends an exchange before its response is complete.
  private func end(_ exchange: any Exchange, _ failure: TransferFailure?) {
    self.exchange = nil
    close()
    exchange.ended(failure)
  }

  private func takeHeadLine(_ line: UnsafeRawBufferPointer, _ exchange: any Exchange) {
    let request = exchange.request
    switch exchange.receiveHead(line) {
    case .more: break
    case .failure(let failure): end(exchange, failure)
    case .informational(let head):
      exchange.receive(informational: head)
      reader.reset(maximumTrailerBytes: request.limits.headerBytes)
    case .complete(let head):
      requestBody.isAccepted = head.status < 300
      reader.endHead(
        version: head.version, hasNoBody: request.hasNoResponseBody(status: head.status),
        isChunked: exchange.isChunked, length: head.contentLength)
      if !exchange.deliver(head) { end(exchange, exchange.noticedFailure ?? .cancelled) }
    }
  }

  /// The response is complete. The connection is free for the next request if nothing else arrived.
  ///
  /// A server that has accepted the request gets the rest of its body, like from libcurl.
  private func complete(_ exchange: any Exchange, _ rest: UnsafeRawBufferPointer) {
    if requestBody.isAccepted, !requestBody.isBroken, hasUnsent || requestBody.source != nil, rest.isEmpty,
      !reader.closes
    {
      return wantMore()
    }
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

  /// Ends the exchange if its response was complete before its request, which may be complete now.
  func finishIfAnswered() {
    guard stage == .ready, reader.part == .end, let exchange else { return }
    complete(exchange, UnsafeRawBufferPointer(start: nil, count: 0))
  }

  func lostHTTP1(_ alert: TransferFailure?) {
    guard let exchange else { return close() }
    self.exchange = nil
    let isComplete = reader.part == .end || reader.part == .untilClose && endedCleanly
    close()
    if isComplete { return exchange.ended(nil) }
    if let alert { return exchange.ended(alert) }
    exchange.lost(isReused: requestCount > 1, wasRefused: false, .cutOff)
  }
}
