#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

/// Names that are almost `__Host-` or `__Secure-`.
struct CookiesPrefixTests {
  private let jar = CookiesFixture()

  private var names: [String] { (jar.storage.cookies ?? []).map(\.name) }

  /// RFC 6265bis, 5.6: only spaces and tabs around a name are removed. All other bytes belong to the name.
  @Test(arguments: ["\u{A0}", "\u{2000}", "\u{3000}", "\u{85}", "\u{FEFF}"])
  func `white space outside ASCII before a prefix makes another name that shadows nothing`(
    space: String
  ) throws {
    jar.receive("__Host-id=good; Secure; Path=/", from: "https://example.com/")
    jar.receive("\(space)__Host-id=evil; Domain=example.com; Path=/", from: "https://www.example.com/")
    jar.receive("\(space)__Host-id=evil; Path=/login", from: "http://example.com/")
    let cookies = try #require(jar.storage.cookies)
    #expect(cookies.filter { $0.name == "__Host-id" }.map(\.value) == ["good"])
    #expect(cookies.filter { $0.name != "__Host-id" }.allSatisfy { $0.name == "\(space)__Host-id" })
    let sent = try #require(jar.sent(to: "https://example.com/login")).utf8.split(separator: 0x3B)
    let withPrefix = sent.map { $0.drop { $0 == 0x20 } }.filter { $0.starts(with: "__Host-".utf8) }
    #expect(withPrefix.map { String(Substring($0)) } == ["__Host-id=good"])
    // Without TLS, only the other name is sent.
    #expect(jar.sent(to: "http://example.com/")?.utf8.starts(with: "__Host-".utf8) != true)
  }

  @Test(arguments: [" ", "\t", " \t "])
  func `spaces and tabs before a prefix are removed before its rules apply`(space: String) throws {
    jar.receive("\(space)__Host-id=evil; Path=/", from: "https://example.com/")
    let properties: [HTTPCookiePropertyKey: Any] = [
      .name: "\(space)__Host-id", .value: "evil", .path: "/", .domain: ".example.com",
    ]
    jar.storage.setCookie(try #require(HTTPCookie(properties: properties)))
    #expect(names.isEmpty)
  }

  @Test(arguments: ["__Host-\u{301}a", "__Secure-\u{301}a"])
  func `a combining character after a prefix does not hide it`(name: String) {
    jar.receive("\(name)=evil; Path=/", from: "https://example.com/")
    #expect(names.isEmpty)
  }
}
#endif
