import Foundation
import Retriever
import TinyServer
import XCTest

final class ImageLoaderTests: XCTestCase {
  private var server: TinyServer!
  private var loader: ImageLoader!
  private var directory: URL!
  private let counts = Counts()

  // Unchecked because a lock protects the variable.
  final class Counts: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String: Int] = [:]
    func add(_ name: String) {
      lock.lock()
      values[name, default: 0] += 1
      lock.unlock()
    }
    subscript(name: String) -> Int {
      lock.lock()
      defer { lock.unlock() }
      return values[name] ?? 0
    }
  }

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let counts = self.counts
    server = try TinyServer { connection in
      while let request = connection.nextRequest() {
        let path = request.line[1]
        counts.add(path)
        if request.fields["if-none-match"] == "\"1\"" {
          counts.add("304")
          try connection.respond(304, ["ETag": "\"1\""])
          continue
        }
        switch path {
        case "/small.png":
          try connection.respond(
            200, ["Content-Type": "image/png", "Cache-Control": "max-age=600"],
            body: [UInt8](repeating: 1, count: 1000))
        case "/large.png":
          try connection.respond(
            200, ["Content-Type": "image/png", "Cache-Control": "max-age=600"],
            body: [UInt8](repeating: 2, count: 200_000))
        case "/checked.png":
          try connection.respond(
            200, ["Content-Type": "image/png", "Cache-Control": "no-cache", "ETag": "\"1\""],
            body: [UInt8](repeating: 3, count: 500))
        default: try connection.respond(404, ["Content-Type": "text/plain"], body: Array("none".utf8))
        }
      }
    }
    loader = ImageLoader(directory: directory)
  }

  override func tearDown() {
    loader.invalidate()
    server.stop()
    try? FileManager.default.removeItem(at: directory)
  }

  private func load(
    _ path: String, policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) -> Result<Data, Error>? {
    let expectation = self.expectation(description: path)
    let loaded = Loaded()
    loader.load(server.url(path), policy: policy) { result in
      loaded.result = result
      expectation.fulfill()
    }
    wait(for: [expectation], timeout: 20)
    return loaded.result
  }

  // Unchecked because the test reads the result after its expectation.
  private final class Loaded: @unchecked Sendable {
    var result: Result<Data, Error>?
  }

  func testAPictureIsStoredWithUserInfoAndNotLoadedAgain() throws {
    for _ in 0..<3 { XCTAssertEqual(try load("/small.png")?.get().count, 1000) }
    XCTAssertEqual(counts["/small.png"], 1)
    let stored = try XCTUnwrap(loader.cache.cachedResponse(for: URLRequest(url: server.url("/small.png"))))
    XCTAssertEqual(stored.data.count, 1000)
    XCTAssertEqual(stored.userInfo?["storedBy"] as? String, "ImageLoader")
    XCTAssertEqual((stored.response as? HTTPURLResponse)?.statusCode, 200)
    XCTAssertEqual(stored.storagePolicy, .allowed)
    XCTAssertGreaterThan(loader.cache.currentMemoryUsage + loader.cache.currentDiskUsage, 1000)
  }

  func testALargePictureIsNotStored() throws {
    for _ in 0..<2 { XCTAssertEqual(try load("/large.png")?.get().count, 200_000) }
    XCTAssertEqual(counts["/large.png"], 2)
    XCTAssertNil(loader.cache.cachedResponse(for: URLRequest(url: server.url("/large.png"))))
  }

  func testAPictureIsValidated() throws {
    for _ in 0..<3 { XCTAssertEqual(try load("/checked.png")?.get().count, 500) }
    XCTAssertEqual(counts["/checked.png"], 3)
    XCTAssertEqual(counts["304"], 2)
  }

  func testThePoliciesOfARequest() throws {
    XCTAssertThrowsError(try load("/small.png", policy: .returnCacheDataDontLoad)?.get()) { error in
      XCTAssertEqual((error as? URLError)?.code, .resourceUnavailable)
    }
    XCTAssertEqual(counts["/small.png"], 0)
    XCTAssertEqual(try load("/small.png")?.get().count, 1000)
    XCTAssertEqual(try load("/small.png", policy: .returnCacheDataElseLoad)?.get().count, 1000)
    XCTAssertEqual(counts["/small.png"], 1)
    XCTAssertEqual(try load("/small.png", policy: .reloadIgnoringLocalCacheData)?.get().count, 1000)
    XCTAssertEqual(counts["/small.png"], 2)
  }

  func testAnotherTypeIsCancelled() throws {
    XCTAssertThrowsError(try load("/none")?.get()) { error in
      XCTAssertEqual((error as? URLError)?.code, .cancelled)
    }
  }

  func testThePreloadedPictureIsUsed() throws {
    let request = URLRequest(url: server.url("/preloaded.png"))
    let response = try XCTUnwrap(
      HTTPURLResponse(
        url: server.url("/preloaded.png"), statusCode: 200, httpVersion: "HTTP/1.1",
        headerFields: ["Content-Type": "image/png", "Cache-Control": "max-age=60"]))
    loader.cache.storeCachedResponse(
      CachedURLResponse(response: response, data: Data([1, 2, 3])), for: request)
    XCTAssertEqual(try load("/preloaded.png", policy: .returnCacheDataElseLoad)?.get(), Data([1, 2, 3]))
    XCTAssertEqual(counts["/preloaded.png"], 0)
    loader.cache.removeCachedResponse(for: request)
    XCTAssertNil(loader.cache.cachedResponse(for: request))
    loader.cache.removeAllCachedResponses()
  }
}
