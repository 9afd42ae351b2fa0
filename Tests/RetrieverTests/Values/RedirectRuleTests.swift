#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

struct RedirectRuleTests {
  private static let base = URL(string: "https://dogs.example/a/b/c?x=1#top")!

  private func outcome(
    _ status: Int, _ location: String?, from url: URL = base, method: String = "GET", body: Data? = nil,
    headers: [String: String] = [:]
  ) -> RedirectRule.Outcome {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let block = location.map { "Location: \($0)\r\n" } ?? ""
    let response = HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/1.1", headerBlock: Array(block.utf8))
    return RedirectRule.nextRequest(after: request, response: response)
  }

  private func followed(_ outcome: RedirectRule.Outcome) throws -> URLRequest {
    guard case .follow(let request) = outcome else { throw NotFollowed(outcome: "\(outcome)") }
    return request
  }

  private struct NotFollowed: Error { let outcome: String }

  private func isNoRedirect(_ outcome: RedirectRule.Outcome) -> Bool {
    if case .notARedirect = outcome { true } else { false }
  }

  private func refusal(_ outcome: RedirectRule.Outcome) -> URLError? {
    if case .refuse(let error) = outcome { error } else { nil }
  }

  @Test(arguments: [200, 204, 300, 304, 305, 306, 399, 404])
  func `other statuses are not redirects`(_ status: Int) {
    #expect(isNoRedirect(outcome(status, "/elsewhere")))
  }

  @Test(arguments: [301, 302, 303, 307, 308], [String?.none, "", "  "])
  func `a redirect without a location is the final response`(_ status: Int, _ location: String?) {
    #expect(isNoRedirect(outcome(status, location)))
  }

  @Test(arguments: [
    ("d", "https://dogs.example/a/b/d#top"), ("/d", "https://dogs.example/d#top"),
    ("../d", "https://dogs.example/a/d#top"), ("../../../d", "https://dogs.example/d#top"),
    ("?y=2", "https://dogs.example/a/b/c?y=2#top"), ("#new", "https://dogs.example/a/b/c?x=1#new"),
    ("//cats.example/d", "https://cats.example/d#top"), ("http://cats.example", "http://cats.example#top"),
    ("/d#", "https://dogs.example/d#"), ("/é ü", "https://dogs.example/%C3%A9%20%C3%BC#top"),
    ("/a%2Fb?c=%26", "https://dogs.example/a%2Fb?c=%26#top"),
  ])
  func theLocationIsResolvedAndTheFragmentInherited(_ location: String, _ expected: String) throws {
    #expect(try followed(outcome(302, location)).url?.absoluteString == expected)
  }

  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
    (303, "DELETE", "GET"),
    (303, "HEAD", "HEAD"), (301, "HEAD", "HEAD"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"),
    (307, "POST", "POST"), (308, "POST", "POST"), (307, "PUT", "PUT"), (308, "PATCH", "PATCH"),
  ])
  func `the method changes according to the status`(
    _ status: Int, _ method: String, _ expected: String
  ) throws {
    let next = try followed(outcome(status, "/d", method: method))
    #expect(next.httpMethod == expected)
  }

  @Test(arguments: [301, 302, 303])
  func `the fields of a body are removed with it`(_ status: Int) throws {
    let next = try followed(
      outcome(
        status, "/d", method: "POST", body: Data("dog".utf8),
        headers: [
          "Content-Type": "text/plain", "content-length": "3", "Transfer-Encoding": "chunked",
          "Expect": "100-continue", "Accept": "*/*",
        ]))
    #expect(next.httpBody == nil)
    #expect(next.allHTTPHeaderFields == ["Accept": "*/*"])
  }

  @Test(arguments: [307, 308])
  func `a body that is sent again keeps its fields`(_ status: Int) throws {
    let next = try followed(
      outcome(
        status, "/d", method: "POST", body: Data("dog".utf8), headers: ["Content-Type": "text/plain"]))
    #expect(next.httpBody == Data("dog".utf8))
    #expect(next.value(forHTTPHeaderField: "Content-Type") == "text/plain")
  }

  private static let secrets = [
    "Authorization": "Basic x", "authorization": "Basic x", "Proxy-Authorization": "Basic x",
    "Cookie": "id=1",
    "X-Api-Key": "x", "X-Auth-Token": "x", "X-Amz-Security-Token": "x", "X-Session-Id": "x", "apikey": "x",
    "X-CSRF-Token": "x", "Private-Token": "x", "Ocp-Apim-Subscription-Key": "x", "Host": "dogs.example",
  ]

  @Test(arguments: [
    "https://cats.example/", "https://dogs.example:8443/", "http://dogs.example/",
    "//dogs.example.evil.example/",
    "https://sub.dogs.example/", "https://dogs.example.:443/x", "http://dogs.example:443/",
  ])
  func `secret fields are not sent to another origin`(_ location: String) throws {
    for status in [301, 302, 303, 307, 308] {
      for (name, value) in Self.secrets {
        let next = try followed(outcome(status, location, headers: [name: value, "Accept": "image/*"]))
        #expect(next.allHTTPHeaderFields == ["Accept": "image/*"], "\(name) with \(status)")
      }
    }
  }

  @Test(arguments: ["/d", "https://dogs.example:443/d", "HTTPS://DOGS.EXAMPLE/d"])
  func `secret fields are sent again within their origin`(_ location: String) throws {
    let next = try followed(
      outcome(307, location, headers: ["Authorization": "Basic x", "X-Api-Key": "x"]))
    #expect(next.value(forHTTPHeaderField: "Authorization") == "Basic x")
    #expect(next.value(forHTTPHeaderField: "X-Api-Key") == "x")
  }

  @Test func `harmless fields are sent to another origin`() throws {
    let headers = [
      "Accept": "*/*", "Accept-Language": "de", "User-Agent": "Retriever", "Range": "bytes=0-",
      "Accept-Encoding": "gzip",
    ]
    let next = try followed(outcome(307, "https://cats.example/", headers: headers))
    #expect(next.allHTTPHeaderFields == headers)
  }

  @Test func `the referer is not sent over an unencrypted connection`() throws {
    let headers = ["Referer": "https://dogs.example/secret"]
    let open = try followed(outcome(302, "http://cats.example/", headers: headers))
    #expect(open.value(forHTTPHeaderField: "Referer") == nil)
    let closed = try followed(outcome(302, "https://cats.example/", headers: headers))
    #expect(closed.value(forHTTPHeaderField: "Referer") != nil)
  }

  @Test(arguments: [
    "file:///etc/passwd", "ftp://dogs.example/", "javascript:alert(1)", "data:text/plain,x", "gopher://h/",
    "mailto:a@b", "unix:/run/x",
  ])
  func otherSchemesAreRefused(_ location: String) {
    let error = refusal(outcome(302, location))
    #expect(error?.code == .unsupportedURL)
    #expect(error?.localizedDescription.contains("http") == true)
  }

  @Test(arguments: ["http://", "https:///x", "https:x", "http://a b/", "http://[::1/", "http://h:99999/"])
  func `a location that is not a URL with a host is refused`(_ location: String) {
    #expect(refusal(outcome(302, location))?.code == .redirectToNonExistentLocation)
  }

  @Test func severalDifferentLocationsAreRefusedButRepeatedOnesFollowed() throws {
    #expect(refusal(outcome(302, "/a\r\nLocation: /b"))?.code == .redirectToNonExistentLocation)
    #expect(try followed(outcome(302, "/a\r\nLocation: /a")).url?.path == "/a")
  }

  @Test func `the main document URL follows the redirect of the main document`() throws {
    var request = URLRequest(url: Self.base)
    request.mainDocumentURL = Self.base
    let response = HTTPURLResponse(
      url: Self.base, statusCode: 302, httpVersion: "HTTP/1.1",
      headerBlock: Array("Location: /d#x\r\n".utf8))
    let next = try followed(RedirectRule.nextRequest(after: request, response: response))
    #expect(next.mainDocumentURL == next.url)
  }
}
#endif
