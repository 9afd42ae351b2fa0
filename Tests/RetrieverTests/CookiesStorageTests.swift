#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization
import Testing

@Suite struct CookiesStorageTests {
  private let jar = CookiesFixture()

  private func cookie(_ name: String, _ value: String = "1", domain: String = "example.com") throws
    -> HTTPCookie
  {
    try #require(HTTPCookie(properties: [.name: name, .value: value, .path: "/", .domain: domain]))
  }

  @Test func `a cookie replaces one with the same name, domain and path`() throws {
    jar.storage.setCookie(try cookie("a", "1"))
    jar.storage.setCookie(try cookie("a", "2"))
    jar.storage.setCookie(try cookie("a", "3", domain: "example.org"))
    #expect(jar.storage.cookies?.map(\.value) == ["2", "3"])
  }

  @Test func `an expired cookie removes the stored one`() {
    jar.receive("a=1", "b=2", from: "https://example.com/")
    jar.receive("a=; Max-Age=0", from: "https://example.com/")
    #expect(jar.sent(to: "https://example.com/") == "b=2")
  }

  @Test func deletesOneCookie() throws {
    jar.storage.setCookie(try cookie("a"))
    jar.storage.setCookie(try cookie("b"))
    jar.storage.deleteCookie(try cookie("a", "any value"))
    #expect(jar.storage.cookies?.map(\.name) == ["b"])
    jar.storage.deleteCookie(try cookie("b"))
    #expect(jar.sent(to: "https://example.com/") == nil)
  }

  @Test func `removes cookies that were stored since a date`() throws {
    jar.storage.setCookie(try cookie("a"))
    jar.advance(by: 60)
    jar.storage.setCookie(try cookie("b"))
    jar.storage.removeCookies(since: jar.now.addingTimeInterval(1))
    #expect(jar.storage.cookies?.count == 2)
    jar.storage.removeCookies(since: jar.now.addingTimeInterval(-1))
    #expect(jar.storage.cookies?.map(\.name) == ["a"])
  }

  @Test func `sorts cookies by the given descriptors`() throws {
    for name in ["b", "c", "a"] { jar.storage.setCookie(try cookie(name)) }
    let order = NSSortDescriptor(keyPath: \HTTPCookie.name, ascending: false)
    #expect(jar.storage.sortedCookies(using: [order]).map(\.name) == ["c", "b", "a"])
  }

  @Test func `the never policy refuses new cookies and keeps existing ones`() throws {
    jar.receive("a=1", from: "https://example.com/")
    jar.storage.cookieAcceptPolicy = .never
    jar.receive("b=2", from: "https://example.com/")
    jar.storage.setCookie(try cookie("c"))
    #expect(jar.sent(to: "https://example.com/") == "a=1")
  }

  @Test func `the main document policy compares sites`() {
    jar.storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
    jar.receive("a=1", from: "https://cdn.example.co.uk/", mainDocument: "https://www.example.co.uk/page")
    jar.receive("b=2", from: "https://cdn.example.co.uk/", mainDocument: "https://other.co.uk/")
    jar.receive("c=3", from: "https://cdn.example.co.uk/")
    #expect(jar.sent(to: "https://cdn.example.co.uk/") == "a=1; c=3")
  }

  @Test func aRequestThatDoesNotHandleCookiesStoresNone() throws {
    let url = try #require(URL(string: "https://example.com/"))
    var request = URLRequest(url: url)
    request.httpShouldHandleCookies = false
    let response = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerBlock: Array("Set-Cookie: a=1\r\n".utf8))
    jar.storage.store(setCookieFieldsOf: response, for: request)
    #expect(jar.storage.cookies == [])
  }

  @Test func `a site has at most 180 cookies and the oldest are removed first`() {
    for number in 0..<200 { jar.receive("n\(number)=1", from: "https://host\(number % 7).example.com/") }
    jar.receive("other=1", from: "https://example.org/")
    let names = jar.storage.cookies?.map(\.name) ?? []
    #expect(names.count == 181)
    #expect(names.first == "n20")
    #expect(names.last == "other")
  }

  @Test func `a storage has at most 3000 cookies and the oldest are removed first`() {
    for number in 0..<3010 { jar.receive("n\(number)=1", from: "https://site\(number).com/") }
    let names = jar.storage.cookies?.map(\.name) ?? []
    #expect(names.count == 3000)
    #expect(names.first == "n10")
    #expect(names.last == "n3009")
  }

  @Test func `a group name always returns the same storage`() {
    let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group.one")
    #expect(storage === HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group.one"))
    #expect(storage !== HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group.two"))
    #expect(storage !== HTTPCookieStorage.shared)
    #expect(HTTPCookieStorage.shared === HTTPCookieStorage.shared)
  }

  @Test func `a change posts a notification`() async throws {
    let storage = jar.storage
    let change = try cookie("a")
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let observer = ChangeObserver(continuation)
      observer.observe(.NSHTTPCookieManagerCookiesChanged, of: storage)
      storage.setCookie(change)
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let observer = ChangeObserver(continuation)
      observer.observe(.NSHTTPCookieManagerAcceptPolicyChanged, of: storage)
      storage.cookieAcceptPolicy = .never
    }
  }

  @Test func `a cookie storage is thread-safe`() async {
    let jar = jar
    await withTaskGroup { group in
      for number in 0..<32 {
        group.addTask {
          jar.receive("n\(number)=1; Path=/", from: "https://example.com/")
          _ = jar.sent(to: "https://example.com/")
        }
      }
    }
    #expect(jar.storage.cookies?.count == 32)
  }
}

/// Resumes a continuation at the first notification.
private final class ChangeObserver: Sendable {
  private let waiting: Mutex<CheckedContinuation<Void, Never>?>

  init(_ continuation: CheckedContinuation<Void, Never>) {
    waiting = Mutex(continuation)
  }

  func observe(_ name: NSNotification.Name, of storage: HTTPCookieStorage) {
    _ = NotificationCenter.default.addObserver(forName: name, object: storage, queue: nil) { _ in
      self.resume()
    }
  }

  private func resume() {
    let continuation = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume()
  }
}
#endif
