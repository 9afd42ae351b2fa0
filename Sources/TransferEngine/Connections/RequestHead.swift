import HTTPSyntax

/// The path and query of a URL, as they are sent.
struct RequestTarget {
  private let bytes: Substring.UTF8View
  private let needsSlash: Bool

  /// Nil if libcurl would send something else: it decodes and encodes some characters, and removes dot segments.
  init?(_ url: String) {
    var url = url
    guard let length = url.withUTF8({ ServerAddress.prefixLength(of: $0) }) else { return nil }
    let start = url.utf8.index(url.utf8.startIndex, offsetBy: length)
    let end = url.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? url.utf8.endIndex
    bytes = url.utf8[start..<end]
    needsSlash = bytes.first != UInt8(ascii: "/")
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let path = bytes.prefix { $0 != UInt8(ascii: "?") }
    if path.split(separator: UInt8(ascii: "/")).contains(where: Self.mayBeDots) { return nil }
  }

  /// Whether a segment of a path may consist of dots. “%2E” is a dot, too.
  private static func mayBeDots(_ segment: Substring.UTF8View) -> Bool {
    guard segment.first == UInt8(ascii: ".") || segment.first == UInt8(ascii: "%") else { return false }
    return segment.allSatisfy { ".%2eE".utf8.contains($0) }
  }

  func append(to output: inout [UInt8]) {
    if needsSlash { output.append(UInt8(ascii: "/")) }
    output.append(contentsOf: bytes)
  }
}

extension ServerAddress {
  /// Whether the host is a name or a number in its usual form. libcurl knows others, such as “127.1” and “0x7f.1”.
  var isPlain: Bool {
    if SocketAddress(host, port: port) != nil { return true }
    guard !host.isEmpty, !isIPv6Literal else { return false }
    let labels = host.split(separator: ".")
    return labels.last.map { !($0.utf8.first.map(Self.isDigit) ?? false) } ?? false
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  /// The value of the field `Host`.
  var hostField: String {
    let host = isIPv6Literal ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
  }
}

extension TransferRequest {
  /// The fields that the request is sent with, in libcurl's order.
  func fields(for server: ServerAddress, userAgent: String) throws(TransferFailure) -> [TransferHeader] {
    var fields: [TransferHeader] = []
    func has(_ name: String) -> Bool { headers.contains { ASCII.equalIgnoringCase($0.name, name) } }
    if !has("host") { fields.append(TransferHeader("Host", server.hostField)) }
    if !userAgent.isEmpty, !has("user-agent") { fields.append(TransferHeader("User-Agent", userAgent)) }
    if !has("accept") { fields.append(TransferHeader("Accept", "*/*")) }
    fields += headers.filter { !$0.isRemoval }
    let encodings = acceptedEncodings ?? ContentCoding.defaultAcceptEncoding
    if !encodings.isEmpty { fields.append(TransferHeader("Accept-Encoding", encodings)) }
    for field in fields where !(field.name.isOneLine && field.value.isOneLine) {
      throw .brokenField(field.name)
    }
    return fields
  }
}
