import HTTPSyntax

/// Builds a response's head from the lines that libcurl delivers one by one. It has no side effects.
struct HeadCollector {
  enum Outcome {
    case more
    case informational(TransferHead)
    case complete(TransferHead)
    case failure(TransferFailure)
  }

  private var status = 0
  private var version = "HTTP/1.1"
  private var block: [UInt8] = []
  private var mentions: TransferHead.Mentions = []
  private var contentLength: Int64?
  private var contentEncoding: String?
  private var hasLength = false
  private var hasContradiction = false
  private var hasUnsupportedTransferCoding = false
  /// Whether the head has a `Transfer-Encoding`.
  private(set) var isChunked = false
  private var isComplete = false
  private(set) var byteCount = 0
  private var informationalCount = 0

  /// Whether any byte of a response has arrived.
  var hasBegun: Bool { byteCount > 0 }

  mutating func append(_ line: UnsafeRawBufferPointer, limits: TransferLimits) -> Outcome {
    byteCount += line.count
    guard byteCount <= limits.headerBytes else {
      return .failure(
        TransferFailure(
          .headTooLarge, message: "The response's header is longer than \(limits.headerBytes) bytes."))
    }
    // Trailers after the body arrive here too. Nothing uses them, but they count towards the limit.
    if isComplete { return .more }
    if status == 0 {
      return appendStatusLine(line)
    }
    if line.first == 13 || line.first == 10 || line.isEmpty { return end(limits) }
    note(line)
    block.append(contentsOf: line)
    return .more
  }

  /// Parses a line like "HTTP/1.1 200 OK". libcurl has checked its form, and creates such a line for HTTP/2.
  private mutating func appendStatusLine(_ line: UnsafeRawBufferPointer) -> Outcome {
    guard let space = line.firstIndex(of: 32) else { return .failure(Self.notAStatusLine) }
    var code = 0
    var digits = 0
    for byte in line[(space + 1)...].prefix(3) {
      guard byte >= 48, byte <= 57 else { break }
      code = code * 10 + Int(byte - 48)
      digits += 1
    }
    guard digits == 3, code >= 100 else { return .failure(Self.notAStatusLine) }
    status = code
    version = Self.version(line[..<space])
    block.reserveCapacity(512)
    return .more
  }

  private static let notAStatusLine = TransferFailure(
    .badReply, message: "The server's reply does not begin with an HTTP status line.")

  /// Returns the version. The common versions do not allocate a new string for each response.
  private static func version(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    switch (bytes.count, bytes.last) {
    case (8, 49): "HTTP/1.1"
    case (8, 48): "HTTP/1.0"
    case (6, 50): "HTTP/2"
    default: String(decoding: bytes.prefix(16), as: UTF8.self)
    }
  }

  private mutating func note(_ line: UnsafeRawBufferPointer) {
    // The first letter and the line's length rule out most lines without comparing the name.
    switch (line[0] | 0x20, line.count) {
    case (UInt8(ascii: "s"), 11...) where Self.isField(line, "set-cookie"): mentions.insert(.setCookie)
    case (UInt8(ascii: "l"), 9...) where Self.isField(line, "location"): mentions.insert(.location)
    case (UInt8(ascii: "c"), 15...) where Self.isField(line, "content-length"):
      noteLength(Self.number(after: 15, in: line))
    case (UInt8(ascii: "c"), 17...) where Self.isField(line, "content-encoding"):
      noteEncoding(line[17...])
    case (UInt8(ascii: "t"), 18...) where Self.isField(line, "transfer-encoding"):
      isChunked = true
      if !Self.isKnownTransferCoding(line[18...]) { hasUnsupportedTransferCoding = true }
    default: break
    }
  }

  /// Multiple fields are equivalent to one list.
  private mutating func noteEncoding(_ value: Slice<UnsafeRawBufferPointer>) {
    mentions.insert(.contentEncoding)
    let value = String(decoding: value.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    if contentEncoding == nil {
      contentEncoding = value
    } else {
      // Append in place: a head with a hundred thousand such lines must not take quadratic time.
      contentEncoding?.append(",")
      contentEncoding?.append(value)
    }
  }

  /// Detects different lengths: a proxy between us and the server may have used the other one.
  private mutating func noteLength(_ length: Int64?) {
    if hasLength, length != contentLength { hasContradiction = true }
    // A number that does not fit into 64 bits is not a possible length.
    if length == Self.tooLarge { hasContradiction = true }
    hasLength = true
    contentLength = length
  }

  /// Only `chunked` is allowed, because no request has a `TE` field. libcurl would decode other codings without a
  /// limit.
  private static func isKnownTransferCoding(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
    let members = ASCII.listMembers(String(decoding: value.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self))
    return members.allSatisfy {
      ASCII.equalIgnoringCase($0, "chunked") || ASCII.equalIgnoringCase($0, "identity")
    }
  }

  private static let tooLarge = Int64.max

  /// Returns the number after a field's name; nil if it is not a number, which libcurl handles itself.
  private static func number(after start: Int, in line: UnsafeRawBufferPointer) -> Int64? {
    var value: Int64 = 0
    var digits = 0
    for byte in line[start...] {
      switch byte {
      case 48...57:
        guard digits < 18 else { return tooLarge }
        value = value * 10 + Int64(byte - 48)
        digits += 1
      case 32, 9, 13, 10: if digits > 0 { return value }
      default: return nil
      }
    }
    return digits > 0 ? value : nil
  }

  private static func isField(_ line: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
    let length = name.utf8CodeUnitCount
    guard line.count > length, line[length] == UInt8(ascii: ":") else { return false }
    for index in 0..<length where line[index] | 0x20 != name.utf8Start[index] | 0x20 { return false }
    return true
  }

  private mutating func end(_ limits: TransferLimits) -> Outcome {
    guard !hasContradiction else {
      return .failure(
        TransferFailure(.badReply, message: "The response has conflicting or invalid Content-Length fields."))
    }
    guard !hasUnsupportedTransferCoding else {
      return .failure(
        TransferFailure(
          .badReply,
          message: "The response has a transfer coding other than chunked, which the request did not allow."))
    }
    let head = TransferHead(
      status: status, version: version, block: block, mentions: mentions, contentLength: contentLength,
      contentEncoding: contentEncoding)
    guard status < 200, status != 101 else {
      isComplete = true
      block = []
      return .complete(head)
    }
    status = 0
    block.removeAll()
    mentions = []
    contentLength = nil
    contentEncoding = nil
    hasLength = false
    isChunked = false
    informationalCount += 1
    guard informationalCount <= limits.informationalResponses else {
      return .failure(
        TransferFailure(
          .tooManyInformationalResponses,
          message:
            "The server sent more than \(limits.informationalResponses) interim responses and no final one."))
    }
    return .informational(head)
  }
}
