import Foundation
import Retriever
import TinyServer
import XCTest

final class CrawlerTests: XCTestCase {
  // Unchecked because a lock protects the variable.
  private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String] = []
    func add(_ value: String) {
      lock.lock()
      values.append(value)
      lock.unlock()
    }
    var all: [String] {
      lock.lock()
      defer { lock.unlock() }
      return values
    }
  }

  /// A proxy that answers for all servers, if the password is right.
  private func makeProxy(_ seen: Seen, password: String) throws -> TinyServer {
    let expected = "Basic " + Data("ada:\(password)".utf8).base64EncodedString()
    return try TinyServer { connection in
      while let request = connection.nextRequest() {
        guard request.fields["proxy-authorization"] == expected else {
          try connection.respond(407, ["Proxy-Authenticate": "Basic realm=\"office\""])
          continue
        }
        seen.add("\(request.line[1]) \(request.fields["user-agent"] ?? "")")
        switch request.line[1] {
        case "http://site.example/": try connection.respond(200, body: Array("/a\n/b\n".utf8))
        case "http://site.example/a": try connection.respond(200, body: Array("/\n/c\n".utf8))
        case "http://site.example/b": try connection.respond(302, ["Location": "/a"])
        default: try connection.respond(404)
        }
      }
    }
  }

  private func crawl(_ crawler: Crawler) -> Result<[String: Int], Error>? {
    let expectation = self.expectation(description: "crawled")
    var result: Result<[String: Int], Error>?
    crawler.crawl(URL(string: "http://site.example/")!) {
      result = $0
      expectation.fulfill()
    }
    waitForExpectations(timeout: 30)
    return result
  }

  func testThePagesComeThroughTheProxy() throws {
    let seen = Seen()
    let proxy = try makeProxy(seen, password: "biscuit")
    defer { proxy.stop() }
    let crawler = Crawler(
      proxy: ProxyConfiguration(host: "127.0.0.1", port: proxy.port, user: "ada", password: "biscuit"))
    defer { crawler.invalidate() }
    XCTAssertEqual(try crawl(crawler)?.get(), ["/": 200, "/a": 200, "/b": 200, "/c": 404])
    XCTAssertEqual(crawler.challenges.first, "127.0.0.1:\(proxy.port) office true")
    XCTAssertTrue(seen.all.allSatisfy { $0.hasSuffix("crawler/1.0") })
    XCTAssertEqual(
      Set(seen.all.map { $0.components(separatedBy: " ")[0] }),
      ["http://site.example/", "http://site.example/a", "http://site.example/b", "http://site.example/c"])
  }

  func testAWrongPasswordIsCancelled() throws {
    let proxy = try makeProxy(Seen(), password: "biscuit")
    defer { proxy.stop() }
    let crawler = Crawler(
      proxy: ProxyConfiguration(host: "127.0.0.1", port: proxy.port, user: "ada", password: "bone"))
    defer { crawler.invalidate() }
    XCTAssertThrowsError(try crawl(crawler)?.get()) { error in
      XCTAssertEqual((error as? URLError)?.code, .cancelled)
    }
    XCTAssertEqual(crawler.challenges.count, 2)
  }
}
