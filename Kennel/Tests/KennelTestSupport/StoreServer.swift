import Foundation
import ObjectStorage
import TestSupport

/// An S3-compatible server that checks signatures. This is moto (from PyPI), which keeps everything in memory, or the server
/// that `scripts/test-stores` has started and names in KENNEL_TEST_STORE.
package final class StoreServer: Sendable {
  private static let external = ProcessInfo.processInfo.environment["KENNEL_TEST_STORE"]
  /// Whether there is a server.
  package static let isAvailable = external != nil || PythonInterpreter.has("moto, flask_cors")
  /// Whether the server can check presigned URLs. moto cannot.
  package static let checksPresignedURLs = external != nil
  package static let shared: Result<StoreServer, any Error> = Result { try StoreServer() }

  private let endpoint: String
  package let credentials: StoreCredentials
  private let process: ChildProcess?

  private init() throws {
    if let external = Self.external {
      (endpoint, credentials, process) = (external, try .find(), nil)
      return
    }
    let program = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../Programs/moto-server.py")
    let (process, port) = try PythonInterpreter.startServer(String(contentsOf: program, encoding: .utf8))
    guard let access = process.readLine(), let secret = process.readLine() else {
      throw TestSupportError("moto did not print its credentials.")
    }
    endpoint = "http://127.0.0.1:\(port)"
    credentials = StoreCredentials(accessKey: access, secretKey: secret)
    self.process = process
  }

  /// The port of the server.
  package var port: UInt16 { URL(string: endpoint)?.port.map { UInt16(clamping: $0) } ?? 80 }

  /// The location of a bucket.
  ///
  /// - Parameter port: the port of a relay to the server, if one is used.
  package func location(
    _ bucket: String, _ prefix: String = "", port: UInt16? = nil
  ) throws -> StoreLocation {
    let endpoint = port.map { "http://127.0.0.1:\($0)" } ?? endpoint
    return try StoreLocation(
      "s3://\(bucket)/\(prefix)?endpoint=\(endpoint)&region=us-east-1", environment: [:])
  }

  /// A store with an empty bucket.
  package func store(_ bucket: String, _ prefix: String = "") async throws -> ObjectStore {
    let store = ObjectStore(try location(bucket, prefix), credentials: credentials)
    do throws(ObjectStoreError) { try await store.makeBucket() } catch {
      // An earlier attempt at the same test made it.
      guard error.storeCode == "BucketAlreadyOwnedByYou" else { throw error }
      var keys: [String] = []
      for try await object in store.objects() { keys.append(object.key) }
      try await store.delete(keys)
    }
    return store
  }
}
