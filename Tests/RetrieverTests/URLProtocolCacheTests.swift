import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

/// What protocols store in a session's cache, and find there.
@Suite struct URLProtocolCacheTests {
  /// Uses a stored response if there is one. Otherwise it counts, and allows its response to be stored as the path says.
  private final class CountingProtocol: URLProtocol {
    static let counts = Mutex<[String: Int]>([:])

    override class func canInit(with request: URLRequest) -> Bool {
      request.url?.host?.hasSuffix(".counted") == true
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      if let cachedResponse {
        client?.urlProtocol(self, cachedResponseIsValid: cachedResponse)
        client?.urlProtocolDidFinishLoading(self)
        return
      }
      guard let url = request.url,
        let response = HTTPURLResponse(
          url: url, statusCode: url.path == "/part" ? 206 : 200, httpVersion: nil,
          headerFields: url.path == "/cookie" ? ["Set-Cookie": "a=1"] : nil)
      else { return }
      let count = Self.counts.withLock { counts in
        counts[url.host ?? "", default: 0] += 1
        return counts[url.host ?? ""] ?? 0
      }
      let policy: URLCache.StoragePolicy =
        switch url.path {
        case "/memory": .allowedInMemoryOnly
        case "/never": .notAllowed
        default: .allowed
        }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: policy)
      let body = url.path == "/large" ? String(repeating: "dog", count: 50_000) : "\(count)"
      client?.urlProtocol(self, didLoad: Data(body.utf8))
      if url.path == "/fails" {
        client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
      } else {
        client?.urlProtocolDidFinishLoading(self)
      }
    }

    override func stopLoading() {}
  }

  private let host = "\(UUID().uuidString.lowercased()).counted"
  private let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0)

  private func session(_ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [CountingProtocol.self]
    configuration.urlCache = cache
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private func request(
    _ path: String = "/a", method: String = "GET", policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "http://\(host)\(path)")), cachePolicy: policy)
    request.httpMethod = method
    return request
  }

  private func text(_ session: URLSession, _ request: URLRequest) async throws -> String {
    String(decoding: try await session.data(for: request).0, as: UTF8.self)
  }

  @Test(arguments: ["/a", "/memory"])
  func `a protocol gets the response that it allowed to be stored`(path: String) async throws {
    let session = session()
    #expect(try await text(session, request(path)) == "1")
    #expect(try await text(session, request(path)) == "1")
    let stored = try #require(cache.cachedResponse(for: request(path)))
    #expect(stored.data == Data("1".utf8) && (stored.response as? HTTPURLResponse)?.statusCode == 200)
  }

  @Test func `a part is not stored`() async throws {
    let session = session()
    for count in ["1", "2"] { #expect(try await text(session, request("/part")) == count) }
    #expect(try cache.cachedResponse(for: request("/part")) == nil)
  }

  @Test func `a response with a cookie stays in memory`() async throws {
    let session = session()
    for _ in 0..<2 { #expect(try await text(session, request("/cookie")) == "1") }
    #expect(try cache.cachedResponse(for: request("/cookie"))?.storagePolicy == .allowedInMemoryOnly)
    _ = try await text(session, request("/a"))
    #expect(try cache.cachedResponse(for: request("/a"))?.storagePolicy == .allowed)
  }

  @Test func `a response that must not be stored is not`() async throws {
    let session = session()
    #expect(try await text(session, request("/never")) == "1")
    #expect(try await text(session, request("/never")) == "2")
    #expect(cache.cachedResponse(for: try request("/never")) == nil)
  }

  @Test func `a load that ignores the cache gives its protocol no response`() async throws {
    let session = session()
    #expect(try await text(session, request()) == "1")
    #expect(try await text(session, request(policy: .reloadIgnoringLocalCacheData)) == "2")
    #expect(try await text(session, request()) == "2")
  }

  @Test func `a response that is longer than a twentieth of the capacity is not stored`() async throws {
    let session = session()
    #expect(try await text(session, request("/large")).utf8.count == 150_000)
    #expect(cache.cachedResponse(for: try request("/large")) == nil)
  }

  @Test func `an incomplete response is not stored`() async throws {
    let session = session()
    await #expect(throws: URLError.self) { _ = try await text(session, request("/fails")) }
    #expect(cache.cachedResponse(for: try request("/fails")) == nil)
  }

  @Test func `the response to a POST is not stored`() async throws {
    let session = session()
    #expect(try await text(session, request(method: "POST")) == "1")
    #expect(cache.cachedResponse(for: try request()) == nil)
  }

  @Test func `downloads are not stored`() async throws {
    _ = try await session().download(for: request())
    #expect(cache.cachedResponse(for: try request()) == nil)
  }

  /// Changes or refuses what is stored.
  private final class StoringDelegate: NSObject, URLSessionDataDelegate {
    let ended = Gate()
    private let answer: @Sendable (CachedURLResponse) -> CachedURLResponse?

    init(_ answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?) { self.answer = answer }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask,
      willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
      answer(proposedResponse)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      ended.open()
    }
  }

  @Test(arguments: [true, false])
  func `a delegate decides about a protocol's response`(stores: Bool) async throws {
    let delegate = StoringDelegate { proposed in
      stores ? CachedURLResponse(response: proposed.response, data: Data("changed".utf8)) : nil
    }
    session(delegate).dataTask(with: try request()).resume()
    await delegate.ended.wait()
    // The task does not wait for the delegate's answer.
    let (request, expected) = (try request(), stores ? Data("changed".utf8) : nil)
    #expect(await eventually { cache.cachedResponse(for: request)?.data == expected })
  }
}
