#if !canImport(Darwin)
import HTTPSyntax

/// The spelling of well-known response field names in `HTTPURLResponse.allHeaderFields`.
///
/// HTTP/2 and HTTP/3 send names in lower case. As on Apple's platforms, each word of a well-known name is
/// capitalised. A program therefore finds `Content-Type` and `Etag` with any protocol and any server. Other names
/// stay as they were sent.
enum HeaderSpelling {
  static func canonical(_ name: String) -> String {
    wellKnown[ASCII.lowercased(name)] ?? name
  }

  private static let wellKnown: [String: String] = {
    let names = [
      "accept-ch", "accept-encoding", "accept-patch", "accept-post", "accept-ranges",
      "access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods",
      "access-control-allow-origin", "access-control-expose-headers", "access-control-max-age", "age",
      "allow",
      "alt-svc", "cache-control", "connection", "content-disposition", "content-encoding",
      "content-language",
      "content-length", "content-location", "content-md5", "content-range", "content-security-policy",
      "content-type", "date", "etag", "expires", "keep-alive", "last-modified", "link", "location",
      "pragma",
      "proxy-authenticate", "refresh", "referrer-policy", "retry-after", "server", "set-cookie",
      "strict-transport-security", "trailer", "transfer-encoding", "upgrade", "vary", "via", "warning",
      "www-authenticate",
    ]
    return Dictionary(uniqueKeysWithValues: names.map { ($0, capitalised($0)) })
  }()

  private static func capitalised(_ name: String) -> String {
    var atWordStart = true
    let bytes = name.utf8.map { byte in
      defer { atWordStart = byte == UInt8(ascii: "-") }
      return atWordStart ? ASCII.uppercased(byte) : byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif
