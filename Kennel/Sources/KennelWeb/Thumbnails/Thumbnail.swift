import Foundation
import HTTPService
import KennelStorage

/// A thumbnail that is ready to be sent.
package final class Thumbnail: Sendable {
  enum Content: Sendable {
    /// A small thumbnail, in memory.
    case bytes(Data)
    /// A larger thumbnail, in an open file that the kernel sends.
    case file(HTTPResponse.Body, byteCount: Int)
  }

  /// The size up to which a copy in memory is cheaper than an open file.
  static let maximumInMemorySize = 32 << 10

  let key: ThumbnailKey
  let content: Content
  let tag: EntityTag
  /// Whether it stands for a video without a frame. Then it may change.
  let isPlaceholder: Bool
  private let cacheControl: String
  private let fields: HTTPFields
  private let negotiatedFields: HTTPFields

  init(_ key: ThumbnailKey, _ content: Content, isPlaceholder: Bool = false) {
    self.key = key
    self.content = content
    self.isPlaceholder = isPlaceholder
    let mark = isPlaceholder ? "-drawn" : ""
    tag = EntityTag("\(key.photo.description.prefix(32))-\(key.size.pixels)-\(key.format.rawValue)\(mark)")
    cacheControl = isPlaceholder ? CacheControl.revalidated : CacheControl.immutable
    var fields: HTTPFields = [
      "Content-Type": key.format.contentType, "Cache-Control": cacheControl,
      "ETag": tag.description, "Accept-Ranges": "bytes",
    ]
    CommonFields.add(to: &fields)
    self.fields = fields
    fields.append("Vary", "Accept")
    negotiatedFields = fields
  }

  package var byteCount: Int {
    switch content {
    case .bytes(let data): data.count
    case .file(_, let count): count
    }
  }

  /// Returns the response to an unconditional request, or nil if the request has conditions or asks for a range.
  func plainResponse(to request: HTTPRequest, isNegotiated: Bool) -> HTTPResponse? {
    for name in Self.conditions where request.fields[name] != nil { return nil }
    let fields = isNegotiated ? negotiatedFields : fields
    switch content {
    case .bytes(let data): return HTTPResponse(fields: fields, body: .bytes(data))
    case .file(let body, _): return HTTPResponse(fields: fields, body: body)
    }
  }

  private static let conditions = [
    "If-None-Match", "Range", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
  ]

  /// Returns the response to a conditional request, from the bytes.
  func response(of bytes: Data, to request: HTTPRequest, isNegotiated: Bool) -> HTTPResponse {
    var fields: HTTPFields = ["Cache-Control": cacheControl]
    if isNegotiated { fields.append("Vary", "Accept") }
    return .content(
      bytes, for: request, contentType: key.format.contentType, fields: fields, entityTag: tag)
  }
}
