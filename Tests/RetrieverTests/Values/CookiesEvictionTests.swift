#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

/// The order in which a full storage evicts cookies (RFC 6265bis, 5.7).
@Suite struct CookiesEvictionTests {
  private let jar = CookiesFixture()

  private var names: [String] { (jar.storage.cookies ?? []).map(\.name) }

  @Test func `cookies from a plain connection do not push out a Secure one`() {
    jar.receive("id=good; Secure", from: "https://example.com/")
    for number in 0..<400 { jar.receive("n\(number)=1", from: "http://example.com/") }
    #expect(names.count == 180)
    jar.receive("id=evil", from: "http://example.com/")
    #expect(names.filter { $0 == "id" }.count == 1)
    #expect(jar.sent(to: "https://example.com/")?.contains("id=good") == true)
    #expect(jar.sent(to: "https://example.com/")?.contains("id=evil") == false)
  }

  @Test func `cookies for very many plain sites do not push out a Secure one`() {
    jar.receive("id=good; Secure", from: "https://example.com/")
    for number in 0..<3200 { jar.receive("n=1", from: "http://site\(number).com/") }
    #expect(names.count == 3000)
    #expect(jar.sent(to: "https://example.com/") == "id=good")
  }

  @Test func `a plain cookie finds no room among Secure ones only`() {
    for number in 0..<180 { jar.receive("s\(number)=1; Secure", from: "https://example.com/") }
    jar.receive("plain=1", from: "http://example.com/")
    #expect(names == (0..<180).map { "s\($0)" })
  }

  @Test func `a Secure cookie pushes out a Secure one when there are no others`() {
    for number in 0..<181 { jar.receive("s\(number)=1; Secure", from: "https://example.com/") }
    #expect(names == (1..<181).map { "s\($0)" })
  }

  @Test func `the least recently used cookie is removed first`() {
    for number in 0..<180 {
      jar.receive("n\(number)=1; Path=/\(number)", from: "https://example.com/")
    }
    #expect(jar.sent(to: "https://example.com/0") == "n0=1")
    jar.receive("new=1", from: "https://example.com/")
    #expect(names.contains("n0"))
    #expect(!names.contains("n1"))
    // Setting a cookie again counts as a use.
    jar.receive("n2=2; Path=/2", from: "https://example.com/")
    jar.receive("newer=1", from: "https://example.com/")
    #expect(names.contains("n2"))
    #expect(!names.contains("n3"))
  }

  @Test func `expired cookies go before all others`() {
    jar.receive("short=1; Max-Age=5; Secure", from: "https://example.com/")
    for number in 0..<179 { jar.receive("n\(number)=1", from: "https://example.com/") }
    jar.advance(by: 10)
    jar.receive("new=1", from: "https://example.com/")
    #expect(names == (0..<179).map { "n\($0)" } + ["new"])
  }

  @Test func `a site with many cookies makes room before sites with few`() {
    jar.receive("old=1", from: "https://few.org/")
    for number in 0..<100 { jar.receive("c\(number)=1", from: "https://crowded.org/") }
    for number in 0..<2899 { jar.receive("n=1", from: "https://site\(number).com/") }
    #expect(names.count == 3000)
    jar.receive("new=1", from: "https://other.org/")
    #expect(names.count == 3000)
    #expect(names.contains("old"))
    #expect(!names.contains("c0"))
  }
}
#endif
