#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization

/// A storage with a clock that the test sets, with methods that act as the server and the client.
final class CookiesFixture: Sendable {
  private final class Clock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
  }

  let storage: HTTPCookieStorage
  private let clock: Clock

  init() {
    let clock = Clock()
    self.clock = clock
    storage = HTTPCookieStorage(now: { clock.now })
  }

  var now: Date { clock.now }

  func advance(by seconds: TimeInterval) { clock.advance(by: seconds) }

  /// Stores the cookies that a response from `url` sets.
  func receive(_ fields: String..., from url: String, mainDocument: String? = nil) {
    let url = URL(string: url)!
    var request = URLRequest(url: url)
    request.mainDocumentURL = mainDocument.flatMap { URL(string: $0) }
    let head = fields.map { "Set-Cookie: \($0)\r\n" }.joined()
    storage.store(
      setCookieFieldsOf: HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerBlock: Array(head.utf8)),
      for: request)
  }

  /// Returns the `Cookie` field of a request to `url`.
  func sent(to url: String, mainDocument: String? = nil) -> String? {
    storage.cookieHeader(for: URL(string: url)!, mainDocumentURL: mainDocument.flatMap { URL(string: $0) })
  }
}
#endif
