import TestSupport
import Testing

@testable import TransferEngine

@Suite struct ServerAddressTests {
  private func address(_ url: String) -> ServerAddress? {
    var url = url
    return url.withUTF8 { bytes in
      guard let length = ServerAddress.prefixLength(of: bytes) else { return nil }
      return ServerAddress(prefix: UnsafeBufferPointer(rebasing: bytes[..<length]))
    }
  }

  @Test(
    arguments: [
      ("http://example.com", false, "example.com", 80),
      ("https://example.com", true, "example.com", 443),
      ("HTTPS://Example.COM/Path", true, "example.com", 443),
      ("http://example.com:8080/a:b", false, "example.com", 8080),
      ("http://example.com:?q", false, "example.com", 80),
      ("http://example.com#part", false, "example.com", 80),
      ("https://a_b-c.example.:00443/", true, "a_b-c.example.", 443),
      ("http://127.0.0.1:1", false, "127.0.0.1", 1),
      ("http://[::1]", false, "::1", 80),
      ("https://[2001:DB8::1]:8443/x", true, "2001:db8::1", 8443),
      ("http://localhost:65535", false, "localhost", 65535),
    ] as [(String, Bool, String, UInt16)])
  func `scheme, host and port are taken out of a URL`(url: String, isSecure: Bool, host: String, port: UInt16)
  {
    let address = address(url)
    #expect(address?.isSecure == isSecure)
    #expect(address?.host == host)
    #expect(address?.port == port)
    #expect(address?.isIPv6Literal == url.contains("["))
  }

  @Test(arguments: [
    "", "http", "http:", "http:/", "http:/example.com", "http://", "http://:80", "http:///path",
    "://example.com",
    "ftp://example.com", "http://user@example.com", "http://user:secret@example.com",
    "http://user:80@example.com",
    "http://[::1", "http://[]", "http://[::1]x", "http://[::1]@example.com", "http://[::1]:80@example.com",
    "http://example.com:65536", "http://example.com:-1", "http://example.com:-0", "http://example.com:+80",
    "http://example.com:8 0", "http://example.com:80:80", "http://ex%61mple.com", "http://exämple.com",
    "http://example.com\\", "http://example .com", "http://example.com\0.org", "\u{FEFF}http://example.com",
  ])
  func `unusual URLs are left to libcurl`(url: String) {
    #expect(address(url) == nil)
  }

  @Test(arguments: [
    "", ":", "a:", "http:", "http:/", "http://", "http:ab", "http:abexample.com", "http:/xexample.com",
  ])
  func `an invalid prefix returns nil`(text: String) {
    var text = text
    text.withUTF8 { #expect(ServerAddress(prefix: $0) == nil) }
  }

  @Test(arguments: [
    ("localhost", true), ("a.localhost", true), ("127.0.0.1", true), ("192.0.2.255", true),
    ("notlocalhost", false), ("localhost.example", false), ("256.0.0.1", false), ("1.2.3", false),
    ("", false),
    ("example.com", false),
  ])
  func `numbers and this machine need no look-up`(host: String, needsNone: Bool) {
    #expect(ServerAddress.needsNoLookup(host) == needsNone)
    #expect(ServerAddress(isSecure: false, host: host, port: 80).needsNoLookup == needsNone)
  }

  @Test func `an IPv6 address needs no look-up`() {
    #expect(address("http://[2001:db8::1]/")?.needsNoLookup == true)
  }

  // MARK: Host and port

  @Test(
    arguments: [
      ("host", "host", nil), ("host:", "host", nil), ("Host:0", "host", 0), ("host:65535", "host", 65535),
      ("[::1]", "::1", nil), ("[::1]:", "::1", nil), ("[::1]:9", "::1", 9),
      ("[FE80::1%25eth0]", "fe80::1%25eth0", nil),
    ] as [(String, String, UInt16?)])
  func `a host may be followed by a port`(text: String, host: String, port: UInt16?) {
    let place = HostAndPort(text)
    #expect(place?.host == host)
    #expect(place?.port == port)
    #expect(place?.isIPv6Literal == text.hasPrefix("["))
  }

  @Test(arguments: [
    "", ":", ":80", "[", "]", "[]", "[]:80", "[::1", "::1", "a:b", "a:1:2", "a b", "a/b", "a:٣", "a:-0",
  ])
  func `other texts are not a valid host and port`(text: String) { #expect(HostAndPort(text) == nil) }

  // MARK: Model

  /// Two hundred thousand texts of random bytes, most of them bytes that the parser treats specially.
  @Test(arguments: 0..<20) func `random bytes never trap, and what is parsed is inside the text`(seed: UInt64)
  {
    var random = SeededRandom(seed)
    let beginnings: [[UInt8]] = [[], Array("http://".utf8), Array("https://[".utf8), Array("HTTP:".utf8)]
    let alphabet = Array("::::[]//@?#%.a1-\0é".utf8)
    var bytes: [UInt8] = []
    for step in 0..<10_000 {
      var draw = random.next()
      bytes = beginnings[Int(draw & 3)]
      let count = Int((draw >> 2) & 7)
      draw >>= 5
      for _ in 0..<count {
        let byte = UInt8(truncatingIfNeeded: draw)
        bytes.append(byte & 0xC0 == 0 ? byte : alphabet[Int(byte) % alphabet.count])
        draw >>= 7
      }
      let isInside = bytes.withUnsafeBufferPointer { bytes -> Bool in
        _ = ServerAddress(prefix: bytes)
        guard let length = ServerAddress.prefixLength(of: bytes) else { return true }
        guard length <= bytes.count else { return false }
        let address = ServerAddress(prefix: UnsafeBufferPointer(rebasing: bytes[..<length]))
        return address.map { !$0.host.isEmpty && $0.host.utf8.count < length } ?? true
      }
      guard isInside else {
        Issue.record("Seed \(seed), step \(step): \(bytes)")
        return
      }
    }
  }
}
