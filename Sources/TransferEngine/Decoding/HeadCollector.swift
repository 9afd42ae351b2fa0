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
  /// The values of the fields `Alt-Svc`, joined with commas.
  private(set) var alternativeServices: String?
  private var hasLength = false
  private var hasInvalidLength = false
  private var hasUnsupportedTransferCoding = false
  /// Whether the previous line is a field that decides how the body is read.
  private var isAfterFramingField = false
  private var hasFoldedFramingField = false
  /// Whether the body is sent in chunks.
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
    if line[0] == 32 || line[0] == 9 {
      // libcurl does not join folded lines before it decides how to read the body.
      if isAfterFramingField { hasFoldedFramingField = true }
      return
    }
    isAfterFramingField = false
    // The first letter and the line's length rule out most lines without comparing the name.
    switch (line[0] | 0x20, line.count) {
    case (UInt8(ascii: "s"), 11...) where Self.isField(line, "set-cookie"): mentions.insert(.setCookie)
    case (UInt8(ascii: "l"), 9...) where Self.isField(line, "location"): mentions.insert(.location)
    case (UInt8(ascii: "e"), 5...) where Self.isField(line, "etag") || Self.isField(line, "expires"):
      mentions.insert(.reuse)
    case (UInt8(ascii: "l"), 14...) where Self.isField(line, "last-modified"): mentions.insert(.reuse)
    case (UInt8(ascii: "c"), 14...) where Self.isField(line, "cache-control"): mentions.insert(.reuse)
    case (UInt8(ascii: "c"), 15...) where Self.isField(line, "content-length"):
      isAfterFramingField = true
      noteLength(Self.length(line[15...]))
    case (UInt8(ascii: "c"), 17...) where Self.isField(line, "content-encoding"):
      isAfterFramingField = true
      noteEncoding(line[17...])
    case (UInt8(ascii: "a"), 8...) where Self.isField(line, "alt-svc"):
      Self.join(line[8...], to: &alternativeServices)
    case (UInt8(ascii: "t"), 18...) where Self.isField(line, "transfer-encoding"):
      isAfterFramingField = true
      // A second field, or a second member, would be a coding within the first.
      if isChunked || !Self.isChunkedAlone(line[18...]) { hasUnsupportedTransferCoding = true }
      isChunked = true
    default: break
    }
  }

  private mutating func noteEncoding(_ value: Slice<UnsafeRawBufferPointer>) {
    mentions.insert(.contentEncoding)
    Self.join(value, to: &contentEncoding)
  }

  /// Multiple fields are equivalent to one list.
  private static func join(_ value: Slice<UnsafeRawBufferPointer>, to list: inout String?) {
    let value = String(decoding: value.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    if list == nil {
      list = value
    } else {
      // Append in place: a head with a hundred thousand such lines must not take quadratic time.
      list?.append(",")
      list?.append(value)
    }
  }

  /// Detects invalid and different lengths: a proxy between us and the server may have used another one.
  private mutating func noteLength(_ length: Int64?) {
    if length == nil || hasLength && length != contentLength { hasInvalidLength = true }
    hasLength = true
    contentLength = length
  }

  /// Only `chunked` is allowed, because no request has a `TE` field. libcurl would decode other codings without a
  /// limit. It ignores `Content-Length` for `identity` and for an empty value, and would accept a truncated body.
  private static func isChunkedAlone(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
    let members = ASCII.listMembers(String(decoding: value.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self))
    return members.count == 1 && ASCII.equalIgnoringCase(members[0], "chunked")
  }

  /// Returns the value of a Content-Length field: digits, or a list in which all numbers are the same. Nil if it is not
  /// valid, or does not fit into 64 bits.
  private static func length(_ value: Slice<UnsafeRawBufferPointer>) -> Int64? {
    var known: Int64?
    var number: Int64?
    var isSpaced = false
    func endMember() -> Bool {
      guard let number, known == nil || known == number else { return false }
      known = number
      return true
    }
    for byte in value {
      switch byte {
      case 48...57:
        guard !isSpaced, number ?? 0 < 100_000_000_000_000_000 else { return nil }
        number = (number ?? 0) * 10 + Int64(byte - 48)
      case UInt8(ascii: ","):
        guard endMember() else { return nil }
        (number, isSpaced) = (nil, false)
      case 32, 9: isSpaced = number != nil
      case 13, 10: return endMember() ? known : nil
      default: return nil
      }
    }
    return endMember() ? known : nil
  }

  private static func isField(_ line: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
    let length = name.utf8CodeUnitCount
    guard line.count > length, line[length] == UInt8(ascii: ":") else { return false }
    for index in 0..<length where line[index] | 0x20 != name.utf8Start[index] | 0x20 { return false }
    return true
  }

  private mutating func end(_ limits: TransferLimits) -> Outcome {
    guard !hasFoldedFramingField else {
      return .failure(
        TransferFailure(
          .badReply,
          message:
            "A field that decides how the response is read continues on a second line. This is not allowed."))
    }
    guard !hasInvalidLength else {
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
    alternativeServices = nil
    hasLength = false
    isChunked = false
    isAfterFramingField = false
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
