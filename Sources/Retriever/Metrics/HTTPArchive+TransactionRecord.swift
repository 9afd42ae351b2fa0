#if !canImport(Darwin)
import HTTPSyntax
import Foundation

// Secrets are removed here, when an entry is created, so an entry never contains one.
extension HTTPArchive.Entry {
  init(
    _ record: TransactionRecord, requestBody: Data?, responseBody: Data?, maximumBodyBytes: Int
  ) {
    let timings = HTTPArchive.Timings(record)
    start = record.start
    startedDateTime = record.start.formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
    time = timings.total
    request = HTTPArchive.Request(record, body: requestBody, maximumBodyBytes: maximumBodyBytes)
    response = HTTPArchive.Response(record, body: responseBody, maximumBodyBytes: maximumBodyBytes)
    self.timings = timings
    serverIPAddress = record.remoteAddress
    connection = record.localPort.map { String($0) }
  }

  /// The number of body bytes in the entry.
  var bodyBytes: Int {
    (request.postData?.text.utf8.count ?? 0) + (response.content.text?.utf8.count ?? 0)
  }
}

extension HTTPArchive.Request {
  fileprivate init(_ record: TransactionRecord, body: Data?, maximumBodyBytes: Int) {
    let fields = record.request.headerFields
    let type = fields["Content-Type"]
    method = record.request.httpMethod ?? "GET"
    url = record.request.url.map(Redaction.text(of:)) ?? ""
    httpVersion = HTTPArchive.version(record)
    cookies = fields.values(for: "Cookie").flatMap(HTTPArchive.cookieNames)
    headers = HTTPArchive.fields(fields)
    queryString = HTTPArchive.query(of: url)
    postData = (body ?? record.request.httpBody).flatMap { body in
      guard !body.isEmpty else { return nil }
      let kept = KeptBody(
        body, mimeType: type, coding: fields["Content-Encoding"], maximumBytes: maximumBodyBytes)
      return HTTPArchive.PostData(
        mimeType: type ?? "application/octet-stream", text: kept.text, comment: kept.comment)
    }
    headersSize = record.requestHeaderBytes
    bodySize = record.requestBodyBytes
  }
}

extension HTTPArchive.Response {
  fileprivate init(_ record: TransactionRecord, body: Data?, maximumBodyBytes: Int) {
    let fields = record.response?.headerFields ?? HeaderFields()
    let type = fields["Content-Type"] ?? ""
    status = record.response?.statusCode ?? 0
    statusText = record.response.map { HTTPURLResponse.localizedString(forStatusCode: $0.statusCode) } ?? ""
    httpVersion = HTTPArchive.version(record)
    cookies = fields.values(for: "Set-Cookie").compactMap { HTTPArchive.cookieNames($0).first }
    headers = HTTPArchive.fields(fields)
    let saved = record.decodedResponseBodyBytes - record.responseBodyBytes
    content = HTTPArchive.Content(
      size: record.decodedResponseBodyBytes, compression: saved == 0 ? nil : saved, mimeType: type)
    if let body, !body.isEmpty {
      let kept = KeptBody(body, mimeType: type, maximumBytes: maximumBodyBytes)
      content.text = kept.text
      content.encoding = kept.isBase64 ? "base64" : nil
      content.comment = kept.comment
    }
    redirectURL = fields["Location"].map { Redaction.value($0, ofHeader: "Location") } ?? ""
    headersSize = record.response == nil ? -1 : record.responseHeaderBytes
    bodySize = record.response == nil ? -1 : record.responseBodyBytes
    comment = record.error.map { "\($0.code.rawValue): \($0.localizedDescription)" }
  }
}

extension HTTPArchive {
  fileprivate static func fields(_ fields: HeaderFields) -> [Field] {
    fields.entries.map { Field(name: $0.name, value: Redaction.value($0.value, ofHeader: $0.name)) }
  }

  /// The names in `Cookie` or `Set-Cookie`. Values are secret, and attributes are not recorded.
  fileprivate static func cookieNames(_ value: String) -> [Field] {
    value.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
      guard !ASCII.trimmed(Substring(pair)).isEmpty else { return nil }
      // Without an equals sign, the text is the value of a cookie without a name.
      let name = pair.firstIndex(of: UInt8(ascii: "=")).map { ASCII.trimmed(Substring(pair[..<$0])) } ?? ""
      return Field(name: String(name), value: Redaction.replacement)
    }
  }

  /// The query items in a redacted URL.
  fileprivate static func query(of url: String) -> [Field] {
    guard let questionMark = url.firstIndex(of: "?") else { return [] }
    return url[url.index(after: questionMark)...].split(separator: "&").map { item in
      let name = item.prefix { $0 != "=" }
      return Field(
        name: Redaction.decoded(name), value: Redaction.decoded(item.dropFirst(name.count + 1)))
    }
  }

  fileprivate static func version(_ record: TransactionRecord) -> String {
    switch record.networkProtocolName {
    case "h2", "h2c": "HTTP/2"
    case "h3": "HTTP/3"
    case let name?: ASCII.uppercased(name)
    case nil: "HTTP/1.1"
    }
  }
}

extension HTTPArchive.Timings {
  fileprivate init(_ record: TransactionRecord) {
    func milliseconds(_ start: Double?, _ end: Double?) -> Double? {
      guard let start, let end else { return nil }
      return max(0, (end - start) * 1000)
    }
    let firstStep = record.nameLookupStart ?? record.connectStart ?? record.requestStart
    blocked = milliseconds(0, firstStep) ?? -1
    dns = milliseconds(record.nameLookupStart, record.nameLookupEnd) ?? -1
    connect = milliseconds(record.connectStart, record.connectEnd) ?? -1
    ssl = milliseconds(record.tlsStart, record.tlsEnd) ?? -1
    send = milliseconds(record.requestStart, record.requestEnd) ?? 0
    wait = milliseconds(record.requestEnd ?? record.requestStart, record.responseStart) ?? 0
    receive = milliseconds(record.responseStart, record.responseEnd) ?? 0
  }

  /// The sum of all phases, as the specification requires. The TLS handshake is part of connecting.
  fileprivate var total: Double {
    [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max(0, $1) }
  }
}

/// The part of a body that is recorded, without secrets.
private struct KeptBody {
  let text: String
  let isBase64: Bool
  let comment: String?

  init(_ body: Data, mimeType: String?, coding: String? = nil, maximumBytes: Int) {
    let isCut = body.count > maximumBytes
    let kept = Redaction.body(Data(body.prefix(maximumBytes)), mimeType: mimeType, coding: coding)
    if let decodedText = Self.utf8(kept, mayBeCut: isCut) {
      text = decodedText
      isBase64 = false
    } else {
      text = kept.base64EncodedString()
      isBase64 = true
    }
    var remarks: [String] = []
    if isCut { remarks.append("the first \(maximumBytes) of \(body.count) bytes") }
    if isBase64 { remarks.append("base64") }
    comment = remarks.isEmpty ? nil : remarks.joined(separator: ", ")
  }

  /// Returns the bytes as text if they are valid. Truncation may have split the last character.
  private static func utf8(_ bytes: Data, mayBeCut: Bool) -> String? {
    for dropped in 0...(mayBeCut ? min(3, bytes.count) : 0) {
      if let text = String(validating: bytes.dropLast(dropped), as: UTF8.self) { return text }
    }
    return nil
  }
}
#endif
