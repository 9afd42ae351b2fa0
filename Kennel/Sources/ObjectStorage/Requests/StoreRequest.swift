import Foundation
import Hashing
import Retriever

/// A request to a store, before it is signed.
struct StoreRequest: Sendable {
  /// Which failures allow another attempt.
  enum Repetition: Sendable {
    /// The second attempt has the same effect as the first.
    case always
    /// Only after a failure that certainly had no effect.
    case ifRefused
  }

  var method: String
  /// The name of the object with the prefix of the location; empty for the bucket.
  var key: String
  var query: [(String, String)] = []
  var headers: [(String, String)] = []
  var body: Data?
  var repetition = Repetition.always
  /// What the request is about, for errors.
  var subject: String

  /// Returns the signed request.
  func signed(_ location: StoreLocation, _ signer: RequestSigner, at date: Date) throws(ObjectStoreError)
    -> URLRequest
  {
    let hash = hexadecimal(SHA256.hash(body ?? Data()))
    var headers = headers
    headers.append(("x-amz-date", RequestSigner.time(date)))
    headers.append(("x-amz-content-sha256", hash))
    if let token = signer.credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
    let canonical = CanonicalRequest(
      method: method, path: location.path(of: key), query: query,
      headers: headers + [("host", location.host)],
      payload: hash)
    var request = URLRequest(url: try location.url(path: canonical.path, query: canonical.query))
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    request.setValue(signer.authorization(for: canonical, at: date), forHTTPHeaderField: "Authorization")
    // Objects are delivered as they are stored.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    request.httpBody = body
    return request
  }
}

extension StoreLocation {
  /// - Parameters:
  ///   - path: The path, percent-encoded.
  ///   - query: The query, percent-encoded.
  func url(path: String, query: String) throws(ObjectStoreError) -> URL {
    let text = "\(isSecure ? "https" : "http")://\(host)\(path)\(query.isEmpty ? "" : "?\(query)")"
    guard let url = URL(string: text) else {
      throw ObjectStoreError(.badAddress, "The address \(self) is not valid. Check the endpoint.")
    }
    return url
  }
}
