import Foundation
import HTTPService
import HTTPSyntax
import KennelModel
import KennelStorage

/// The header fields of tus 1.0, the protocol of uploads that can be resumed (https://tus.io/protocols/resumable-upload).
enum TusFields {
  static let version = "1.0.0"
  static let contentType = "application/offset+octet-stream"
  private static let extensions = [
    "creation", "creation-with-upload", "termination", "expiration", "checksum",
  ]

  /// What the server can do, for OPTIONS.
  ///
  /// - Parameter maximum: the maximum size of an upload in bytes.
  static func capabilities(maximum: Int) -> HTTPFields {
    [
      "Tus-Resumable": version, "Tus-Version": version,
      "Tus-Extension": extensions.joined(separator: ","),
      "Tus-Max-Size": String(maximum), "Tus-Checksum-Algorithm": "sha256",
    ]
  }

  /// - Throws: a problem with status 412 if the client uses another version of the protocol.
  static func requireVersion(_ request: HTTPRequest) throws(Problem) {
    guard request.fields.values("Tus-Resumable") == [version] else {
      throw Problem(
        .preconditionFailed, "The request must have the field Tus-Resumable: \(version).",
        fields: ["Tus-Version": version])
    }
  }

  /// Returns the value of a field that must be a number, or nil if there is no such field.
  static func number(_ name: String, in request: HTTPRequest) throws(Problem) -> Int? {
    let values = request.fields.values(name)
    guard let first = values.first else { return nil }
    guard values.count == 1, let number = ASCII.number(first).flatMap({ Int(exactly: $0) }) else {
      throw .badRequest("The field \(name) must be a single number of bytes.")
    }
    return number
  }

  /// Returns the value of a field that must be present and a number.
  static func requiredNumber(_ name: String, in request: HTTPRequest) throws(Problem) -> Int {
    guard let number = try number(name, in: request) else {
      throw .badRequest("The field \(name) is missing. Send the number of bytes.")
    }
    return number
  }

  /// The fields that describe the state of an upload.
  static func state(of upload: Upload, offset: Int) -> HTTPFields {
    let end = HTTPDate(secondsSince1970: Int64(upload.expires.timeIntervalSince1970))
    var fields: HTTPFields = [
      "Tus-Resumable": version, "Upload-Offset": String(offset), "Upload-Length": String(upload.byteCount),
      "Upload-Expires": "\(end)", "Cache-Control": "no-store",
    ]
    if !upload.description.isEmpty { fields.append("Upload-Metadata", upload.description) }
    if let post = upload.post { fields.append("Kennel-Post", String(post)) }
    return fields
  }
}

/// What a client says about an upload when it begins, in the field `Upload-Metadata`: pairs of a key and a value in Base64.
struct UploadDescription: Sendable {
  /// The maximum size of the field in bytes.
  private static let maximumSize = 16 << 10

  /// The field as it was sent.
  let text: String
  private let values: [String: String]

  init(_ request: HTTPRequest) throws(Problem) {
    text = request.fields.values("Upload-Metadata").joined(separator: ",")
    guard text.utf8.count <= Self.maximumSize else {
      throw .badRequest("The field Upload-Metadata is too long. Shorten the caption.")
    }
    var values: [String: String] = [:]
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: " ")
      guard let key = parts.first, parts.count <= 2 else {
        throw .badRequest(
          "The field Upload-Metadata is not valid. Send pairs of a key and a value in Base64.")
      }
      let encoded = parts.count == 2 ? String(parts[1]) : ""
      guard let data = Data(base64Encoded: encoded), let value = String(bytes: data, encoding: .utf8),
        values.updateValue(value, forKey: String(key)) == nil
      else {
        throw .badRequest(
          "The value of “\(key.prefix(40))” in Upload-Metadata must be UTF-8 in Base64, and each key must be unique."
        )
      }
    }
    self.values = values
  }

  var caption: String { values["caption"] ?? "" }

  /// Whether others get the metadata of the photo.
  var sharesMetadata: Bool {
    get throws(Problem) { try IncomingPhoto.sharesMetadata(values["place"] ?? "") }
  }

  /// Whether the photo is shared again if it was already shared.
  var allowsDuplicate: Bool {
    get throws(Problem) { try IncomingPhoto.allowsDuplicate(values["duplicate"] ?? "") }
  }

  /// The SHA-256 hash of the file, if the client knows it. It saves the upload of a photo that was already shared.
  var hash: PhotoHash? {
    get throws(Problem) {
      guard let text = values["sha256"] else { return nil }
      guard let hash = PhotoHash(text) else {
        throw .badRequest("The value of “sha256” must be 64 lowercase hexadecimal digits.")
      }
      return hash
    }
  }
}

/// The checksum of the body of a request, in the field `Upload-Checksum`.
struct UploadChecksum: Sendable, Equatable {
  let hash: PhotoHash

  /// Returns nil if the request has no checksum.
  init?(_ request: HTTPRequest) throws(Problem) {
    let values = request.fields.values("Upload-Checksum")
    guard let first = values.first else { return nil }
    let parts = first.split(separator: " ")
    guard values.count == 1, parts.count == 2 else {
      throw .badRequest("The field Upload-Checksum must be an algorithm and a checksum in Base64.")
    }
    guard parts[0] == "sha256" else {
      throw .badRequest("The checksum algorithm is not supported. Use sha256.")
    }
    guard let data = Data(base64Encoded: String(parts[1])), let hash = PhotoHash(bytes: Array(data)) else {
      throw .badRequest("The checksum must be 32 bytes in Base64.")
    }
    self.hash = hash
  }

  /// The status that the protocol defines for a wrong checksum.
  static let mismatch = Problem(
    460, "The checksum does not match the bytes, so they were discarded. Send them again.")
}
