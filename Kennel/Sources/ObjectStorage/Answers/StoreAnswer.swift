import Foundation
import HTTPSyntax
import Retriever

/// The head of a store's response, and the error that it stands for.
struct StoreAnswer: Sendable {
  let status: Int
  private let response: HTTPURLResponse

  init(_ response: URLResponse) throws(ObjectStoreError) {
    guard let response = response as? HTTPURLResponse else {
      throw ObjectStoreError(.badResponse, "The store did not respond over HTTP. Check its address.")
    }
    self.response = response
    status = response.statusCode
  }

  var isSuccess: Bool { (200..<300).contains(status) }

  func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

  var tag: String { field("ETag") ?? "" }

  /// The properties that were given with the object, with lowercase names.
  var metadata: [String: String] {
    let prefix = "x-amz-meta-"
    var metadata: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      guard let name = (name as? String)?.lowercased(), name.hasPrefix(prefix) else { continue }
      metadata[String(name.dropFirst(prefix.count))] = value as? String
    }
    return metadata
  }

  /// The number of seconds to wait that the store asks for.
  var retryAfter: Duration? {
    field("Retry-After").flatMap { Int($0) }.map { .seconds(min(max($0, 0), 60)) }
  }

  /// Returns the error that a response stands for.
  ///
  /// - Parameters:
  ///   - body: The beginning of the response's body.
  ///   - subject: What was requested, such as "the object a/b".
  ///   - now: The time of this machine.
  func error(_ body: Data, subject: String, location: StoreLocation, now: Date) -> ObjectStoreError {
    let document = XMLDocument.parse(body)
    let error = document?.name == "Error" ? document : nil
    let storeCode = error?.text("Code").map { String($0.prefix(100)) }
    let (code, text) = describe(storeCode, subject, location, now)
    let requestID = error?.text("RequestId") ?? field("x-amz-request-id")
    return ObjectStoreError(
      code, text, status: status, storeCode: storeCode, requestID: requestID.map { String($0.prefix(100)) })
  }

  private func describe(
    _ storeCode: String?, _ subject: String, _ location: StoreLocation, _ now: Date
  ) -> (ObjectStoreError.Code, String) {
    let place = "the bucket \(location.bucket) at \(location.host)"
    switch (storeCode ?? "", status) {
    case ("RequestTimeTooSkewed", _): return (.wrongClock, clockText(now))
    case ("NoSuchBucket", _):
      return (
        .noSuchBucket,
        "There is no bucket \(location.bucket) at \(location.host). Create it, or check the address."
      )
    case ("NoSuchKey", _), ("NoSuchUpload", _), ("", 404):
      return (.noSuchObject, "There is no \(subject) in \(place).")
    case ("InvalidAccessKeyId", _), ("SignatureDoesNotMatch", _), ("ExpiredToken", _), ("InvalidToken", _):
      return (
        .notAllowed,
        "\(location.host) does not accept the credentials (\(storeCode ?? "")). Check the access key, the secret "
          + "key, the session token and the region \(location.region)."
      )
    case (_, 401), (_, 403):
      return (
        .notAllowed,
        "\(location.host) refused access to \(subject) (\(storeCode ?? "status \(status)")). Check the permissions "
          + "of the access key for \(place)."
      )
    case ("PreconditionFailed", _), (_, 412), ("ConditionalRequestConflict", _):
      return (.conditionFailed, "\(subject) in \(place) exists already or has changed.".capitalizedFirst)
    case (_, 416):
      return (.badRange, "\(subject) in \(place) does not have the requested bytes.".capitalizedFirst)
    case ("BadDigest", _), ("XAmzContentSHA256Mismatch", _), ("InvalidDigest", _),
      ("XAmzContentChecksumMismatch", _):
      return (.damaged, "\(subject) was damaged on its way to \(place). Try again.".capitalizedFirst)
    case ("EntityTooLarge", _), (_, 413):
      return (.tooLarge, "\(subject) is too large for \(place).".capitalizedFirst)
    case (_, 300..<400):
      return (
        .badAddress,
        "\(location.host) redirected the request for \(subject) (\(storeCode ?? "status \(status)")). Check the "
          + "endpoint and the region."
      )
    case (_, 501): return (.refused, "\(location.host) does not support the request for \(subject).")
    case ("InternalError", _), ("SlowDown", _), ("ServiceUnavailable", _), (_, 429), (_, 500...):
      return (
        .busy,
        "\(location.host) is overloaded or out of order (\(storeCode ?? "status \(status)")). Try again later."
      )
    default:
      let reason = storeCode ?? "status \(status)"
      return (.refused, "\(location.host) refused the request for \(subject) (\(reason)).")
    }
  }

  private func clockText(_ now: Date) -> String {
    let theirs = field("Date").flatMap { HTTPDateFormat.seconds($0) }
    let difference = theirs.map { Int64(clamping: Int64(now.timeIntervalSince1970) - $0).magnitude }
    let amount = difference.map { " by \($0) seconds" } ?? ""
    return "The clock of this machine differs\(amount) from that of the store, which refuses such requests. "
      + "Set the clock of this machine."
  }
}

extension String {
  /// The text as the beginning of a sentence.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
