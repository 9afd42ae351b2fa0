import Foundation
import Testing

import Retriever

@Suite struct SecureCodingTests {
  private static func copied<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
  }

  @Test func `a request is archived with its fields and body`() throws {
    let request = NSMutableURLRequest(url: try #require(URL(string: "https://example.com/x")))
    request.httpMethod = "POST"
    request.setValue("a", forHTTPHeaderField: "X-One")
    request.setValue("b", forHTTPHeaderField: "X-Two")
    request.httpBody = Data([0, 1, 2])
    request.timeoutInterval = 5
    request.cachePolicy = .returnCacheDataDontLoad
    request.allowsCellularAccess = false
    let copy = try Self.copied(request)
    #expect(copy == request)
    #expect(copy.httpBody == Data([0, 1, 2]))
    #expect(!copy.allowsCellularAccess && copy.httpShouldHandleCookies)
  }

  @Test func `a response is archived with repeated header fields`() throws {
    let url = try #require(URL(string: "https://example.com/x"))
    let response = try #require(
      HTTPURLResponse(
        url: url, statusCode: 404, httpVersion: "HTTP/1.1",
        headerFields: ["Content-Type": "text/html; charset=utf-8", "Content-Length": "12"]))
    let copy = try Self.copied(response)
    #expect(copy == response)
    #expect(copy.statusCode == 404 && copy.mimeType == "text/html" && copy.expectedContentLength == 12)
    let plain = URLResponse(url: url, mimeType: "a/b", expectedContentLength: 3, textEncodingName: "utf-8")
    #expect(try Self.copied(plain) == plain)
  }

  @Test(arguments: [0, 3, -1, .max, .min] as [Int64])
  func `a stored response has a valid storage policy or is not decoded`(policy: Int64) throws {
    let url = try #require(URL(string: "https://example.com/x"))
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 4, textEncodingName: nil)
    let stored = CachedURLResponse(response: response, data: Data("woof".utf8))
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    stored.encode(with: archiver)
    // A later value for a key takes the place of an earlier one.
    archiver.encode(policy, forKey: "storagePolicy")
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect((CachedURLResponse(coder: unarchiver) != nil) == (policy == 0))
  }

  @Test func `a credential is archived with its password`() throws {
    let credential = URLCredential(user: "ada", password: "secret", persistence: .permanent)
    let copy = try Self.copied(credential)
    #expect(copy == credential && copy.password == "secret")
  }

  @Test func `a protection space is archived`() throws {
    let space = URLProtectionSpace(
      host: "example.com", port: 443, protocol: "https", realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    #expect(try Self.copied(space) == space)
    let proxy = URLProtectionSpace(
      proxyHost: "p", port: 1, type: NSURLProtectionSpaceHTTPProxy, realm: nil, authenticationMethod: nil)
    let copy = try Self.copied(proxy)
    #expect(copy == proxy && copy.isProxy())
  }

  // Foundation's unarchiver traps on some archives with damaged references, so this only cuts them.
  @Test func `a truncated archive is an error`() throws {
    let url = try #require(URL(string: "https://example.com/"))
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["A": "b"]))
    let data = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true)
    for length in stride(from: 0, to: data.count, by: 7) {
      #expect(throws: (any Error).self) {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPURLResponse.self, from: data.prefix(length))
      }
    }
  }
}
