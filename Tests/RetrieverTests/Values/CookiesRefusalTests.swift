#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct CookiesRefusalTests {
  private let jar = CookiesFixture()

  private var names: [String] { (jar.storage.cookies ?? []).map(\.name) }

  @Test(arguments: ["other.com", "www.example.com", "ample.com", "example.org"])
  func aHostCannotSetACookieForAnotherOne(domain: String) {
    jar.receive("a=1; Domain=\(domain)", from: "https://example.com/")
    #expect(names.isEmpty)
  }

  @Test(arguments: ["com", "co.uk", "github.io", "kawasaki.jp"])
  func `a cookie for a public suffix is refused`(suffix: String) throws {
    jar.receive("a=1; Domain=\(suffix)", from: "https://example.\(suffix)/")
    #expect(names.isEmpty)
    jar.storage.setCookie(
      try #require(HTTPCookie(properties: [.name: "a", .value: "1", .path: "/", .domain: "." + suffix])))
    #expect(names.isEmpty)
    jar.receive("a=1; Domain=example.\(suffix)", from: "https://www.example.\(suffix)/")
    #expect(names == (suffix == "kawasaki.jp" ? [] : ["a"]))
  }

  @Test func aHostThatIsAPublicSuffixMaySetOneForItself() {
    jar.receive("a=1; Domain=github.io", from: "https://github.io/")
    jar.receive("b=2; Domain=localhost", from: "http://localhost/")
    #expect(jar.sent(to: "https://github.io/") == "a=1")
    #expect(jar.sent(to: "https://evil.github.io/") == nil)
    #expect(jar.sent(to: "http://localhost:8080/") == "b=2")
  }

  @Test func aSecureCookieCannotBeSetWithoutTLS() {
    jar.receive("a=1; Secure", from: "http://example.com/")
    #expect(names.isEmpty)
  }

  @Test func `a Secure cookie cannot be shadowed without TLS`() {
    jar.receive("a=1; Secure; Domain=example.com", from: "https://example.com/")
    jar.receive("a=evil", from: "http://www.example.com/")
    jar.receive("a=evil; Path=/login", from: "http://example.com/")
    jar.receive("a=; Domain=example.com; Max-Age=0", from: "http://example.com/")
    #expect(jar.sent(to: "https://www.example.com/login") == "a=1")
    jar.receive("a=2; Domain=example.com", from: "https://example.com/")
    #expect(jar.sent(to: "https://www.example.com/login") == "a=2")
  }

  @Test(arguments: [
    "__Secure-a=1", "__secure-a=1", "__Host-a=1; Path=/", "__Host-a=1; Secure; Path=/x",
    "__Host-a=1; Secure; Path=/; Domain=example.com", "__Host-a=1; Secure", "__host-a=1; Secure; Path",
    "__Host-a=1; Secure; Path=/; Path=x",
  ])
  func `a cookie that violates the rules of its prefix is refused`(field: String) {
    jar.receive(field, from: "https://example.com/")
    #expect(names.isEmpty)
  }

  @Test func `a cookie that follows the rules of its prefix is stored`() {
    jar.receive("__Secure-a=1; Secure", "__Host-b=2; Secure; Path=/", from: "https://example.com/dir/")
    #expect(names == ["__Secure-a", "__Host-b"])
  }

  @Test func aCookieMayHave4096BytesAndNoMore() {
    jar.receive("a=" + String(repeating: "x", count: 4095), from: "https://example.com/")
    #expect(names == ["a"])
    jar.receive("b=" + String(repeating: "x", count: 4096), from: "https://example.com/")
    #expect(names == ["a"])
  }
}
#endif
