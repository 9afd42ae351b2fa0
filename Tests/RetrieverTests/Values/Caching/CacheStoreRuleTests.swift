#if !canImport(Darwin)
import Foundation
import Testing
import TransferEngine

@testable import Retriever

@Suite struct CacheStoreRuleTests {
  private func decide(
    _ fields: [(String, String)], request: [(String, String)] = [], method: String = "GET", status: Int = 200,
    policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) -> StoredHead? {
    let url = URL(string: "http://cache.test/")!
    let exchange = StoreRule.Exchange(
      key: CacheKey(url)!, url: url, method: method, requestFields: HeaderFields(pairs: request),
      policy: policy, requestTime: moment(), status: status, responseFields: HeaderFields(pairs: fields))
    guard case .store(let head) = StoreRule.decide(exchange, now: moment()) else { return nil }
    return head
  }

  private static let fresh = ("Cache-Control", "max-age=60")

  @Test(arguments: [100, 199, 206, 304, 600]) func `partial and interim responses are not stored`(status: Int)
  {
    #expect(decide([Self.fresh], status: status) == nil)
    #expect(decide([Self.fresh], status: 200) != nil)
  }

  @Test func `a response that no later request could use is not stored`() {
    #expect(decide([]) == nil)
    #expect(decide([("Cache-Control", "max-age=0")]) == nil)
    #expect(decide([("ETag", "\"a\"")]) != nil)
    #expect(decide([("Cache-Control", "max-age=0, stale-if-error=5")]) != nil)
    #expect(decide([], policy: .returnCacheDataElseLoad) != nil)
    #expect(decide([("Cache-Control", "no-store")], policy: .returnCacheDataElseLoad) == nil)
  }

  @Test(arguments: ["rex", ""])
  func `only a name says that two connections are signed in as the same user`(_ user: String) throws {
    let url = try #require(URL(string: "http://cache.test/"))
    func fields() throws -> HeaderFields {
      var wanted = TransferRequest(url: url.absoluteString)
      wanted.signIn = ConnectionSignIn(.negotiate, user: user, password: "")
      return CacheExchange(
        wanted, url: url, key: try #require(CacheKey(url)), policy: .useProtocolCachePolicy
      ).fields
    }
    let authorization = try fields().values(for: "Authorization").map { ("Authorization", $0) }
    let head = try #require(decide([Self.fresh], request: authorization))
    #expect(head.selection.matches(try fields()) == !user.isEmpty)
  }

  @Test func `a private cache stores private responses and those to authorized requests`() {
    #expect(decide([("Cache-Control", "private, max-age=5")]) != nil)
    #expect(decide([Self.fresh], request: [("Authorization", "Basic YTpi")]) != nil)
  }

  @Test(arguments: ["max-age=60", "max-age=60, private"])
  func `the response to a user who has signed in is not for other users`(control: String) throws {
    let request = HeaderFields(pairs: [("Authorization", "Basic YTpi")])
    let head = try #require(
      decide([("Cache-Control", control)], request: [("Authorization", "Basic YTpi")]))
    #expect(head.selection.matches(request))
    #expect(!head.selection.matches(HeaderFields(pairs: [("Authorization", "Basic Yzpk")])))
    #expect(!head.selection.matches(HeaderFields()))
  }

  @Test(arguments: ["public, max-age=60", "s-maxage=60, max-age=60", "must-revalidate, max-age=60"])
  func `a server may allow a response for all users`(control: String) throws {
    let head = try #require(
      decide([("Cache-Control", control)], request: [("Authorization", "Basic YTpi")]))
    #expect(head.selection.matches(HeaderFields()))
  }

  @Test func `a user of Digest is the same in each request`() throws {
    func answer(_ user: String, count: Int) -> [(String, String)] {
      [("Authorization", #"Digest username="\#(user)", realm="r", nonce="n\#(count)", nc=0000000\#(count)"#)]
    }
    let head = try #require(decide([Self.fresh], request: answer("a, b", count: 1)))
    #expect(head.selection.matches(HeaderFields(pairs: answer("a, b", count: 2))))
    #expect(!head.selection.matches(HeaderFields(pairs: answer("a", count: 2))))
  }

  @Test func `responses that may identify the user stay in memory`() {
    #expect(decide([Self.fresh])?.staysInMemory == false)
    #expect(decide([Self.fresh], request: [("authorization", "Basic YTpi")])?.staysInMemory == true)
    #expect(decide([Self.fresh], request: [("Cookie", "a=b")])?.staysInMemory == true)
    #expect(decide([Self.fresh, ("Set-Cookie", "a=b")])?.staysInMemory == true)
  }

  @Test func `fields of the connection are not stored`() {
    let removed = [
      "Authentication-Info", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
      "Proxy-Authorization",
      "Proxy-Connection", "TE",
      "Transfer-Encoding", "Upgrade", "a", "B",
    ]
    let kept = [
      "Test-Header", "Content-Encoding", "Content-Length", "Content-Location", "Content-Range",
      "Content-Type", "ETag",
      "Set-Cookie", "c",
    ]
    let fields = (removed + kept).map { ($0, "1") } + [("Connection", "A, b"), Self.fresh]
    let stored = decide(fields)?.fields
    for name in removed + ["Connection"] { #expect(stored?.contains(name) == false, "\(name)") }
    for name in kept { #expect(stored?.values(for: name) == ["1"], "\(name)") }
  }

  @Test func `a URL that is too long is not stored`() {
    let url = URL(string: "http://cache.test/" + String(repeating: "a", count: 9000))!
    let exchange = StoreRule.Exchange(
      key: CacheKey(url)!, url: url, requestTime: moment(), responseFields: HeaderFields(pairs: [Self.fresh]))
    #expect(StoreRule.decide(exchange, now: moment()) == .ignore)
  }

  @Test(arguments: [
    ("HTTP://Cache.Test/A?B", "http://cache.test/A?B"), ("http://cache.test:80/", "http://cache.test/"),
    ("https://cache.test:443/a", "https://cache.test/a"),
    ("http://cache.test:443/a", "http://cache.test:443/a"),
    ("http://cache.test", "http://cache.test/"), ("http://cache.test?a", "http://cache.test/?a"),
    ("http://me:secret@cache.test/a#b", "http://cache.test/a"), ("data:,a", "data:,a"),
    ("http://[::1]:80/", "http://[::1]/"),
  ])
  func `the key of a URL is its normalised form`(text: String, key: String) {
    #expect(CacheKey(URL(string: text))?.text == key)
  }

  @Test func `GET and HEAD share a key, and other methods have their own`() {
    let url = URL(string: "http://cache.test/")
    #expect(CacheKey(method: "HEAD", url) == CacheKey(url))
    #expect(CacheKey(method: "POST", url) != CacheKey(url))
    #expect(CacheKey(URL(string: "/a")) == nil && CacheKey(nil) == nil)
  }
}
#endif
