import Foundation
import Synchronization
import TestSupport

extension Stage {
  private func cachingSession(_ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    configuration.urlCache = URLCache(memoryCapacity: 2_000_000, diskCapacity: 0, diskPath: nil)
    return session(delegate)
  }

  private func request(
    _ path: String = "/a", range: String? = nil, method: String = "GET",
    policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
    language: String? = nil
  ) -> URLRequest {
    var request = URLRequest(url: url(path), cachePolicy: policy)
    request.httpMethod = method
    if let range { request.setValue("bytes=\(range)", forHTTPHeaderField: "Range") }
    if let language { request.setValue(language, forHTTPHeaderField: "Accept-Language") }
    return request
  }

  /// Loads each request after the one before it has ended.
  private func texts(_ session: URLSession, _ requests: URLRequest...) async -> [String] {
    var texts: [String] = []
    for request in requests { texts.append(await text(session, request)) }
    return texts
  }

  func cachedTwice() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    return await texts(session, request(), request())
  }

  func cachedVariants() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    return await texts(
      session, request(language: "en"), request(language: "en"), request(language: "de"))
  }

  func cachePolicies() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    return await texts(
      session, request(), request(policy: .reloadIgnoringLocalCacheData),
      request(policy: .returnCacheDataElseLoad), request(policy: .returnCacheDataDontLoad))
  }

  func emptyCache() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    let address = URL(string: "http://127.0.0.1:9/a") ?? url()
    return [await text(session, URLRequest(url: address, cachePolicy: .returnCacheDataDontLoad))]
  }

  func noCache() async -> [String] {
    configuration.urlCache = nil
    let session = session()
    defer { session.invalidateAndCancel() }
    return await texts(session, request(), request())
  }

  func cacheInvalidation() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    return await texts(session, request(), request(method: "PUT"), request())
  }

  func cachedPosts() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    return await texts(session, request(method: "POST"), request(method: "POST"))
  }

  func refusedStoring() async -> [String] {
    for _ in 0..<2 {
      let delegate = RefusingDelegate(notes)
      let session = cachingSession(delegate)
      session.dataTask(with: request()).resume()
      await delegate.ended.wait()
      session.invalidateAndCancel()
    }
    return notes.lines.filter { $0 != "complete" }
  }

  func storedByProgram() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    guard let address = URL(string: "http://127.0.0.1:9/a"), let cache = session.configuration.urlCache,
      let response = HTTPURLResponse(
        url: address, statusCode: 200, httpVersion: "HTTP/1.1",
        headerFields: ["Cache-Control": "max-age=600", "Date": Self.now])
    else { return ["no cache"] }
    let stored = CachedURLResponse(response: response, data: Data("stored".utf8))
    cache.storeCachedResponse(stored, for: URLRequest(url: address))
    guard let (data, found) = try? await session.data(from: address) else { return ["not found"] }
    return [
      "status \((found as? HTTPURLResponse)?.statusCode ?? 0)", String(decoding: data, as: UTF8.self),
    ]
  }

  private static var now: String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: Date())
  }

  func clearedCache() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    let first = await text(session, request())
    session.configuration.urlCache?.removeAllCachedResponses()
    return [first, await text(session, request())]
  }

  func largeForCache() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    return await texts(session, request(), request()).map { "\($0.utf8.count)" }
  }

  func cachedConcurrently() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    let request = request()
    async let first = text(session, request)
    async let second = text(session, request)
    return await [first, second]
  }

  func cachedRange() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    let first = await text(session, request())
    guard let (data, response) = try? await session.data(for: request(range: "2-4")) else { return [first] }
    return [
      first, String(decoding: data, as: UTF8.self),
      "status \((response as? HTTPURLResponse)?.statusCode ?? 0)",
    ]
  }

  func combinedRanges() async -> [String] {
    let session = cachingSession()
    defer { session.invalidateAndCancel() }
    return await texts(
      session, request(range: "0-2047"), request(range: "2048-4095"), request(range: "1024-3071")
    ).map { "\($0.utf8.count)" }
  }

  func interruptedForCache() async -> [String] {
    // A twentieth of the capacity must have room for the body.
    configuration.urlCache = URLCache(memoryCapacity: 16_000_000, diskCapacity: 0, diskPath: nil)
    let session = session()
    defer { session.invalidateAndCancel() }
    let first = try? await session.data(for: request())
    return [first == nil ? "failed" : "loaded", "\(await text(session, request()).utf8.count)"]
  }

  func cacheSubclass() async -> [String] {
    configuration.urlCache = OwnStorage()
    let session = session()
    defer { session.invalidateAndCancel() }
    return await texts(session, request(), request())
  }
}

/// A cache that returns what it was given, and stores nothing itself.
private final class OwnStorage: URLCache, @unchecked Sendable {
  // The invariant: the only property is a constant of a Sendable type.
  private let stored = Mutex<CachedURLResponse?>(nil)

  init() { super.init(memoryCapacity: 2_000_000, diskCapacity: 0, diskPath: nil) }

  override func cachedResponse(for request: URLRequest) -> CachedURLResponse? { stored.withLock { $0 } }

  override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    stored.withLock { $0 = cachedResponse }
  }
}

/// Refuses to store responses.
private final class RefusingDelegate: NSObject, NotingDelegate, URLSessionDataDelegate {
  let notes: Notes
  let ended = Gate()

  init(_ notes: Notes) { self.notes = notes }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    notes.add(String(decoding: data, as: UTF8.self))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    notes.add("asked")
    completionHandler(nil)
  }
}
