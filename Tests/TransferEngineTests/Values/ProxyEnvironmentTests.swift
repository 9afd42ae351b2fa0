import TestSupport
import Testing

@testable import TransferEngine

@Suite struct ProxyEnvironmentTests {
  private func proxies(_ variables: [String: String]) -> ProxyEnvironment {
    ProxyEnvironment { variables[$0] }
  }

  private func server(_ host: String, port: UInt16 = 80, isSecure: Bool = false) -> ServerAddress {
    ServerAddress(isSecure: isSecure, host: host, port: port)
  }

  // MARK: Choice of a proxy

  @Test func `without variables there is no proxy`() {
    #expect(ProxyEnvironment().isEmpty)
    #expect(proxies([:]).isEmpty)
    #expect(proxies(["no_proxy": "*"]).isEmpty)
    #expect(proxies([:]).proxy(for: server("a.test")) == nil)
  }

  @Test(
    arguments: [
      (["http_proxy": "p:1"], "p:1", nil),
      (["https_proxy": "p:1"], nil, "p:1"),
      (["HTTPS_PROXY": "p:1"], nil, "p:1"),
      (["http_proxy": "p:1", "https_proxy": "p:2"], "p:1", "p:2"),
      (["https_proxy": "p:1", "HTTPS_PROXY": "p:2"], nil, "p:1"),
      (["all_proxy": "p:1"], "p:1", "p:1"),
      (["ALL_PROXY": "p:1"], "p:1", "p:1"),
      (["all_proxy": "p:1", "ALL_PROXY": "p:2"], "p:1", "p:1"),
      (["all_proxy": "p:1", "http_proxy": "p:2"], "p:2", "p:1"),
      (["all_proxy": "p:1", "HTTPS_PROXY": "p:2"], "p:1", "p:2"),
    ] as [([String: String], String?, String?)])
  func `the variable for the scheme has precedence over all_proxy`(
    variables: [String: String], http: String?, https: String?
  ) {
    let proxies = proxies(variables)
    #expect(proxies.proxy(for: server("a.test")) == http)
    #expect(proxies.proxy(for: server("a.test", port: 443, isSecure: true)) == https)
    #expect(!proxies.isEmpty)
  }

  @Test func `http_proxy in upper case is ignored, as a request to a CGI program sets it`() {
    #expect(proxies(["HTTP_PROXY": "evil:1"]).isEmpty)
    #expect(proxies(["HTTP_PROXY": "evil:1", "https_proxy": "p:1"]).proxy(for: server("a.test")) == nil)
  }

  @Test(arguments: ["localhost", "127.0.0.1", "::1"])
  func `this machine is reached directly`(host: String) {
    #expect(proxies(["all_proxy": "p:1"]).proxy(for: server(host)) == nil)
  }

  // MARK: Exceptions

  /// The value of no_proxy, a host, and whether the connection to it is direct.
  @Test(arguments: [
    ("example.com", "example.com", true), ("example.com", "www.example.com", true),
    ("example.com", "a.b.example.com", true), ("example.com", "notexample.com", false),
    ("example.com", "example.com.evil.test", false), ("www.example.com", "example.com", false),
    (".example.com", "example.com", true), (".example.com", "www.example.com", true),
    (".example.com", "notexample.com", false), ("example.com.", "example.com", true),
    ("example.com", "example.com.", true), ("EXAMPLE.com", "www.example.com", true),
    ("com", "example.com", true),
    ("a.test,example.com", "example.com", true), ("a.test, example.com", "example.com", true),
    ("a.test example.com", "example.com", true), (",, ,example.com,", "example.com", true),
    ("a.test,b.test", "example.com", false),
    ("*", "example.com", true), ("*", "192.0.2.1", true), ("*,a.test", "example.com", false),
    ("a.test,*", "example.com", false), ("*.example.com", "www.example.com", false),
    ("", "example.com", false), (",", "example.com", false), (".", "example.com", false),
    ("..", "example.com", false),
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.10", false), ("192.0.2.1", "a.192.0.2.1", false),
    ("2.1", "192.0.2.1", false), (".0.2.1", "192.0.2.1", false), ("1", "192.0.2.1", false),
    ("192.168.0.0/16", "192.168.7.9", true), ("192.168.0.0/16", "192.169.0.1", false),
    ("192.168.1.2/16", "192.168.7.9", true), ("192.0.2.0/25", "192.0.2.127", true),
    ("192.0.2.0/25", "192.0.2.128", false), ("192.0.2.4/31", "192.0.2.5", true),
    ("192.0.2.4/31", "192.0.2.6", false),
    ("192.0.2.4/32", "192.0.2.4", true), ("192.0.2.4/32", "192.0.2.5", false),
    ("192.0.2.0/33", "192.0.2.0", false),
    ("192.0.2.0/-1", "192.0.2.0", false), ("192.0.2.0/", "192.0.2.0", false),
    ("192.0.2.0/x", "192.0.2.0", false),
    ("192.0.2.0/8/8", "192.0.2.0", false), ("example.com/8", "example.com", false),
    ("/8", "192.0.2.0", false),
    ("2001:db8::1", "2001:db8::1", true), ("2001:db8::1", "2001:db8:0:0::1", true),
    ("[2001:db8::1]", "2001:db8::1", true),
    ("2001:db8::1", "2001:db8::2", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
    ("2001:db8::/32", "2001:db9::1", false), ("2001:db8::/33", "2001:db8:8000::", false),
    ("[2001:db8::]/32", "2001:db8::9", true), ("2001:db8::/129", "2001:db8::", false),
    ("192.0.2.0/24", "2001:db8::1", false), ("::/0", "192.0.2.1", false),
    ("192.168.0.0/16", "www.example.com", false),
  ])
  func `no_proxy names the hosts that are reached directly`(list: String, host: String, isDirect: Bool) {
    let proxies = proxies(["all_proxy": "p:1", "no_proxy": list])
    #expect((proxies.proxy(for: server(host)) == nil) == isDirect)
    #expect((proxies.proxy(for: server(host, port: 8443, isSecure: true)) == nil) == isDirect)
    #expect(proxies.isEmpty == (list == "*"))
  }

  @Test(
    arguments: [
      ("example.com:8080", "www.example.com", 8080, true), ("example.com:8080", "example.com", 80, false),
      ("192.0.2.1:80", "192.0.2.1", 80, true), ("192.0.2.1:80", "192.0.2.1", 81, false),
      ("2.1:80", "192.0.2.1", 80, false), ("[2001:db8::1]:80", "2001:db8::1", 80, true),
      ("[2001:db8::1]:80", "2001:db8::1", 81, false), ("example.com:", "example.com", 80, true),
      ("example.com:x", "example.com", 80, false),
    ] as [(String, String, UInt16, Bool)])
  func `an exception with a port is for that port`(list: String, host: String, port: UInt16, isDirect: Bool) {
    let proxies = proxies(["all_proxy": "p:1", "no_proxy": list])
    #expect((proxies.proxy(for: server(host, port: port)) == nil) == isDirect)
  }

  @Test func `NO_PROXY is used if no_proxy is not set`() {
    let upper = proxies(["all_proxy": "p:1", "NO_PROXY": "a.test"])
    #expect(upper.proxy(for: server("a.test")) == nil)
    let both = proxies(["all_proxy": "p:1", "NO_PROXY": "a.test", "no_proxy": "b.test"])
    #expect(both.proxy(for: server("a.test")) == "p:1")
    #expect(both.proxy(for: server("b.test")) == nil)
  }

  // MARK: A proxy's address

  @Test(
    arguments: [
      ("proxy.test", .http, "proxy.test", 1080), ("proxy.test:8080", .http, "proxy.test", 8080),
      ("http://Proxy.TEST:3128/", .http, "proxy.test", 3128),
      ("http://proxy.test", .http, "proxy.test", 1080),
      ("https://proxy.test", .http, "proxy.test", 443),
      ("HTTPS://proxy.test:8443", .http, "proxy.test", 8443),
      ("http://user:secret@proxy.test:8080", .http, "proxy.test", 8080),
      ("http://user:p@ss@proxy.test:8080", .http, "proxy.test", 8080),
      ("user:80@proxy.test", .http, "proxy.test", 1080),
      ("socks://proxy.test", .socksWithAddresses, "proxy.test", 1080),
      ("socks4://proxy.test:9050", .socksWithAddresses, "proxy.test", 9050),
      ("socks5://127.0.0.1:9050", .socksWithAddresses, "127.0.0.1", 9050),
      ("socks4a://proxy.test", .socksWithNames, "proxy.test", 1080),
      ("SOCKS5H://u:p@proxy.test:9", .socksWithNames, "proxy.test", 9),
      ("http://[2001:db8::1]:8080", .http, "2001:db8::1", 8080), ("[::1]", .http, "::1", 1080),
      ("http://u:p@[::1]:8080/?q#f", .http, "::1", 8080),
    ] as [(String, ProxyAddress.Kind, String, UInt16)])
  func `a proxy is a URL or a host`(text: String, kind: ProxyAddress.Kind, host: String, port: UInt16) {
    let address = ProxyAddress(text)
    // libcurl gets the address without the name and password.
    #expect(address?.text.contains("@") == false)
    #expect(address.map { ProxyAddress($0.text)?.host == host } == true)
    #expect(address?.kind == kind)
    #expect(address?.host == host)
    #expect(address?.port == port)
    #expect(address?.isSecure == text.lowercased().hasPrefix("https:"))
    #expect(address?.isIPv6Literal == text.contains("["))
    #expect(address?.needsNoLookup == (text.contains("[") || host == "127.0.0.1"))
  }

  @Test(arguments: [
    "", "http://", "ftp://proxy.test", "socks6://proxy.test", "://proxy.test", "http://:8080",
    "http://proxy.test:x",
    "http://proxy.test:65536", "http://user@", "http://[::1", "http://proxy test", "http:///proxy.test",
    "a:b:c",
  ])
  func `a proxy of an unknown kind, or without a host, is not usable`(text: String) {
    #expect(ProxyAddress(text) == nil)
  }

  // MARK: Model

  /// Compares two hundred thousand ranges and hosts with a bit shift.
  @Test(arguments: 0..<10) func `ranges of addresses agree with arithmetic`(seed: UInt64) {
    var random = SeededRandom(seed)
    for step in 0..<5000 {
      let draw = random.next()
      let base = UInt32(truncatingIfNeeded: draw)
      let bits = UInt32(truncatingIfNeeded: draw >> 32) % 33
      guard let exception = ProxyException("\(Self.text(of: base))/\(bits)") else {
        Issue.record("Seed \(seed), step \(step): \(base)/\(bits) was rejected")
        return
      }
      for _ in 0..<4 {
        // The address differs from a random bit on, so that about half of the hosts are in the range.
        let other =
          base ^ UInt32(truncatingIfNeeded: random.next()) >> (UInt32(truncatingIfNeeded: random.next()) % 32)
        let isInside = bits == 0 || base >> (32 - bits) == other >> (32 - bits)
        if exception.covers(server(Self.text(of: other))) != isInside {
          Issue.record("Seed \(seed), step \(step): \(base)/\(bits), \(other)")
          return
        }
      }
    }
  }

  private static func text(of address: UInt32) -> String {
    "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
  }

  @Test(arguments: 0..<10) func `random texts never trap`(seed: UInt64) {
    var random = SeededRandom(seed)
    let pieces = [
      "[", "]", ":", "/", "@", "://", "http", "socks5", ".", "*", "1", "::", "\0", "é", "-", ",", " ", "%",
      "a",
    ]
    for _ in 0..<3000 {
      var draw = random.next()
      var text = ""
      for _ in 0..<Int(draw & 7) {
        draw >>= 5
        text += pieces[Int(draw & 31) % pieces.count]
      }
      _ = ProxyAddress(text)
      let proxies = proxies(["all_proxy": text, "no_proxy": text])
      _ = proxies.proxy(for: server(text))
      if let parsed = HostAndPort(text), parsed.host.isEmpty { Issue.record("Seed \(seed): \(text)") }
    }
  }
}
