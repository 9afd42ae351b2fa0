#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct MessagesRequestValidationTests {
  private func problem(_ url: String, _ change: (inout URLRequest) -> Void = { _ in }) throws -> URLError? {
    var request = URLRequest(url: try #require(URL(string: url)))
    change(&request)
    return RequestValidation.problem(with: request)
  }

  @Test(arguments: [
    "https://example.com", "HTTP://EXAMPLE.com:8080/a?b#c", "http://127.0.0.1/", "http://[::1]:80/",
    "https://user:password@example.com/", "https://bücher.example/", "http://[fe80::1%25eth0]/",
  ])
  func `a valid request has no problem`(url: String) throws {
    #expect(try problem(url) == nil)
  }

  @Test(arguments: [
    ("file:///etc/passwd", URLError.Code.unsupportedURL), ("ftp://example.com/", .unsupportedURL),
    ("data:,hello", .unsupportedURL), ("example.com/a", .unsupportedURL), ("/a", .unsupportedURL),
    ("http:///a", .badURL), ("https:", .badURL), ("http://example.com:0/", .badURL),
    ("http://example.com:65536/", .badURL),
  ])
  func `an invalid URL has a specific error code`(url: String, code: URLError.Code) throws {
    let error = try #require(try problem(url))
    #expect(error.code == code)
    #expect(error.failingURL?.absoluteString == url)
    #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == url)
    #expect(error.localizedDescription.hasSuffix("."))
  }

  @Test(arguments: [
    "http://a%0d%0aEvil/", "http://a%20b/", "http://good.com%2f.evil.com/", "http://good.com%40evil.com/",
    "http://good.com%5c.evil.com/", "http://a%00b/", "http://a%25b/",
  ])
  func `a host that other parsers read differently is refused`(url: String) throws {
    #expect(try problem(url)?.code == .badURL)
  }

  @Test func aRequestWithoutURLCannotBeSent() throws {
    #expect(try problem("https://example.com") { $0.url = nil }?.code == .unsupportedURL)
  }

  @Test(arguments: ["", "GET /evil", "GET\r\nEvil: 1", "GE\0T", "GÉT", "G:T"])
  func aMethodMustBeAToken(method: String) throws {
    #expect(try problem("https://example.com") { $0.httpMethod = method }?.code == .badURL)
  }

  @Test(arguments: ["", "A B", "A:", "A\r\nEvil", "Ä", "A\0"])
  func aFieldNameMustBeAToken(name: String) throws {
    #expect(
      try problem("https://example.com") { $0.setValue("1", forHTTPHeaderField: name) }?.code == .badURL)
  }

  @Test(arguments: ["a\r\nEvil: 1", "a\rb", "a\nb", "a\0b", "folded\r\n value"])
  func aFieldValueMustBeOneLine(value: String) throws {
    let error = try #require(
      try problem("https://example.com") { $0.headerFields.add(value, for: "X-Name") })
    #expect(error.code == .badURL)
    #expect(error.localizedDescription.contains("X-Name"))
    #expect(!error.localizedDescription.contains(value))
  }
}
#endif
