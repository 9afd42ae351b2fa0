// The entry point for libFuzzer. scripts/fuzz builds this file with the parsers of what servers and proxies send.
import Foundation

/// The parts of a request that the rules of the cache name.
package struct URLRequest: Sendable {
  package enum CachePolicy: Sendable {
    case useProtocolCachePolicy, reloadIgnoringLocalCacheData, reloadIgnoringLocalAndRemoteCacheData
    case returnCacheDataElseLoad, returnCacheDataDontLoad, reloadRevalidatingCacheData
  }
  package var url: URL?
  package var httpMethod: String?
}

private let now = Date(timeIntervalSince1970: 1_800_000_000)
private let origin = URL(string: "https://www.example.com/a/b?c")!

// Each target has one kind of input, so that libFuzzer's mutations stay within it.
private let readInput: @Sendable (UnsafeRawBufferPointer) -> Void =
  switch ProcessInfo.processInfo.environment["FUZZ_CODEC"] ?? "" {
  case "cookies": readCookies
  case "cache-control": readCacheControl
  case "ranges": readRanges
  case "parts": readParts
  case "dates": readDates
  case "replies": readReply
  case "responses": readResponse
  case let name: fatalError("FUZZ_CODEC is \(name)")
  }

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  readInput(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}

private func hasLineEnd(_ text: some StringProtocol) -> Bool {
  text.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }
}

/// Each line is a `Set-Cookie` field. What is sent must be one field of a bounded size.
@Sendable private func readCookies(_ input: UnsafeRawBufferPointer) {
  let limits = CookieJar.Limits(total: 20, perSite: 10, share: 5, bytesPerCookie: 4096)
  var jar = CookieJar(limits: limits)
  let secure = origin
  let plain = URL(string: "http://example.com/a")!
  for (index, line) in String(decoding: input, as: UTF8.self).split(separator: "\n").enumerated() {
    let url = index.isMultiple(of: 2) ? secure : plain
    for cookie in HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": String(line)], for: url) {
      try? jar.insert(cookie, from: url, now: now)
    }
    precondition(jar.count <= limits.total, "the jar has too many cookies")
  }
  for url in [secure, plain] {
    let sent = jar.cookies(for: url, mainDocumentURL: nil, now: now)
    precondition(
      sent.allSatisfy { $0.fields.expiresDate.map { $0 > now } ?? true }, "an expired cookie is sent")
    precondition(url == secure || !sent.contains { $0.isSecure }, "a secure cookie is sent without TLS")
    precondition(!hasLineEnd(HTTPCookie.fieldValue(sending: sent)), "the field contains a line end")
  }
}

/// The first line has the header fields of a request in one line; the others are fields of the response.
@Sendable private func readCacheControl(_ input: UnsafeRawBufferPointer) {
  let text = String(decoding: input, as: UTF8.self)
  let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
  var request = HeaderFields()
  request["Cache-Control"] = String(lines[0])
  let response = HeaderFields.parse(headerBlock: Array((lines.count > 1 ? lines[1] : "").utf8))
  let key = CacheKey(sentURL: origin.absoluteString)
  let exchange = StoreRule.Exchange(
    key: key, url: origin, requestFields: request, requestTime: now, responseFields: response)
  guard case .store(let head) = StoreRule.decide(exchange, now: now) else { return }
  for later in [-1e9, 0, 1, 1e6, 1e12] {
    let moment = now.addingTimeInterval(later)
    let freshness = head.freshness(now: moment)
    let numbers = [freshness.age, freshness.lifetime, freshness.staleWhileRevalidate, freshness.staleIfError]
    precondition(numbers.allSatisfy { $0.isFinite && $0 >= 0 }, "a time is not a number of seconds")
    let decision = CacheRule.decide(CacheRule.Request(fields: request), entries: [head], now: moment)
    if case .validate(_, let fields) = decision {
      precondition(!fields.contains { hasLineEnd($0.value) }, "a field contains a line end")
    }
    if CacheControl(response).contains("no-store") {
      preconditionFailure("a response with no-store is stored")
    }
    _ = CacheRule.mayServeStale(head, to: CacheRule.Request(fields: request), afterStatus: nil, now: moment)
  }
}

/// The first byte is the length of a stored body, the second half of the input a `Range`, the rest response fields.
@Sendable private func readRanges(_ input: UnsafeRawBufferPointer) {
  let length = Int(input.first ?? 0) * 37
  let parts = String(decoding: input.dropFirst(), as: UTF8.self).split(
    separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
  var request = HeaderFields()
  request["Range"] = String(parts[0])
  let response = HeaderFields.parse(headerBlock: Array((parts.count > 1 ? parts[1] : "").utf8))
  let head = StoredHead(
    key: CacheKey(sentURL: origin.absoluteString), url: origin,
    kind: .http(status: 200, version: "HTTP/1.1", isFromNetwork: true), fields: response, requestTime: now,
    responseTime: now)
  guard ByteRangeRule.canServe(head, to: request) else { return }
  let range = ByteRangeRule.range(request, length: length)
  if let range {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= length && !range.isEmpty, "the range is outside")
  }
  let part = ByteRangeRule.head(of: head, range: range, length: length)
  precondition(part.status == (range == nil ? 416 : 206) || part.status == 200, "the status is wrong")
}

/// Paragraphs are the fields of responses with status 206, all for the same URL. What is stored must always be bytes at
/// their places in the complete body.
@Sendable private func readParts(_ input: UnsafeRawBufferPointer) {
  let limit = 64 << 10
  var stored: StoredEntry?
  for block in String(decoding: input, as: UTF8.self).components(separatedBy: "\n\n").prefix(32) {
    let fields = HeaderFields.parse(headerBlock: Array(block.utf8))
    let head = StoredHead(
      key: CacheKey(sentURL: origin.absoluteString), url: origin,
      kind: .http(status: 200, version: "HTTP/1.1", isFromNetwork: true), fields: fields, requestTime: now,
      responseTime: now)
    guard let range = BodyPart(fields) else { continue }
    if let stored,
      case .rest(let complete) = PartialRule.completion(
        of: stored.head, status: 206, fields: fields, contentLength: Int64(range.range.count),
        requestTime: now,
        now: now)
    {
      precondition(complete.extent == nil, "a complete response has gaps")
    }
    guard range.range.count <= limit * 2, let part = PartialRule.head(head, part: range) else { continue }
    let body = Data(range.range.map { byte(at: $0) })
    guard
      let next = PartialRule.combine(
        stored, with: StoredEntry(head: part, body: body), limit: limit, now: now)
    else { continue }
    precondition(next.body.count <= limit, "more is stored than the limit")
    if let extent = next.head.extent {
      precondition(extent.ranges.count <= StoredExtent.maximumRanges, "there are too many ranges")
      precondition(
        next.body.elementsEqual(extent.ranges.joined().lazy.map(byte)), "the bytes are not at their places")
    } else {
      precondition(
        next.body.elementsEqual((0..<Int64(next.body.count)).lazy.map(byte)), "the body is not complete")
    }
    stored = next
  }
}

/// The byte at a place of the body of which ``readParts(_:)`` stores parts.
private func byte(at position: Int64) -> UInt8 { UInt8(position % 251) }

/// Each line is a date of a cookie or of a field.
@Sendable private func readDates(_ input: UnsafeRawBufferPointer) {
  for line in String(decoding: input, as: UTF8.self).split(separator: "\n") {
    if let date = CookieDate.parse(String(line)) {
      precondition(date.timeIntervalSince1970.isFinite, "the date is not a number")
    }
    _ = HTTPDateFormat.seconds(line)
    if let expiry = CookieDate.expiry(maximumAge: String(line), now: now) {
      precondition(expiry.timeIntervalSince1970.isFinite, "the expiry is not a number")
    }
  }
}

/// Lines of a response of a server or a proxy, and what it offers for authentication.
@Sendable private func readReply(_ input: UnsafeRawBufferPointer) {
  var limits = TransferLimits()
  limits.headerBytes = 4096
  var collector = HeadCollector()
  var start = input.startIndex
  while start < input.endIndex {
    let end = input[start...].firstIndex(of: 10).map { $0 + 1 } ?? input.endIndex
    let line = UnsafeRawBufferPointer(rebasing: input[start..<end])
    start = end
    switch collector.append(line, limits: limits) {
    case .more, .informational: continue
    case .failure: return
    case .complete(let head):
      let fields = HeaderFields.parse(headerBlock: head.block)
      precondition(!fields.entries.contains { hasLineEnd($0.name) }, "a name contains a line end")
      let offers = AuthenticateOffer.parse(fields.values(for: "Proxy-Authenticate"))
      precondition(offers.count <= AuthenticateOffer.maximumOffers, "there are too many offers")
      let name = SuggestedFilename.name(
        contentDisposition: fields["Content-Disposition"], url: origin, mimeType: fields["Content-Type"])
      precondition(!name.isEmpty && !name.contains("/") && !hasLineEnd(name), "the name is not a file name")
      return
    }
  }
}

/// The first byte decides how the response is cut, and whether it may have a body. What is read must not depend on the
/// cuts.
@Sendable private func readResponse(_ input: UnsafeRawBufferPointer) {
  guard let first = input.first else { return }
  let response = UnsafeRawBufferPointer(rebasing: input.dropFirst())
  let isForHead = first & 1 == 1
  var (inOne, inPieces) = (ResponseRecord(), ResponseRecord())
  _ = inOne.read(response, isForHead: isForHead)
  var start = 0
  var seed = UInt32(first)
  while start < response.count {
    seed = seed &* 1_664_525 &+ 1_013_904_223
    let end = min(response.count, start + (first < 4 ? 1 : 1 + Int(seed >> 24) % 40))
    guard inPieces.read(UnsafeRawBufferPointer(rebasing: response[start..<end]), isForHead: isForHead) else {
      break
    }
    start = end
  }
  precondition(inOne.heads == inPieces.heads, "the heads depend on the cuts")
  precondition(inOne.body == inPieces.body, "the body depends on the cuts")
  precondition(inOne.failure == inPieces.failure, "the failure depends on the cuts")
  precondition(inOne.isComplete == inPieces.isComplete, "the end depends on the cuts")
  precondition(
    inOne.failure != nil || inOne.taken == inPieces.taken, "the length of the response depends on the cuts")
}

/// What was read of one response.
private struct ResponseRecord {
  private var reader = ResponseReader()
  private var collector = HeadCollector()
  private static let limits: TransferLimits = {
    var limits = TransferLimits()
    limits.headerBytes = 2048
    return limits
  }()
  private(set) var heads: [[UInt8]] = []
  private(set) var body: [UInt8] = []
  private(set) var failure: TransferFailure?
  private(set) var isComplete = false
  /// The number of bytes that belong to the response.
  private(set) var taken = 0

  init() { reader.reset(maximumTrailerBytes: Self.limits.headerBytes) }

  /// False if nothing more can follow.
  mutating func read(_ bytes: UnsafeRawBufferPointer, isForHead: Bool) -> Bool {
    var rest = bytes
    while failure == nil {
      switch reader.next(from: &rest) {
      case .needsMore:
        precondition(rest.isEmpty, "bytes are left, although more are needed")
        taken += bytes.count
        return true
      case .headLine(let line): take(line, isForHead: isForHead)
      case .joinedHeadLine(let line): line.withUnsafeBytes { take($0, isForHead: isForHead) }
      case .piece(let piece):
        precondition(!piece.isEmpty, "a piece is empty")
        body += piece
        reader.took(piece.count, from: &rest)
      case .end:
        taken += bytes.count - rest.count
        isComplete = true
        return false
      case .failure(let reported): failure = reported
      }
    }
    return false
  }

  private mutating func take(_ line: UnsafeRawBufferPointer, isForHead: Bool) {
    switch collector.append(line, limits: Self.limits) {
    case .more: break
    case .failure(let reported): failure = reported
    case .informational(let head):
      heads.append(head.block)
      reader.reset(maximumTrailerBytes: Self.limits.headerBytes)
    case .complete(let head):
      heads.append(head.block)
      reader.endHead(
        version: head.version, hasNoBody: isForHead || head.status == 204 || head.status == 304,
        isChunked: collector.isChunked, length: head.contentLength)
    }
  }
}
