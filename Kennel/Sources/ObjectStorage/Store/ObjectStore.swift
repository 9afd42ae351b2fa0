import Foundation
import HTTPSyntax
import Retriever

/// A client of an S3-compatible store, for the objects of one location. Names of objects do not contain the location's prefix.
///
///     let location = try StoreLocation("s3://photos/kennel?endpoint=https://objects.example.org&region=eu")
///     let store = ObjectStore(location, credentials: try .find())
///     try await store.put(data, as: "originals/rex.jpg", type: "image/jpeg")
///
/// Requests are signed, with the hash of their body. A request that failed is sent again, if it cannot have had an effect or
/// has the same effect twice. All errors are ``ObjectStoreError``s. Cancelling the task ends a transfer.
package struct ObjectStore: Sendable {
  /// Where the objects are.
  package let location: StoreLocation
  let transport: StoreTransport

  /// - Parameters:
  ///   - location: Where the objects are.
  ///   - credentials: What signs the requests.
  ///   - session: The session of the requests; nil for one of its own. Redirects are never followed.
  ///   - retries: When requests are sent again.
  ///   - clock: The time and the chance. Tests have their own.
  package init(
    _ location: StoreLocation, credentials: StoreCredentials, session: URLSession? = nil,
    retries: StoreRetries = StoreRetries(), clock: StoreClock = .system
  ) {
    self.location = location
    transport = StoreTransport(
      session: session ?? StoreTransport.makeSession(), location: location,
      signer: RequestSigner(credentials, region: location.region), retries: retries, clock: clock)
  }

  /// Checks that the bucket exists and that the credentials may list it.
  package func check() async throws(ObjectStoreError) {
    _ = try await page(prefix: "", after: nil, continuation: nil, limit: 1)
  }

  /// Creates the bucket. Stores of other people usually have it already.
  package func makeBucket() async throws(ObjectStoreError) {
    do throws(StoreTransport.Failure) {
      _ = try await transport.perform(StoreRequest(method: "PUT", key: "", subject: "the bucket"))
    } catch {
      throw error.error
    }
  }

  /// Deletes an object. Does nothing if it does not exist.
  package func delete(_ key: String) async throws(ObjectStoreError) {
    do throws(StoreTransport.Failure) {
      _ = try await transport.perform(request("DELETE", key))
    } catch {
      if !error.isMissing { throw error.error }
    }
  }

  /// Returns a URL that anyone can load an object with, without credentials, for a limited time.
  ///
  /// - Parameters:
  ///   - key: The name of the object. It need not exist.
  ///   - lifetime: From one second to seven days.
  ///   - parameters: Parameters that change the response, such as `response-content-disposition`.
  package func presignedURL(
    for key: String, lifetime: Duration, parameters: [(String, String)] = []
  ) throws(ObjectStoreError) -> URL {
    let seconds = Int(min(max(lifetime.components.seconds, 1), 7 * 86_400))
    let path = location.path(of: try full(key))
    let query = transport.signer.presignedQuery(
      method: "GET", path: path, host: location.host, query: parameters, lifetime: seconds,
      at: transport.clock.now())
    return try location.url(path: PercentEncoding.encode(path, keeping: "/"), query: query)
  }

  /// Returns a valid name with the location's prefix.
  func full(_ key: String) throws(ObjectStoreError) -> String {
    try ObjectKey.check(key)
    let key = location.prefix + key
    try ObjectKey.check(key)
    return key
  }

  func request(
    _ method: String, _ key: String, query: [(String, String)] = [], headers: [(String, String)] = [],
    body: Data? = nil
  ) throws(StoreTransport.Failure) -> StoreRequest {
    do throws(ObjectStoreError) {
      return StoreRequest(
        method: method, key: try full(key), query: query, headers: headers, body: body,
        subject: "the object \(key)")
    } catch {
      throw StoreTransport.Failure(error: error)
    }
  }
}
