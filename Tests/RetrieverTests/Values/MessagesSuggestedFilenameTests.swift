#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct MessagesSuggestedFilenameTests {
  private func name(_ disposition: String?, url: String = "https://example.com", type: String? = nil)
    -> String?
  {
    var fields: [String: String] = [:]
    fields["Content-Disposition"] = disposition
    fields["Content-Type"] = type
    return HTTPURLResponse(
      url: URL(string: url)!, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)?
      .suggestedFilename
  }

  @Test(arguments: [
    ("attachment; filename=\"fname.ext\"", "fname.ext"),
    (
      "attachment; filename=genome.jpeg; modification-date=\"Wed, 12 Feb 1997 16:29:51 -0500\";",
      "genome.jpeg"
    ),
    ("attachment; filename=\";.ext\"", ";.ext"),
    ("attachment; aa=bb\\; filename=\"wrong.ext\"; filename=\"fname.ext\"; cc=dd", "fname.ext"),
    ("attachment; FILENAME=\"a\\\"b.txt\"", "a\"b.txt"),
    ("attachment; filename=\"naive.txt\"; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
    ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
    ("attachment; filename=\"plain.txt\"; filename*=UTF-8''%ZZ", "plain.txt"),
    ("attachment; filename=\"plain.txt\"; filename*=UTF-8''%FF", "plain.txt"),
    ("attachment; filename=unclosed\"", "unclosed\""),
    ("attachment; filename=\"unclosed", "unclosed"),
  ])
  func takesTheNameThatTheServerProposes(disposition: String, expected: String) {
    #expect(name(disposition) == expected)
  }

  @Test(arguments: [
    ("attachment; filename=\"/a/b/name\"", "_a_b_name"),
    ("attachment; filename=\"a/../b/name\"", "a_.._b_name"),
    ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", ".._.._etc_passwd"),
    ("attachment; filename=\"..\"", "example.com"),
    ("attachment; filename=\".\"", "example.com"),
    ("attachment; filename=\"\"", "example.com"),
    ("attachment; filename*=UTF-8''a%00b%0A.txt", "ab.txt"),
    ("attachment; filename*=UTF-8''report%E2%80%AEfdp.exe", "reportfdp.exe"),
    ("inline", "example.com"),
  ])
  func `a name cannot leave its directory or hide its extension`(disposition: String, expected: String) {
    #expect(name(disposition) == expected)
  }

  @Test(arguments: [
    ("https://example.com/test/name.extension", nil, "name.extension"),
    ("https://example.com/name.extension?foo=bar/baz", nil, "name.extension"),
    ("https://example.com/directory/", nil, "directory"),
    ("https://example.com/a%2Fb", nil, "a_b"),
    ("https://example.com/%2e%2e", nil, "example.com"),
    ("https://example.com/photo", "image/png", "photo.png"),
    ("https://example.com/photo.jpg", "image/png", "photo.jpg"),
  ])
  func `without a proposed name, the last component of the path is used`(
    url: String, type: String?, expected: String
  ) {
    #expect(name(nil, url: url, type: type) == expected)
  }

  @Test(arguments: [
    ("https://example.com/", "text/html; charset=utf-8", "example.com.html"),
    ("https://example.com", nil, "example.com"),
    ("https://localhost:8080/?q=a.b", "application/json", "localhost.json"),
    ("http://[::1]/", "text/plain", "::1.txt"),
    ("https://../", "text/html", "Unknown.html"),
    ("file:///", nil, "Unknown"),
  ])
  func `without a path, the host is used`(url: String, type: String?, expected: String) {
    #expect(name(nil, url: url, type: type) == expected)
  }

  @Test func `a name is never longer than file systems allow`() throws {
    let long = String(repeating: "é", count: 400)
    let shortened = try #require(name("attachment; filename=\"\(long).tar\""))
    #expect(shortened.utf8.count <= 255)
    #expect(shortened.hasSuffix("é.tar"))
    #expect(
      try #require(name(nil, url: "https://example.com/\(long)", type: "image/png")).utf8.count <= 255)
  }

  @Test(.timeLimit(.minutes(5))) func `a name that is one very long character is shortened`() throws {
    for piece in ["\u{301}", "\u{1F1E9}", "a\u{200D}"] {
      let long = "a" + String(repeating: piece, count: 300_000) + ".txt"
      let shortened = try #require(name("attachment; filename=\"\(long)\""))
      #expect(shortened.utf8.count <= 255)
      #expect(shortened.hasSuffix(".txt"))
    }
  }

  @Test func `a URLResponse has a suggested name too`() {
    let response = URLResponse(
      url: URL(string: "a://bar")!, mimeType: "text/plain", expectedContentLength: 0, textEncodingName: nil)
    #expect(response.suggestedFilename == "bar.txt")
  }
}
#endif
