#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

struct AuthenticationCredentialCacheTests {
  private let alice = URLCredential(user: "alice", password: "wonder", persistence: .forSession)
  private let bob = URLCredential(user: "bob", password: "builder", persistence: .permanent)

  private func space(_ realm: String, host: String = "dogs.example") -> URLProtectionSpace {
    URLProtectionSpace(
      host: host, port: 443, protocol: "https", realm: realm,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
  }

  private func url(_ path: String, host: String = "dogs.example") -> URL {
    URL(string: "https://\(host)\(path)")!
  }

  @Test func aCredentialIsUsedAtAndBelowItsDirectoryOnly() {
    let cache = CredentialCache()
    #expect(cache.isEmpty)
    cache.remember(alice, for: space("dogs"), at: url("/private/a.jpg"))
    #expect(!cache.isEmpty)
    #expect(cache.entry(for: url("/private/b/c.jpg"))?.credential == alice)
    #expect(
      cache.entry(for: url("/private/"))?.authorizer
        .answer(for: .init(method: "GET", target: "/", bodyHash: { _ in nil }))?.fieldValue
        == BasicAuthorization.fieldValue(user: "alice", password: "wonder"))
    #expect(cache.entry(for: url("/private")) == nil)
    #expect(cache.entry(for: url("/privateer/a.jpg")) == nil)
    #expect(cache.entry(for: url("/")) == nil)
  }

  @Test(arguments: [
    "http://dogs.example/private/a", "https://dogs.example:8443/private/a",
    "https://cats.example/private/a",
    "https://dogs.example.evil.example/private/a",
  ])
  func aCredentialNeverGoesToAnotherOrigin(_ other: String) {
    let cache = CredentialCache()
    cache.remember(alice, for: space("dogs"), at: url("/private/a.jpg"))
    #expect(cache.entry(for: URL(string: other)!) == nil)
  }

  @Test func theOriginIsComparedAsURLsAre() {
    let cache = CredentialCache()
    cache.remember(alice, for: space("dogs"), at: url("/"))
    #expect(cache.entry(for: URL(string: "HTTPS://DOGS.example:443")!)?.credential == alice)
  }

  @Test func `the most specific directory is used`() {
    let cache = CredentialCache()
    cache.remember(alice, for: space("inner"), at: url("/a/b/c"))
    cache.remember(bob, for: space("outer"), at: url("/a/x"))
    #expect(cache.entry(for: url("/a/b/d"))?.credential == alice)
    #expect(cache.entry(for: url("/a/y"))?.credential == bob)
  }

  @Test func `a protection space includes all directories in which it was seen`() {
    let cache = CredentialCache()
    cache.remember(alice, for: space("dogs"), at: url("/a/1"))
    cache.remember(alice, for: space("dogs"), at: url("/b/1"))
    cache.remember(alice, for: space("dogs"), at: url("/b/deeper/1"))
    #expect(cache.entry(for: url("/a/2")) != nil)
    #expect(cache.entry(for: url("/b/2")) != nil)
    #expect(cache.entry(for: url("/c/2")) == nil)
  }

  @Test func aCredentialForOneUseIsNotRemembered() {
    let cache = CredentialCache()
    let once = URLCredential(user: "alice", password: "wonder", persistence: .none)
    cache.remember(once, for: space("dogs"), at: url("/"))
    #expect(cache.isEmpty)
  }

  @Test func aRefusedCredentialIsForgottenButNotANewerOne() {
    let cache = CredentialCache()
    cache.remember(bob, for: space("dogs"), at: url("/"))
    cache.forget(alice, for: space("dogs"))
    #expect(cache.credential(for: space("dogs")) == bob)
    cache.forget(bob, for: space("dogs"))
    #expect(cache.credential(for: space("dogs")) == nil)
    #expect(cache.isEmpty)
  }

  @Test func `the least recently used credential is removed first`() {
    let cache = CredentialCache(maximumCount: 2)
    cache.remember(alice, for: space("one"), at: url("/1/"))
    cache.remember(alice, for: space("two"), at: url("/2/"))
    _ = cache.entry(for: url("/1/x"))
    cache.remember(alice, for: space("three"), at: url("/3/"))
    #expect(cache.entry(for: url("/1/x")) != nil)
    #expect(cache.entry(for: url("/2/x")) == nil)
    #expect(cache.entry(for: url("/3/x")) != nil)
    cache.removeAll()
    #expect(cache.isEmpty)
    #expect(cache.entry(for: url("/1/x")) == nil)
  }

  @Test func `a credential cache is thread-safe`() async {
    let cache = CredentialCache(maximumCount: 8)
    await withTaskGroup { group in
      for number in 0..<64 {
        group.addTask {
          let here = url("/\(number % 16)/x")
          cache.remember(alice, for: space("\(number % 16)"), at: here)
          _ = cache.entry(for: here)
          cache.forget(alice, for: space("\((number + 1) % 16)"))
        }
      }
    }
    let left = (0..<16).filter { cache.credential(for: space("\($0)")) != nil }
    #expect(left.count <= 8)
  }
}
#endif
