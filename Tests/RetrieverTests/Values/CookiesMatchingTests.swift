#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct CookiesMatchingTests {
  private let jar = CookiesFixture()

  @Test func anEmptyStorageSendsNothing() {
    #expect(jar.sent(to: "https://example.com") == nil)
    #expect(jar.storage.cookies == [])
  }

  @Test func `a cookie without a domain is sent to its host only`() {
    jar.receive("a=1", from: "https://example.com/")
    #expect(jar.sent(to: "https://EXAMPLE.com/") == "a=1")
    #expect(jar.sent(to: "http://example.com:8080/") == "a=1")
    #expect(jar.sent(to: "https://www.example.com/") == nil)
  }

  @Test func `a cookie with a domain is sent to subdomains`() {
    jar.receive("a=1; Domain=example.com", from: "https://www.example.com/")
    for host in ["example.com", "www.example.com", "a.b.example.com"] {
      #expect(jar.sent(to: "https://\(host)/") == "a=1")
    }
    for host in ["badexample.com", "example.com.evil.com", "example.org", "com"] {
      #expect(jar.sent(to: "https://\(host)/") == nil)
    }
  }

  @Test func `an address has no subdomains`() {
    jar.receive("a=1", from: "http://127.0.0.1/")
    jar.receive("b=2", from: "http://[::1]/")
    jar.receive("c=3; Domain=0.0.1", from: "http://127.0.0.1/")
    #expect(jar.sent(to: "http://127.0.0.1/") == "a=1")
    #expect(jar.sent(to: "http://[::1]:8080/") == "b=2")
    #expect(jar.storage.cookies?.count == 2)
  }

  @Test(arguments: [
    ("/", "/", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/b", true), ("/a/", "/a/b", true),
    ("/a", "/a?b", true), ("/a", "/ab", false), ("/a/", "/a", false), ("/a", "/", false),
    ("/a", "/A", false),
  ])
  func `a cookie is sent to its path and everything below it`(
    cookiePath: String, path: String, isSent: Bool
  ) {
    jar.receive("a=1; Path=\(cookiePath)", from: "https://example.com/")
    #expect((jar.sent(to: "https://example.com" + path) != nil) == isSent)
  }

  @Test func aURLWithoutPathMeansItsRoot() {
    jar.receive("a=1; Path=/", from: "https://example.com")
    #expect(jar.sent(to: "https://example.com") == "a=1")
  }

  @Test func aSecureCookieGoesOverTLSOnly() {
    jar.receive("a=1; Secure", "b=2", from: "https://example.com/")
    #expect(jar.sent(to: "https://example.com/") == "a=1; b=2")
    #expect(jar.sent(to: "http://example.com/") == "b=2")
  }

  @Test func longerPathsGoFirstThenOlderCookies() {
    jar.receive("old=1; Path=/", from: "https://example.com/")
    jar.receive("deep=2; Path=/a/b", from: "https://example.com/")
    jar.receive("new=3; Path=/", from: "https://example.com/")
    jar.receive("old=4; Path=/", from: "https://example.com/")
    #expect(jar.sent(to: "https://example.com/a/b/c") == "deep=2; old=4; new=3")
  }

  @Test func anExpiredCookieIsNotSent() {
    jar.receive("a=1; Max-Age=60", "b=2", from: "https://example.com/")
    jar.advance(by: 59)
    #expect(jar.sent(to: "https://example.com/") == "a=1; b=2")
    jar.advance(by: 1)
    #expect(jar.sent(to: "https://example.com/") == "b=2")
    #expect(jar.storage.cookies?.map(\.name) == ["b"])
  }

  @Test func `a SameSite cookie is not sent for a document of another site`() {
    jar.receive(
      "s=1; SameSite=Strict", "l=2; SameSite=Lax", "n=3; SameSite=None", from: "https://example.com/")
    let url = "https://example.com/"
    #expect(jar.sent(to: url, mainDocument: "https://www.example.com/a") == "s=1; l=2; n=3")
    #expect(jar.sent(to: url, mainDocument: "https://other.org/") == "n=3")
    #expect(jar.sent(to: url) == "s=1; l=2; n=3")
  }
}
#endif
