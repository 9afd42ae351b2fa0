#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct MessagesHTTPURLResponseTests {
  private let url = URL(string: "https://example.com/a")!

  private func received(_ head: String, status: Int = 200) -> HTTPURLResponse {
    HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerBlock: Array(head.utf8))
  }

  @Test func `the properties return the values from the initializer`() throws {
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: ["X-a": "1"]))
    #expect(response.url == url)
    #expect(response.statusCode == 404)
    #expect(response.value(forHTTPHeaderField: "x-A") == "1")
    #expect(response.mimeType == nil)
    #expect(response.textEncodingName == nil)
    #expect(response.expectedContentLength == -1)
  }

  @Test func `well-known names have one spelling and others stay unchanged`() {
    let response = received(
      "conTent-lenGTH: 5\r\netag: \"1\"\r\nx-lower: a\r\nX-MIXed: b\r\nx-mixED: c\r\n")
    let fields = response.allHeaderFields as? [String: String]
    #expect(fields == ["Content-Length": "5", "Etag": "\"1\"", "x-lower": "a", "X-MIXed": "b, c"])
  }

  @Test func readsTypeAndEncodingInLowerCase() {
    let response = received("Content-Type: text/HTML; Charset=\"ISO-8859-4\"; x=y\r\n")
    #expect(response.mimeType == "text/html")
    #expect(response.textEncodingName == "iso-8859-4")
  }

  @Test(arguments: [
    ("Content-Length: 997", 997, 997),
    ("", -1, -1),
    ("Content-Length: 997\r\nContent-Length: 997", 997, 997),
    ("Content-Length: 5, 5", 5, 5),
    ("Content-Length: 5\r\nContent-Length: 6", -1, -1),
    ("Content-Length: -5", -1, -1),
    ("Content-Length: +5", -1, -1),
    ("Content-Length: 99999999999999999999", -1, -1),
    ("Content-Length: 997\r\nTransfer-Encoding: chunked", -1, -1),
    ("Content-Length: 997\r\nTransfer-Encoding: identity", 997, 997),
    ("Content-Length: 997\r\nContent-Encoding: gzip", -1, 997),
    ("Content-Length: 997\r\nContent-Encoding: Identity", 997, 997),
  ])
  func `the content length differs from the body length of an encoded body`(
    head: String, content: Int64, body: Int64
  ) {
    #expect(received(head).expectedContentLength == content)
    #expect(received(head).expectedBodyLength == body)
  }

  @Test(arguments: [100, 204, 304])
  func `some statuses have no body, regardless of the stated length`(status: Int) {
    #expect(received("Content-Length: 5", status: status).expectedBodyLength == 0)
  }

  @Test func findsAFieldWithoutParsing() {
    let response = received("A: 1\r\nset-COOKIE: a=b\r\nSet-Cookie2\r\n")
    #expect(response.mayContainField("Set-Cookie"))
    #expect(!response.mayContainField("Cookie"))
    #expect(response.value(forHTTPHeaderField: "A") == "1")
    #expect(response.mayContainField("Set-Cookie"))
    #expect(!response.mayContainField("Cookie"))
  }

  @Test func `a response is thread-safe`() async {
    let response = received((0..<200).map { "X-\($0): \($0)\r\n" }.joined())
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask { response.value(forHTTPHeaderField: "x-\(number)") == "\(number)" }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func equalResponsesHashAlikeAndACopyIsEqual() throws {
    let left = received("A: 1\r\n")
    let right = received("a: 1\n")
    #expect(left == right)
    #expect(left.hash == right.hash)
    #expect(left != received("A: 2\r\n"))
    #expect(left != received("A: 1\r\n", status: 201))
    #expect(left.copy() as? HTTPURLResponse == left)
    let plain = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    #expect(plain != left)
    #expect(
      plain.isEqual(URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)))
  }

  @Test func describesAStatusInWords() {
    #expect(HTTPURLResponse.localizedString(forStatusCode: 404) == "not found")
    #expect(HTTPURLResponse.localizedString(forStatusCode: 200) == "no error")
    #expect(HTTPURLResponse.localizedString(forStatusCode: 499) == "client error")
    #expect(HTTPURLResponse.localizedString(forStatusCode: -1) == "unknown status")
  }

  @Test func `the description omits header values`() {
    #expect(!received("Set-Cookie: id=hush\r\n").description.contains("hush"))
  }
}
#endif
