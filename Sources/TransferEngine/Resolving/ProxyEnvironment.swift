import Glibc
import HTTPSyntax

/// The proxies in environment variables, interpreted as in curl.
struct ProxyEnvironment: Sendable {
  private var http: String?
  private var https: String?
  private var exceptions: [ProxyException] = []
  private var exceptsAll = false

  /// No proxies.
  init() {}

  /// Reads the environment variables of the process.
  static func ofProcess() -> ProxyEnvironment {
    ProxyEnvironment { name in
      guard let value = getenv(name), value.pointee != 0 else { return nil }
      return String(cString: value)
    }
  }

  init(_ variable: (String) -> String?) {
    let all = variable("all_proxy") ?? variable("ALL_PROXY")
    // HTTP_PROXY is not used: a CGI program gets it from a request's Proxy field.
    http = variable("http_proxy") ?? all
    https = variable("https_proxy") ?? variable("HTTPS_PROXY") ?? all
    guard http != nil || https != nil else { return }
    let listed = variable("no_proxy") ?? variable("NO_PROXY") ?? ""
    // An asterisk inside a list has no meaning.
    exceptsAll = listed == "*"
    for word in listed.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
      if let exception = ProxyException(String(word)) { exceptions.append(exception) }
    }
  }

  var isEmpty: Bool { (http == nil && https == nil) || exceptsAll }

  /// Returns the proxy to use for a server; nil for none. From a proxy elsewhere, this machine's names mean another
  /// machine.
  func proxy(for server: ServerAddress) -> String? {
    guard !exceptsAll, let proxy = server.isSecure ? https : http else { return nil }
    if server.host == "localhost" || server.host == "127.0.0.1" || server.host == "::1" { return nil }
    if exceptions.contains(where: { $0.covers(server) }) { return nil }
    return proxy
  }
}

/// An entry of `no_proxy`: a domain, host, address or address range, with an optional port.
struct ProxyException: Sendable {
  private let place: HostAndPort?
  private let range: (bytes: [UInt8], bits: Int)?

  init?(_ word: String) {
    if let slash = word.firstIndex(of: "/") {
      guard let bytes = Self.bytes(of: String(word[..<slash])),
        let bits = Int(word[word.index(after: slash)...]),
        0...bytes.count * 8 ~= bits
      else { return nil }
      range = (bytes, bits)
      place = nil
    } else if let bytes = Self.bytes(of: word) {
      range = (bytes, bytes.count * 8)
      place = nil
    } else {
      guard var place = HostAndPort(word) else { return nil }
      while place.host.hasPrefix(".") { place.host.removeFirst() }
      if place.host.hasSuffix(".") { place.host.removeLast() }
      guard !place.host.isEmpty else { return nil }
      self.place = place
      range = nil
    }
  }

  /// Whether it is an address or a range of addresses.
  var isRange: Bool { range != nil }

  func covers(_ server: ServerAddress) -> Bool {
    if let range {
      guard let bytes = Self.bytes(of: server.host), bytes.count == range.bytes.count else { return false }
      return Self.matches(bytes, range.bytes, prefixBits: range.bits)
    }
    guard let place else { return false }
    if let port = place.port, port != server.port { return false }
    var host = server.host
    if host.hasSuffix(".") { host.removeLast() }
    // A domain does not match the end of an address: "2.1" does not match 192.0.2.1.
    return host == place.host || (host.hasSuffix("." + place.host) && Self.bytes(of: host) == nil)
  }

  private static func matches(_ left: [UInt8], _ right: [UInt8], prefixBits: Int) -> Bool {
    for index in left.indices {
      let counted = min(8, max(0, prefixBits - 8 * index))
      let mask = counted == 0 ? 0 : UInt8(truncatingIfNeeded: 0xff << (8 - counted))
      if left[index] & mask != right[index] & mask { return false }
    }
    return true
  }

  /// Returns the bytes of an address; nil if the text is a name.
  private static func bytes(of text: String) -> [UInt8]? {
    var text = text
    if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
    return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
  }
}
