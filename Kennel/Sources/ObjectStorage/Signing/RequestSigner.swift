import Foundation
import Hashing
import Synchronization

/// Signs requests with Signature Version 4.
package final class RequestSigner: Sendable {
  /// The credentials that sign.
  package let credentials: StoreCredentials
  private let region: String
  private let service: String
  /// The key of the latest day. Deriving one takes four hashes.
  private let latest = Mutex<(day: String, key: [UInt8])?>(nil)

  package init(_ credentials: StoreCredentials, region: String, service: String = "s3") {
    self.credentials = credentials
    self.region = region
    self.service = service
  }

  private static let algorithm = "AWS4-HMAC-SHA256"

  /// Returns a moment as in `X-Amz-Date`, such as `20130524T000000Z`.
  static func time(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
  }

  /// Returns the value of the header field `Authorization`.
  func authorization(for request: CanonicalRequest, at date: Date) -> String {
    let time = Self.time(date)
    return "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope(time)),"
      + "SignedHeaders=\(request.signedHeaders),Signature=\(signature(of: request, time: time))"
  }

  /// Returns the query of a signed URL, percent-encoded. Only the host is signed, so any client can use the URL.
  func presignedQuery(
    method: String, path: String, host: String, query: [(String, String)], lifetime: Int, at date: Date
  ) -> String {
    let time = Self.time(date)
    var items = query
    items.append(("X-Amz-Algorithm", Self.algorithm))
    items.append(("X-Amz-Credential", "\(credentials.accessKey)/\(scope(time))"))
    items.append(("X-Amz-Date", time))
    items.append(("X-Amz-Expires", String(lifetime)))
    items.append(("X-Amz-SignedHeaders", "host"))
    if let token = credentials.sessionToken { items.append(("X-Amz-Security-Token", token)) }
    let request = CanonicalRequest(
      method: method, path: path, query: items, headers: [("host", host)],
      payload: CanonicalRequest.unsignedPayload)
    return "\(request.query)&X-Amz-Signature=\(signature(of: request, time: time))"
  }

  private func scope(_ time: String) -> String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

  /// Returns the text that is signed.
  func stringToSign(for request: CanonicalRequest, time: String) -> String {
    [Self.algorithm, time, scope(time), hexadecimal(SHA256.hash(request.text.utf8))].joined(separator: "\n")
  }

  private func signature(of request: CanonicalRequest, time: String) -> String {
    let text = stringToSign(for: request, time: time)
    return hexadecimal(SHA256.authentication(of: text.utf8, key: key(ofDay: String(time.prefix(8)))))
  }

  private func key(ofDay day: String) -> [UInt8] {
    if let known = latest.withLock({ $0?.day == day ? $0?.key : nil }) { return known }
    let first = Array("AWS4\(credentials.secretKey)".utf8)
    let key = [day, region, service, "aws4_request"].reduce(first) {
      SHA256.authentication(of: $1.utf8, key: $0)
    }
    latest.withLock { $0 = (day, key) }
    return key
  }
}
