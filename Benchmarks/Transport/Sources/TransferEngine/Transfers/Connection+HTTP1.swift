import CLinux
import Glibc
import HTTPSyntax

/// Where the reader is within a response. It decides how the next bytes are understood.
struct ResponseReader {
  enum Part: Equatable {
    case head
    case body(remaining: Int64)
    case untilClose
    case chunkSize
    case chunk(remaining: Int64)
    case chunkEnd
    case trailers
  }

  var part = Part.head
  /// The beginning of a line whose end has not arrived.
  var line: [UInt8] = []
  /// Whether the next line is a status line.
  var isAtStatusLine = true
  var closes = false
  var keepsAlive = false
  var trailerBytes = 0

  mutating func reset() {
    part = .head
    isAtStatusLine = true
    closes = false
    keepsAlive = false
    trailerBytes = 0
    if !line.isEmpty { line.removeAll(keepingCapacity: true) }
  }

  /// Whether a line has the form of a status line: `HTTP/1.1 200 OK`.
  static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    let start: StaticString = "HTTP/1."
    guard line.count >= 13, let base = line.baseAddress, memcmp(base, start.utf8Start, 7) == 0 else {
      return false
    }
    let isDigit = { (byte: UInt8) in byte &- 48 < 10 }
    return (line[7] == 48 || line[7] == 49) && line[8] == 32 && (9...11).allSatisfy { isDigit(line[$0]) }
      && !isDigit(line[12])
  }

  /// Looks for the field that says whether the connection stays open.
  mutating func note(_ line: UnsafeRawBufferPointer) {
    guard line.count > 12, line[0] | 0x20 == UInt8(ascii: "c"), line[10] == UInt8(ascii: ":") else { return }
    let text = String(decoding: line, as: UTF8.self)
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, ASCII.equalIgnoringCase(String(parts[0]), "connection") else { return }
    for member in ASCII.listMembers(parts[1].filter { $0 != "\r\n" && $0 != "\r" && $0 != "\n" }) {
      if ASCII.equalIgnoringCase(member, "close") { closes = true }
      if ASCII.equalIgnoringCase(member, "keep-alive") { keepsAlive = true }
    }
  }

  /// The number of a chunk's line: hexadecimal digits, and extensions that are ignored. Nil if it is not valid.
  static func chunkSize(_ line: UnsafeRawBufferPointer) -> Int64? {
    var size: Int64 = 0
    var digits = 0
    for byte in line {
      let digit: UInt8
      switch byte {
      case 48...57: digit = byte - 48
      case 65...70: digit = byte - 55
      case 97...102: digit = byte - 87
      case 32, 9, 13, 10, UInt8(ascii: ";"): return digits > 0 ? size : nil
      default: return nil
      }
      digits += 1
      guard digits <= 15 else { return nil }
      size = size << 4 | Int64(digit)
    }
    return digits > 0 ? size : nil
  }
}

/// The part of a request's body that is not sent yet.
struct RequestBody {
  var source: (any TransferBodySource)?
  var isChunked = false
  var isWaiting = false

  /// Whether there are bytes to send.
  var isReady: Bool { source != nil && !isWaiting }
}

extension Connection {
  static let bodyPieceBytes = 64 << 10

  // MARK: Sending

  func startHTTP1(_ transfer: Transfer) {
    reader.reset()
    core.output.removeAll(keepingCapacity: true)
    guard appendHead(of: transfer) else {
      self.transfer = nil
      pool.idle.append(self)
      return transfer.done(transfer.noticedFailure)
    }
    requestBody = RequestBody()
    switch transfer.request.body {
    case .none: break
    case .bytes(let bytes):
      core.output += bytes
      transfer.didSend(bytes.count)
    case .source(let source): requestBody = RequestBody(source: source, isChunked: source.length == nil)
    }
    guard core.output.withUnsafeBytes({ send($0) }) else { return endedHTTP1() }
    if requestBody.isReady { sendBody() }
    if stage == .ready { wantMore() }
  }

  private func appendHead(of transfer: Transfer) -> Bool {
    let request = transfer.request
    append(request.method)
    core.output.append(32)
    guard let target = RequestTarget(request.url) else {
      transfer.noticedFailure = TransferFailure(.badURL, message: "The URL is not valid.")
      return false
    }
    target.append(to: &core.output)
    append(" HTTP/1.1\r\n")
    if let block = pool.fieldBlock, block.encodings == request.acceptedEncodings,
      block.headers == request.headers
    {
      core.output += block.bytes
    } else {
      let start = core.output.count
      guard appendFields(of: request, transfer) else { return false }
      pool.fieldBlock = (request.headers, request.acceptedEncodings, Array(core.output[start...]))
    }
    switch request.body {
    case .none: break
    case .bytes(let bytes): append("Content-Length: \(bytes.count)\r\n")
    case .source(let source):
      append(source.length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n")
    }
    append("\r\n")
    return true
  }

  private func appendFields(of request: TransferRequest, _ transfer: Transfer) -> Bool {
    let fields = pool.fields(of: request, userAgent: core.options.userAgent)
    for field in fields {
      guard (field.name + field.value).utf8.allSatisfy({ $0 != 13 && $0 != 10 && $0 != 0 }) else {
        transfer.noticedFailure = TransferFailure(
          .badURL,
          message: "The header field “\(field.name.prefix(40))” contains a line break or a NUL character.")
        return false
      }
      append(field.name)
      append(": ")
      append(field.value)
      append("\r\n")
    }
    return true
  }

  private func append(_ text: String) { core.output.append(contentsOf: text.utf8) }

  /// Sends as much of the body as the socket takes.
  func sendBody() {
    guard let transfer, let source = requestBody.source else { return }
    while !hasUnsent, requestBody.isReady {
      core.output.removeAll(keepingCapacity: true)
      // Room for the line of a chunk.
      let start = requestBody.isChunked ? 10 : 0
      core.output.append(contentsOf: repeatElement(0, count: start + Self.bodyPieceBytes))
      let answer = core.output.withUnsafeMutableBytes {
        transfer.readBody(source, into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
      }
      switch answer {
      case .wait:
        requestBody.isWaiting = true
        return
      case .failed:
        close()
        return transfer.done(transfer.noticedFailure)
      case .end:
        requestBody.source = nil
        if requestBody.isChunked { _ = "0\r\n\r\n".withContiguousUTF8 { send($0) } }
      case .bytes(let count):
        guard sendPiece(count, from: start) else { return endedHTTP1() }
        if let length = source.length, transfer.sentBodyBytes >= length { requestBody.source = nil }
      }
    }
  }

  private func sendPiece(_ count: Int, from start: Int) -> Bool {
    guard requestBody.isChunked else {
      return core.output.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    let line = Array((String(count, radix: 16) + "\r\n").utf8)
    let first = start - line.count
    core.output.replaceSubrange(first..<start, with: line)
    core.output.replaceSubrange((start + count)..., with: [13, 10])
    return core.output.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[first...])) }
  }

  func resumeSending() {
    guard stage == .ready else { return }
    if let http2 { return http2.resumeSending() }
    requestBody.isWaiting = false
    sendBody()
    if stage == .ready { wantMore() }
  }

  // MARK: Receiving

  func receivedHTTP1(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty, stage == .ready {
      guard let transfer else { return close() }
      switch reader.part {
      case .head, .chunkSize, .chunkEnd, .trailers:
        guard takeLine(from: &rest, transfer) else { return }
      case .body(let remaining):
        let count = Int(min(Int64(rest.count), remaining))
        guard deliver(count, of: &rest, transfer) else { return }
        reader.part = .body(remaining: remaining - Int64(count))
        if remaining == Int64(count) { complete(rest) }
      case .chunk(let remaining):
        let count = Int(min(Int64(rest.count), remaining))
        guard deliver(count, of: &rest, transfer) else { return }
        reader.part = remaining == Int64(count) ? .chunkEnd : .chunk(remaining: remaining - Int64(count))
      case .untilClose:
        guard deliver(rest.count, of: &rest, transfer) else { return }
      }
    }
  }

  /// Passes a piece of the body on. False if the rest must wait, or the transfer has ended.
  private func deliver(_ count: Int, of rest: inout UnsafeRawBufferPointer, _ transfer: Transfer) -> Bool {
    switch transfer.receive(UnsafeRawBufferPointer(rebasing: rest[..<count])) {
    case .accepted:
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      return true
    case .keep:
      kept += rest
      want(0)
      return false
    case .stop:
      fail(transfer, transfer.noticedFailure ?? .cancelled)
      return false
    }
  }

  private func fail(_ transfer: Transfer, _ failure: TransferFailure?) {
    self.transfer = nil
    close()
    transfer.done(failure)
  }

  /// Handles a line if it is complete. False if it is not, or the transfer has ended.
  private func takeLine(from rest: inout UnsafeRawBufferPointer, _ transfer: Transfer) -> Bool {
    guard let end = rest.firstIndex(of: 10) else {
      reader.line += rest
      if reader.line.count > transfer.request.limits.headerBytes { fail(transfer, .tooLongLine) }
      return false
    }
    let piece = UnsafeRawBufferPointer(rebasing: rest[...end])
    rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
    if reader.line.isEmpty { return handle(piece, rest, transfer) }
    let line = reader.line + piece
    reader.line.removeAll(keepingCapacity: true)
    return line.withUnsafeBytes { handle($0, rest, transfer) }
  }

  private func handle(
    _ line: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer, _ transfer: Transfer
  ) -> Bool {
    switch reader.part {
    case .head: return handleHeadLine(line, rest, transfer)
    case .chunkSize:
      guard let size = ResponseReader.chunkSize(line) else {
        fail(transfer, .badChunk)
        return false
      }
      reader.part = size == 0 ? .trailers : .chunk(remaining: size)
    case .chunkEnd:
      guard line.first == 10 || line.first == 13 && line.count == 2 else {
        fail(transfer, .badChunk)
        return false
      }
      reader.part = .chunkSize
    case .trailers:
      reader.trailerBytes += line.count
      guard reader.trailerBytes <= transfer.request.limits.headerBytes else {
        fail(transfer, .tooLongLine)
        return false
      }
      if line.first == 10 || line.first == 13 { complete(rest) }
    case .body, .untilClose, .chunk: break
    }
    return stage == .ready
  }

  private func handleHeadLine(
    _ line: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer, _ transfer: Transfer
  ) -> Bool {
    if reader.isAtStatusLine {
      guard ResponseReader.isStatusLine(line) else {
        fail(transfer, .notHTTP)
        return false
      }
      reader.isAtStatusLine = false
    } else {
      reader.note(line)
    }
    switch transfer.receiveHeaderLine(line) {
    case .more: return true
    case .failure(let failure):
      fail(transfer, failure)
      return false
    case .informational(let head):
      transfer.observer?.transferDidReceive(informational: head)
      reader.reset()
      return true
    case .complete(let head):
      if head.version == "HTTP/1.0", !reader.keepsAlive { reader.closes = true }
      let hasNoBody = transfer.request.method == "HEAD" || head.status == 204 || head.status == 304
      reader.part =
        hasNoBody
        ? .body(remaining: 0)
        : transfer.head.isChunked
          ? .chunkSize : head.contentLength.map { .body(remaining: $0) } ?? .untilClose
      guard transfer.deliver(head, isHTTP2: false) else {
        fail(transfer, transfer.noticedFailure ?? .cancelled)
        return false
      }
      if reader.part == .body(remaining: 0) { complete(rest) }
      return stage == .ready && self.transfer != nil
    }
  }

  /// The response is complete. The connection is free for the next request if nothing else arrived.
  private func complete(_ rest: UnsafeRawBufferPointer) {
    guard let transfer else { return }
    self.transfer = nil
    if requestCount == 1, tlsConnection != nil { pool.keepSession(of: self) }
    let isReusable =
      !reader.closes && rest.isEmpty && !hasUnsent && requestBody.source == nil && !isRetired && kept.isEmpty
    if isReusable {
      want(0)
      pool.idle.append(self)
    } else {
      close()
    }
    transfer.done(nil)
  }

  func endedHTTP1() {
    guard let transfer else { return close() }
    self.transfer = nil
    let isComplete = reader.part == .untilClose && endedCleanly
    close()
    if isComplete { return transfer.done(nil) }
    transfer.lost(reused: requestCount > 1, wasRefused: false, .cutOff)
  }
}

extension TransferFailure {
  static let badChunk = TransferFailure(.badReply, message: "The response has an invalid chunk.")
  static let notHTTP = TransferFailure(
    .badReply, message: "The server's reply does not begin with an HTTP status line.")
  static let tooLongLine = TransferFailure(
    .headTooLarge, message: "A header line of the response is too long.")
}

extension Pool {
  /// The fields that a request is sent with.
  func fields(of request: TransferRequest, userAgent: String) -> [TransferHeader] {
    var fields: [TransferHeader] = []
    let names = request.headers.map { ASCII.lowercased($0.name) }
    let server = destination.address
    if !names.contains("host") {
      let host = server.isIPv6Literal ? "[\(server.host)]" : server.host
      let isDefault = server.port == (server.isSecure ? 443 : 80)
      fields.append(TransferHeader("Host", isDefault ? host : "\(host):\(server.port)"))
    }
    if !userAgent.isEmpty, !names.contains("user-agent") {
      fields.append(TransferHeader("User-Agent", userAgent))
    }
    if !names.contains("accept") { fields.append(TransferHeader("Accept", "*/*")) }
    fields += request.headers
    let encodings = request.acceptedEncodings ?? ContentCoding.defaultAcceptEncoding
    if !encodings.isEmpty { fields.append(TransferHeader("Accept-Encoding", encodings)) }
    return fields
  }
}

/// The path and query of a URL.
struct RequestTarget {
  private let bytes: Substring.UTF8View
  private let needsSlash: Bool

  init?(_ url: String) {
    var url = url
    guard let length = url.withUTF8({ ServerAddress.prefixLength(of: $0) }) else { return nil }
    let start = url.utf8.index(url.utf8.startIndex, offsetBy: length)
    let end = url.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? url.utf8.endIndex
    bytes = url.utf8[start..<end]
    needsSlash = bytes.first != UInt8(ascii: "/")
  }

  func append(to output: inout [UInt8]) {
    if needsSlash { output.append(UInt8(ascii: "/")) }
    output.append(contentsOf: bytes)
  }
}

extension String {
  fileprivate func withContiguousUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
