import Foundation
import Retriever

/// Has pages and photos come from another kennel. Makes one attempt at a time; who calls decides on another one.
struct PeerTransport: Sendable {
  let session: URLSession
  let peer: PeerAddress

  /// A session for other kennels: no cookies, no credentials, and only public addresses unless said otherwise.
  static func makeSession(allowsPrivateAddresses: Bool) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    configuration.addressPolicy = allowsPrivateAddresses ? .unrestricted : .publicOnly
    configuration.timeoutIntervalForRequest = 45
    configuration.timeoutIntervalForResource = 3600
    return URLSession(configuration: configuration)
  }

  func page(after cursor: Int64) async throws(PeerFailure) -> Data {
    do {
      let request = Self.request(peer.page(after: cursor, limit: PeerPage.limit))
      let (bytes, response) = try await session.bytes(for: request, delegate: StayingDelegate())
      if let failure = PeerFailure(response, hopingFor: [200]) { throw failure }
      var data = Data()
      for try await chunk in bytes.chunks {
        guard data.count + chunk.count <= PeerPage.byteLimit else {
          throw KennelError(.badPeer, "The other kennel gives a page without end.")
        }
        data += chunk
      }
      return data
    } catch {
      throw PeerFailure(error)
    }
  }

  /// Fetches what is missing of a photo.
  ///
  /// - Parameter received: called with the number of bytes that have come and are kept.
  func fetch(
    _ partial: PartialPhoto, of post: Int64, received: @Sendable (Int) -> Void
  ) async throws(PeerFailure) {
    do {
      var (count, tag) = try await partial.state()
      if count == partial.byteCount { return }
      var request = Self.request(peer.photo(of: post))
      // Without a tag nobody knows whether the photo is still the same one.
      if let tag, count > 0, count < partial.byteCount {
        request.setValue("bytes=\(count)-", forHTTPHeaderField: "Range")
        request.setValue(tag, forHTTPHeaderField: "If-Range")
      }
      let (bytes, response) = try await session.bytes(for: request, delegate: StayingDelegate())
      if (response as? HTTPURLResponse)?.statusCode == 416 {
        try await partial.restart(tag: nil)
        throw PeerFailure.passing(KennelError(.badPeer, "The other kennel has another photo by now."))
      }
      if let failure = PeerFailure(response, hopingFor: [200, 206]) { throw failure }
      if !Self.continues(response, from: count, of: partial.byteCount, tag: tag) {
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
          throw KennelError(.badPeer, "The other kennel sends another part of a photo than it was asked for.")
        }
        count = 0
        try await partial.restart(tag: (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag"))
      }
      for try await chunk in bytes.chunks {
        guard chunk.count <= partial.byteCount - count else {
          try await partial.restart(tag: nil)
          throw KennelError(.badPhoto, "Its photo has more bytes than was said.")
        }
        try await partial.append(chunk)
        count += chunk.count
        received(chunk.count)
      }
      guard count == partial.byteCount else {
        try await partial.restart(tag: nil)
        throw KennelError(.badPhoto, "Its photo has fewer bytes than was said.")
      }
    } catch {
      throw PeerFailure(error)
    }
  }

  /// Whether a response is what follows the bytes that are there.
  private static func continues(
    _ response: URLResponse, from count: Int, of total: Int, tag: String?
  ) -> Bool {
    guard let response = response as? HTTPURLResponse, response.statusCode == 206, count > 0, let tag,
      response.value(forHTTPHeaderField: "Content-Range") == "bytes \(count)-\(total - 1)/\(total)"
    else { return false }
    // RFC 9110, 15.3.7: the tag need not be there again when the request had If-Range.
    return response.value(forHTTPHeaderField: "ETag").map { $0 == tag } ?? true
  }

  static func request(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.setValue("Kennel", forHTTPHeaderField: "User-Agent")
    // Ranges count the bytes as they are sent; what is limited here is what comes.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    return request
  }
}

/// Follows no redirect: a peer must not have this machine fetch from elsewhere.
private final class StayingDelegate: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? { nil }
}
