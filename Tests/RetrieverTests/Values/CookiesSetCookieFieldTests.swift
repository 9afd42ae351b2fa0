#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct CookiesSetCookieFieldTests {
  private func cookies(_ field: String, from url: String = "https://www.example.com/dir/page")
    -> [HTTPCookie]
  {
    HTTPCookie.cookies(withResponseHeaderFields: ["set-cookie": field], for: URL(string: url)!)
  }

  @Test func `reads every attribute, ignoring case`() throws {
    let cookie = try #require(
      cookies(
        "id = a=b ; DOMAIN=Example.com; path=/x; SECURE; HttpOnly; SameSite=STRICT; Comment=why; Port=\"80,81\""
      )
      .first)
    #expect(cookie.name == "id")
    #expect(cookie.value == "a=b")
    #expect(cookie.domain == ".example.com")
    #expect(cookie.path == "/x")
    #expect(cookie.isSecure)
    #expect(cookie.isHTTPOnly)
    #expect(cookie.sameSitePolicy == .sameSiteStrict)
    #expect(cookie.comment == "why")
    #expect(cookie.portList == [80, 81])
    #expect(cookie.version == 0)
    #expect(cookie.isSessionOnly)
    #expect(cookie.expiresDate == nil)
  }

  @Test(arguments: ["", ";a=b", "=value", "   =value", "name", "name; a=b", "a=b\u{1}c", "a\u{7F}=b"])
  func aFieldWithoutANameOrWithControlCharactersSetsNothing(field: String) {
    #expect(cookies(field).isEmpty)
  }

  @Test(arguments: [
    ("https://example.com", "/"), ("https://example.com/page", "/"),
    ("https://example.com/dir/page", "/dir"),
    ("https://example.com/dir/", "/dir"), ("https://example.com/a%20b/c?d/e", "/a%20b"),
  ])
  func `a cookie without a usable path is for the directory of the URL`(url: String, path: String) {
    #expect(cookies("a=b", from: url).first?.path == path)
    #expect(cookies("a=b; Path=relative", from: url).first?.path == path)
    #expect(cookies("a=b; Path=/x; Path", from: url).first?.path == path)
  }

  @Test(arguments: [
    ("a=b", "www.example.com"), ("a=b; Domain=", "www.example.com"),
    ("a=b; Domain=.EXAMPLE.com", ".example.com"),
    ("a=b; Domain=one.com; Domain=two.com", ".two.com"), ("a=b; Domain=1.2.3.4", "1.2.3.4"),
    ("a=b; Domain=bücher.example", ".xn--bcher-kva.example"),
  ])
  func `a domain that includes subdomains starts with a dot`(field: String, domain: String) {
    #expect(cookies(field).first?.domain == domain)
  }

  @Test func `Max-Age has precedence over Expires in any order`() throws {
    for field in [
      "a=b; Max-Age=100; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
      "a=b; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Max-Age=100",
    ] {
      let date = try #require(cookies(field).first?.expiresDate)
      #expect(abs(date.timeIntervalSinceNow - 100) < 10)
    }
  }

  @Test(arguments: ["0", "-1", "-99999999999999999999"])
  func `a maximum age of zero or less is in the past`(age: String) {
    #expect(cookies("a=b; Max-Age=\(age)").first?.expiresDate == .distantPast)
  }

  @Test func `an invalid maximum age is ignored and a huge one never expires`() {
    #expect(cookies("a=b; Max-Age=soon").first?.isSessionOnly == true)
    #expect(cookies("a=b; Max-Age=1e3").first?.isSessionOnly == true)
    #expect(cookies("a=b; Max-Age=99999999999999999999").first?.expiresDate == .distantFuture)
  }

  @Test func severalCookiesMayBeJoinedWithCommas() {
    let joined = """
      A=1; expires=Sun, 16-Aug-2125 22:39:54 GMT, B =2; Comment=real value, tok@en=second; path=/, \
      C=3; expires=Wednesday, 09-Nov-99 23:12:40 GMT
      """
    #expect(cookies(joined).map(\.name) == ["A", "B", "C"])
    #expect(cookies(joined).map(\.value) == ["1", "2", "3"])
    #expect(cookies("a=1,\n  b=2").map(\.name) == ["a", "b"])
  }

  @Test func `a semicolon ends a part regardless of the next character`() {
    let cookie = cookies("a=b;\u{301}c; Secure").first
    #expect(cookie?.value == "b")
    #expect(cookie?.isSecure == true)
  }

  @Test func `commas in a single field of a response do not separate cookies`() {
    let url = URL(string: "https://example.com/")!
    let storage = HTTPCookieStorage()
    let response = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: "HTTP/1.1",
      headerBlock: Array(
        "Set-Cookie: a=1,b=2\r\nset-cookie: c=3; expires=Sun, 16-Aug-2125 22:39:54 GMT\r\n".utf8))
    storage.store(setCookieFieldsOf: response, for: URLRequest(url: url))
    #expect(storage.cookieHeader(for: url, mainDocumentURL: nil) == "a=1,b=2; c=3")
  }
}
#endif
