import Foundation
import Synchronization
import TestSupport

extension Stage {
  private func cachingSession(_ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    configuration.urlCache = URLCache(memoryCapacity: 2_000_000, diskCapacity: 0, diskPath: nil)
    return session(delegate)
  }

  private func request(
    _ path: String = "/a", method: String = "GET", policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
    language: String? = nil
  ) -> URLRequest {
    var request = URLRequest(url: url(path), cachePolicy: policy)
    request.httpMethod = method
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
