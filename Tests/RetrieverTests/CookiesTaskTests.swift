#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization
import Testing

@Suite struct CookiesTaskTests {
  private let storage = HTTPCookieStorage()

  private func cookie(domain: String, sameSite: HTTPCookieStringPolicy? = nil) throws -> HTTPCookie {
    var properties: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "1", .path: "/", .domain: domain]
    properties[.sameSitePolicy] = sameSite
    return try #require(HTTPCookie(properties: properties))
  }

  private func task(_ url: String, mainDocument: String? = nil) throws -> URLSessionTask {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.mainDocumentURL = mainDocument.flatMap { URL(string: $0) }
    return URLSession.shared.dataTask(with: request)
  }

  @Test func `stores the cookies that the URL of a task may set`() throws {
    let stored = [try cookie(domain: "example.com"), try cookie(domain: "other.com")]
    storage.storeCookies(stored, for: try task("https://example.com/"))
    #expect(storage.cookies?.map(\.domain) == ["example.com"])
  }

  @Test func `returns the cookies to send with a task's request`() async throws {
    storage.setCookie(try cookie(domain: "example.com", sameSite: .sameSiteStrict))
    let sameSite = try task("https://example.com/a", mainDocument: "https://example.com/")
    let otherSite = try task("https://example.com/a", mainDocument: "https://other.com/")
    #expect(await storage.cookies(for: sameSite)?.count == 1)
    #expect(await storage.cookies(for: otherSite)?.count == 0)

    let answer = Mutex<[HTTPCookie]?>(nil)
    storage.getCookiesFor(sameSite) { cookies in answer.withLock { $0 = cookies } }
    #expect(answer.withLock { $0 }?.count == 1)
  }
}
#endif
