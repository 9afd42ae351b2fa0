import Foundation
import KennelModel
import KennelStorage
import Retriever

/// Loads pages and photos from another kennel. Each call makes one attempt. The caller decides whether to repeat it.
struct PeerTransport: Sendable {
  let session: URLSession
  let peer: PeerAddress
  /// The token for the peer. Redirects are not followed, so no other server gets it.
  let token: PeerToken?

  /// Creates a session for other kennels: without cookies and credentials, and by default for public addresses only.
  static func makeSession(allowsPrivateAddresses: Bool) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    configuration.urlCache = nil
    configuration.addressPolicy = allowsPrivateAddresses ? .unrestricted : .publicOnly
    configuration.timeoutIntervalForRequest = 45
    configuration.timeoutIntervalForResource = 3600
    return URLSession(configuration: configuration)
  }

  func page(after cursor: Int64) async throws(PeerFailure) -> Data {
    do {
      let request = Self.request(peer.page(after: cursor, limit: PeerPage.pageSize), token: token)
      let (bytes, response) = try await session.bytes(for: request, delegate: StayingDelegate())
      if let failure = PeerFailure(response, expecting: [200]) { throw failure }
      var data = Data()
      for try await chunk in bytes.chunks {
        guard data.count + chunk.count <= PeerPage.maximumByteCount else {
          throw KennelError(.badPeer, "The other kennel sent a page that is too large.")
        }
        data += chunk
      }
      return data
    } catch {
      throw PeerFailure(error)
    }
  }

  /// Fetches the missing bytes of a photo.
  ///
  /// - Parameter received: called with the number of bytes that were received and stored.
  func fetch(
    _ partial: PartialPhoto, of post: Int64, received: @Sendable (Int) -> Void
  ) async throws(PeerFailure) {
    do {
      var (count, tag) = try await partial.state()
      if count == partial.byteCount { return }
      var request = Self.request(peer.photo(of: post), token: token)
      // Without a tag, it is unknown whether the photo is still the same.
      if let tag, count > 0, count < partial.byteCount {
        request.setValue("bytes=\(count)-", forHTTPHeaderField: "Range")
        request.setValue(tag, forHTTPHeaderField: "If-Range")
      }
      let (bytes, response) = try await session.bytes(for: request, delegate: StayingDelegate())
      if (response as? HTTPURLResponse)?.statusCode == 416 {
        try await partial.restart(tag: nil)
        throw PeerFailure.temporary(KennelError(.badPeer, "The photo has changed on the other kennel."))
      }
      if let failure = PeerFailure(response, expecting: [200, 206]) { throw failure }
      if !Self.continues(response, from: count, of: partial.byteCount, tag: tag) {
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
          throw KennelError(.badPeer, "The other kennel sent a different part of a photo than requested.")
        }
        count = 0
        try await partial.restart(tag: (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag"))
      }
      for try await chunk in bytes.chunks {
        guard chunk.count <= partial.byteCount - count else {
          try await partial.restart(tag: nil)
          throw KennelError(.badPhoto, "The photo has more bytes than announced.")
        }
        try await partial.append(chunk)
        count += chunk.count
        received(chunk.count)
      }
      guard count == partial.byteCount else {
        try await partial.restart(tag: nil)
        throw KennelError(.badPhoto, "The photo has fewer bytes than announced.")
      }
    } catch {
      throw PeerFailure(error)
    }
  }

  /// Returns whether a response continues the bytes that are stored.
  private static func continues(
    _ response: URLResponse, from count: Int, of total: Int, tag: String?
  ) -> Bool {
    guard let response = response as? HTTPURLResponse, response.statusCode == 206, count > 0, let tag,
      response.value(forHTTPHeaderField: "Content-Range") == "bytes \(count)-\(total - 1)/\(total)"
    else { return false }
    // RFC 9110, section 15.3.7: the response need not repeat the tag if the request had If-Range.
    return response.value(forHTTPHeaderField: "ETag").map { $0 == tag } ?? true
  }

  static func request(_ url: URL, token: PeerToken?) -> URLRequest {
    var request = URLRequest(url: url)
    if let token { request.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization") }
    request.setValue("Kennel", forHTTPHeaderField: "User-Agent")
    // Byte ranges count the encoded bytes, and the limits here apply to the bytes that are received.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    return request
  }
}

/// Follows no redirects: a peer must not make this machine load other addresses.
private final class StayingDelegate: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? { nil }
}
