import COwnTransport
import HTTPSyntax

/// The fields of a request over HTTP/2, as one block of text.
struct HTTP2FieldBlock {
  /// nghttp2 sends no longer header blocks (NGHTTP2_MAX_HEADERSLEN).
  private static let maximumBytes = 60 << 10

  private var text: [UInt8] = []
  private var places: [(name: Range<Int>, value: Range<Int>)] = []

  init(
    _ request: TransferRequest, _ target: RequestTarget, _ server: ServerAddress, userAgent: String
  ) throws(TransferFailure) {
    text.reserveCapacity(512)
    let fields = try request.fields(for: server, userAgent: userAgent)
    var path: [UInt8] = []
    target.append(to: &path)
    add(":method".utf8, request.method.utf8)
    add(":scheme".utf8, (server.isSecure ? "https" : "http").utf8)
    let authority = fields.first { ASCII.equalIgnoringCase($0.name, "Host") }?.value ?? ""
    add(":authority".utf8, authority.utf8)
    add(":path".utf8, path)
    for field in fields where !Self.isForbidden(field.name) {
      add(ASCII.lowercased(field.name).utf8, field.value.utf8)
    }
    if Self.wantsTrailers(fields) { add("te".utf8, "trailers".utf8) }
    switch request.body {
    case .none: break
    case .bytes(let bytes): add("content-length".utf8, String(bytes.count).utf8)
    case .source(let source):
      if let length = source.length { add("content-length".utf8, String(length).utf8) }
    }
    guard byteCount <= Self.maximumBytes else {
      throw TransferFailure(
        .other,
        message:
          "The request's fields are longer than \(Self.maximumBytes) bytes, which HTTP/2 does not allow here."
      )
    }
  }

  var byteCount: Int { text.count }

  private mutating func add(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
    let start = text.count
    text.append(contentsOf: name)
    let middle = text.count
    text.append(contentsOf: value)
    places.append((start..<middle, middle..<text.count))
  }

  /// Fields of one connection have no meaning in HTTP/2.
  private static func isForbidden(_ name: String) -> Bool {
    ["host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te", "expect"]
      .contains { ASCII.equalIgnoringCase(name, $0) }
  }

  /// The only value of `TE` that HTTP/2 has.
  private static func wantsTrailers(_ fields: [TransferHeader]) -> Bool {
    fields.contains { field in
      ASCII.equalIgnoringCase(field.name, "te")
        && ASCII.listMembers(field.value).contains { ASCII.equalIgnoringCase($0, "trailers") }
    }
  }

  func withFields<Result>(_ body: (UnsafeBufferPointer<own_http2_field>) -> Result) -> Result {
    text.withUnsafeBufferPointer { text in
      withUnsafeTemporaryAllocation(of: own_http2_field.self, capacity: places.count) { list in
        for (index, place) in places.enumerated() {
          list[index] = own_http2_field(
            name: text.baseAddress.map { $0 + place.name.lowerBound },
            value: text.baseAddress.map { $0 + place.value.lowerBound },
            name_length: place.name.count, value_length: place.value.count, flags: 0)
        }
        return body(UnsafeBufferPointer(list))
      }
    }
  }
}
