import Foundation
import HTTPSyntax

/// Where objects are stored: a bucket, a prefix of the names in it, and the server.
///
/// As text, it is `s3://BUCKET/PREFIX?endpoint=URL&region=NAME&addressing=path`. Without an endpoint, it is Amazon's for the
/// region. Buckets of other endpoints are part of the path by default.
package struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
  /// Whether the bucket is in the path (`https://host/bucket/key`) or in the host name (`https://bucket.host/key`).
  package enum Addressing: String, Sendable, Hashable {
    case path
    case host
  }

  /// The name of the bucket.
  package let bucket: String
  /// What the names of all objects begin with: empty, or a text that ends with a slash.
  package let prefix: String
  /// The region, which is part of each signature.
  package let region: String
  /// Whether the server is reached with TLS.
  package let isSecure: Bool
  /// The host and the port of the server, without the bucket.
  package let authority: String
  /// Where the bucket is in a URL.
  package let addressing: Addressing

  /// Reads a location.
  ///
  /// - Parameters:
  ///   - text: The location, such as `s3://photos/kennel?endpoint=https://objects.example.org&region=eu`.
  ///   - environment: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `AWS_REGION` and `AWS_DEFAULT_REGION` apply to what the
  ///     text leaves out.
  package init(
    _ text: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ObjectStoreError) {
    guard text.hasPrefix("s3://") else { throw Self.failure("it does not begin with s3://") }
    let parts = text.dropFirst(5).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let names = (parts.first ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let bucket = String(names.first ?? "")
    guard Self.isBucket(bucket) else {
      throw Self.failure("the name of the bucket may have lowercase letters, digits, hyphens and dots only")
    }
    guard let path = PercentEncoding.decode((names.count > 1 ? names[1] : "").utf8) else {
      throw Self.failure("the prefix is not valid UTF-8")
    }
    let values = try Self.parameters(parts.count > 1 ? parts[1] : "")
    self.bucket = bucket
    let trimmed = path.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
    prefix = trimmed.isEmpty ? "" : trimmed + "/"
    try ObjectKey.check(prefix + "x")
    let region =
      values["region"] ?? environment["AWS_REGION"].nonEmpty
      ?? environment["AWS_DEFAULT_REGION"].nonEmpty ?? "us-east-1"
    guard !region.isEmpty, region.utf8.allSatisfy({ Self.isNameByte($0) }) else {
      throw Self.failure("the region may have letters, digits and hyphens only")
    }
    self.region = region
    let endpoint =
      values["endpoint"] ?? environment["AWS_ENDPOINT_URL_S3"].nonEmpty
      ?? environment["AWS_ENDPOINT_URL"].nonEmpty
    let addressing = try values["addressing"].map { name throws(ObjectStoreError) in
      guard let value = Addressing(rawValue: name) else {
        throw Self.failure("addressing is neither path nor host")
      }
      return value
    }
    guard let endpoint else {
      isSecure = true
      authority = "s3.\(region).amazonaws.com"
      // The certificate does not cover names with dots in front of the host name.
      self.addressing = addressing ?? (bucket.contains(".") ? .path : .host)
      return
    }
    (isSecure, authority) = try Self.server(endpoint)
    self.addressing = addressing ?? .path
  }

  /// The text, without anything secret. A location that is read from it is the same.
  package var description: String {
    let path = PercentEncoding.encode(prefix, keeping: "/")
    return "s3://\(bucket)/\(path)?endpoint=\(isSecure ? "https" : "http")://\(authority)&region=\(region)"
      + "&addressing=\(addressing.rawValue)"
  }

  /// The host of requests, as in the header field `Host`.
  var host: String { addressing == .host ? "\(bucket).\(authority)" : authority }

  /// The path of an object, or of the bucket if the name is empty. It is not percent-encoded.
  func path(of key: String) -> String { addressing == .host ? "/\(key)" : "/\(bucket)/\(key)" }

  private static func parameters(_ query: Substring) throws(ObjectStoreError) -> [String: String] {
    var values: [String: String] = [:]
    for item in query.split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = pair.first, pair.count == 2, ["endpoint", "region", "addressing"].contains(name),
        let value = PercentEncoding.decode(pair[1].utf8), values[String(name)] == nil
      else {
        throw failure("after the question mark, only endpoint, region and addressing are allowed, once each")
      }
      values[String(name)] = value
    }
    return values
  }

  private static func server(_ endpoint: String) throws(ObjectStoreError) -> (Bool, String) {
    let mistake = failure("the endpoint is not a URL such as https://objects.example.org")
    guard let url = URLComponents(string: endpoint), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http", let host = url.host?.lowercased(), !host.isEmpty
    else { throw mistake }
    guard url.user == nil, url.password == nil, url.path.isEmpty || url.path == "/", url.query == nil,
      url.fragment == nil
    else { throw failure("the endpoint must have a host and a port only") }
    let isSecure = scheme == "https"
    guard let port = url.port, port != (isSecure ? 443 : 80) else { return (isSecure, host) }
    guard (1...65535).contains(port) else { throw mistake }
    return (isSecure, "\(host):\(port)")
  }

  private static func isBucket(_ name: String) -> Bool {
    (3...63).contains(name.utf8.count) && name.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") }
      && name == name.lowercased() && !name.hasPrefix(".") && !name.hasSuffix(".") && !name.contains("..")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || (97...122).contains(ASCII.lowercased(byte))
  }

  private static func failure(_ reason: String) -> ObjectStoreError {
    ObjectStoreError(
      .badAddress,
      "The address of the store is not valid: \(reason). Write s3://BUCKET/PREFIX?endpoint=URL&region=NAME.")
  }
}

/// The rules for names of objects.
enum ObjectKey {
  /// The maximum number of bytes in a name.
  static let maximumLength = 1024

  /// Checks a name. Segments "." and ".." are refused, because a client or a proxy may resolve them.
  static func check(_ key: String) throws(ObjectStoreError) {
    let segments = key.split(separator: "/", omittingEmptySubsequences: false)
    guard !key.isEmpty, key.utf8.count <= maximumLength, !key.utf8.contains(0), !segments.contains("."),
      !segments.contains("..")
    else {
      throw ObjectStoreError(
        .badKey,
        "The name of an object must have 1 to 1024 bytes and no segment \".\" or \"..\".")
    }
  }
}
