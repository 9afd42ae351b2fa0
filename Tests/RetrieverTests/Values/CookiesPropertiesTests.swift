#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct CookiesPropertiesTests {
  private let minimal: [HTTPCookiePropertyKey: Any] = [
    .name: "name", .value: "a value @#$%^&*", .path: "/", .domain: "Example.com",
  ]

  @Test(arguments: ["TRUE", "FALSE"])
  func `a script cannot set a cookie that is hidden from scripts`(isScript: String) {
    let cookie = HTTPCookie(properties: [
      .name: "a", .value: "b", .domain: "example.com", .path: "/", .setByJavaScript: isScript,
      HTTPCookiePropertyKey("HttpOnly"): "TRUE",
    ])
    #expect((cookie == nil) == (isScript == "TRUE"))
  }

  @Test func needsANameAValueAPathAndADomain() {
    #expect(HTTPCookie(properties: minimal)?.domain == "example.com")
    for key in minimal.keys {
      var incomplete = minimal
      incomplete[key] = nil
      #expect(HTTPCookie(properties: incomplete) == nil, "without \(key.rawValue)")
    }
  }

  @Test func `the origin URL provides the default domain`() {
    var properties = minimal
    properties[.originURL] = URL(string: "https://apple.com/a")
    #expect(HTTPCookie(properties: properties)?.domain == "example.com")
    properties[.domain] = nil
    #expect(HTTPCookie(properties: properties)?.domain == "apple.com")
    properties[.originURL] = "https://apple.com/a"
    #expect(HTTPCookie(properties: properties)?.domain == "apple.com")
  }

  @Test(arguments: [
    (HTTPCookiePropertyKey.value, "a\r\nEvil: 1"), (.value, "a; admin=1"), (.name, "a=b"), (.name, "a\0"),
    (.name, ""), (.path, "/\n"), (.domain, "example.com\r\n"),
  ])
  func `refuses text that could add a field or another cookie`(key: HTTPCookiePropertyKey, text: String) {
    var properties = minimal
    properties[key] = text
    #expect(HTTPCookie(properties: properties) == nil)
  }

  @Test func `version 0 supports no maximum age and only one port`() throws {
    let added: [HTTPCookiePropertyKey: Any] = [
      .maximumAge: "2000", .port: "443,8443", .secure: "YES", .comment: "why",
      .commentURL: "https://example.com/why", .discard: "TRUE", .expires: Date.distantFuture,
    ]
    let cookie = try #require(HTTPCookie(properties: minimal.merging(added) { $1 }))
    #expect(cookie.version == 0)
    #expect(cookie.expiresDate == nil)
    #expect(cookie.isSessionOnly)
    #expect(cookie.portList == [443])
    #expect(cookie.isSecure)
    #expect(cookie.comment == "why")
    #expect(cookie.commentURL == URL(string: "https://example.com/why"))
  }

  @Test func `version 1 supports a maximum age`() throws {
    let added: [HTTPCookiePropertyKey: Any] = [.maximumAge: "100", .version: "1", .port: "443, 8443"]
    let cookie = try #require(HTTPCookie(properties: minimal.merging(added) { $1 }))
    let date = try #require(cookie.expiresDate)
    #expect(abs(date.timeIntervalSinceNow - 100) < 10)
    #expect(cookie.portList == [443, 8443])
  }

  @Test func `the properties of a cookie create an equal cookie`() throws {
    let field = "a=b; Domain=example.com; Path=/x; Secure; HttpOnly; SameSite=Lax; Max-Age=60; Port=8080"
    let cookie = try #require(
      HTTPCookie.cookies(
        withResponseHeaderFields: ["Set-Cookie": field], for: URL(string: "https://example.com")!
      ).first)
    let again = try #require(cookie.properties.flatMap(HTTPCookie.init(properties:)))
    #expect(again == cookie)
    #expect(again.hash == cookie.hash)
    #expect(again.sameSitePolicy == .sameSiteLax)
    #expect(again.isHTTPOnly)
    #expect(again != HTTPCookie(properties: minimal))
  }

  @Test func sendsCookiesInTheOrderGiven() throws {
    let cookie = try #require(HTTPCookie(properties: minimal))
    #expect(HTTPCookie.requestHeaderFields(with: []) == [:])
    #expect(
      HTTPCookie.requestHeaderFields(with: [cookie, cookie])
        == ["Cookie": "name=a value @#$%^&*; name=a value @#$%^&*"])
  }

  @Test func `the description omits the value`() throws {
    let cookie = try #require(HTTPCookie(properties: minimal))
    #expect(cookie.description.contains("example.com"))
    #expect(!cookie.description.contains("a value"))
  }
}
#endif
