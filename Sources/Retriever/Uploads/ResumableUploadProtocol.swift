#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// The version of the Internet-Draft “Resumable Uploads for HTTP” (draft-ietf-httpbis-resumable-upload) that an upload
/// uses, as its interop version.
///
/// Version 6 is what Apple's platforms send since iOS 18.1 and macOS 15.1, and what servers of SwiftNIO understand; iOS 17
/// sends version 3. A request chooses another version with its own field `Upload-Draft-Interop-Version`. Servers must
/// ignore a version that they do not know, and clients ignore an answer of another version.
struct ResumableUploadVersion: Sendable, Equatable, Codable {
  static let standard = ResumableUploadVersion(6)
  static let fieldName = "Upload-Draft-Interop-Version"

  let number: Int

  private init(_ number: Int) { self.number = number }

  /// Creates a version that this library knows.
  init?(text: String) {
    guard let number = ASCII.number(ASCII.trimmed(text)), 3...8 ~= number else { return nil }
    self.init(Int(number))
  }

  init(from decoder: any Decoder) throws {
    let text = String(try decoder.singleValueContainer().decode(Int.self))
    guard let known = Self(text: text) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "unknown version \(text)"))
    }
    self = known
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// The name of the field that says whether the request or the upload is complete. Version 3 states the opposite.
  private var completenessName: String { number >= 4 ? "Upload-Complete" : "Upload-Incomplete" }

  /// The field that offers resumption, or that says that the upload ends with this request.
  var completing: (name: String, value: String) { (completenessName, number >= 4 ? "?1" : "?0") }

  /// The media type of the rest of a body; nil to keep that of the complete body.
  var partialType: String? { number >= 6 ? "application/partial-upload" : nil }

  /// The fields of the draft, which a program that speaks the protocol itself sets.
  static let fieldNames = ["Upload-Complete", "Upload-Incomplete", "Upload-Offset", "Upload-Length"]

  /// The version for a request; nil if its program speaks the protocol itself, or wants another version.
  init?(for fields: (_ name: String) -> String?) {
    guard Self.fieldNames.allSatisfy({ fields($0) == nil }) else { return nil }
    guard let chosen = fields(Self.fieldName) else {
      self = .standard
      return
    }
    self.init(text: chosen)
  }

  // MARK: Reading responses

  /// Whether an interim response belongs to this version.
  func isNamed(in fields: HeaderFields) -> Bool {
    fields.values(for: Self.fieldName).map { Self(text: $0) } == [self]
  }

  /// Whether the server has the complete upload; nil if it does not say.
  func isComplete(in fields: HeaderFields) -> Bool? {
    let values = fields.values(for: completenessName)
    guard values.count == 1, let value = values.first.map(Self.item) else { return nil }
    switch value {
    case "?1": return number >= 4
    case "?0": return number < 4
    default: return nil
    }
  }

  /// The server's offset. An invalid field is ignored, as if it were missing.
  static func offset(in fields: HeaderFields) -> Int64? {
    let values = fields.values(for: "Upload-Offset")
    guard values.count == 1, let value = values.first.map(item), value.utf8.count <= 15 else { return nil }
    return ASCII.number(value)
  }

  /// A structured field without its parameters (RFC 9651).
  private static func item(_ value: String) -> Substring {
    ASCII.trimmed(value.prefix { $0 != ";" })
  }

  /// The upload resource that an interim response names; nil if it names none, or one that must not be used.
  ///
  /// An upload that began over https never continues over http.
  static func location(in fields: HeaderFields, from base: URL) -> URL? {
    let values = fields.values(for: "Location").map { String(ASCII.trimmed($0)) }
    guard values.count == 1, let text = values.first, !text.isEmpty,
      let url = URL(string: text, relativeTo: base)?.absoluteURL
    else { return nil }
    return isUsable(url, from: base) ? url : nil
  }

  /// Whether an upload that began at one URL may continue at another one.
  static func isUsable(_ url: URL, from base: URL) -> Bool {
    guard let scheme = url.scheme.map({ ASCII.lowercased($0) }), scheme == "http" || scheme == "https",
      url.user == nil, url.password == nil, let origin = Origin(url), 1...65_535 ~= origin.port
    else { return false }
    return !RedirectRule.isDowngrade(from: base, to: url)
  }

  // MARK: Writing requests

  /// The fields of the original request that requests to the upload resource do not repeat, in lower case: conditions, and what
  /// describes the complete body but not its rest.
  private static let dropped: Set<String> = [
    "content-digest", "content-encoding", "content-length", "content-md5", "digest", "expect", "if-match",
    "if-modified-since", "if-none-match",
    "if-range",
    "if-unmodified-since", "range", "transfer-encoding",
  ]

  /// Creates the request that asks for the offset, or that sends the rest of the body.
  ///
  /// As on Apple's platforms, it has the fields of the original request. If the upload resource belongs to another origin,
  /// only the fields that may follow a redirect go along.
  static func request(_ method: String, to url: URL, continuing original: URLRequest) -> URLRequest {
    var request = original
    request.url = url
    request.httpMethod = method
    request.httpBody = nil
    request.httpBodyStream = nil
    // An offset is never taken from a cache.
    if method == "HEAD" { request.cachePolicy = .reloadIgnoringLocalCacheData }
    if original.mainDocumentURL == original.url { request.mainDocumentURL = url }
    var fields = original.headerFields
    fields.removeAll { dropped.contains(ASCII.lowercased($0)) }
    if let base = original.url, Origin(base) != Origin(url) {
      fields.removeAll { name in
        !ASCII.equalIgnoringCase(name, fieldName)
          && !RedirectFields.mayCross(
            name, hasBody: true, isDowngrade: RedirectRule.isDowngrade(from: base, to: url))
      }
    }
    request.headerFields = fields
    return request
  }
}
#endif
