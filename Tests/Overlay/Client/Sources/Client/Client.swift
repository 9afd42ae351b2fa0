import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client as libraries have it: its interface uses the types of FoundationNetworking.
public final class Client {
  private let session: URLSession

  /// Creates a client of a session.
  public init(session: URLSession = .shared) {
    self.session = session
  }

  /// Loads a URL.
  public func get(_ url: URL) async throws -> (Data, HTTPURLResponse) {
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 10)
    request.setValue("text/plain", forHTTPHeaderField: "Accept")
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return (data, response)
  }

  /// Loads a URL, and calls a handler.
  public func get(_ url: URL, completion: @escaping @Sendable (Result<Data, any Error>) -> Void) {
    session.dataTask(with: url) { data, _, error in
      completion(Result { if let data { data } else { throw error ?? URLError(.unknown) } })
    }.resume()
  }
}

/// Answers every request to `mock.invalid`.
public final class MockProtocol: URLProtocol {
  public override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock.invalid" }
  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  public override func startLoading() {
    guard let url = request.url,
      let response = HTTPURLResponse(url: url, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: nil)
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("mocked".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  public override func stopLoading() {}
}
