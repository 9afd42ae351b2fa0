import Foundation

extension HTTPResponse {
  /// Creates a response to GET or HEAD with a file, with the requested part of it, or with 304.
  ///
  /// The kernel sends the file without copying it into this process. The response contains `ETag`, `Last-Modified` and
  /// `Accept-Ranges`. It respects `If-None-Match`, `If-Modified-Since`, `If-Match`, `If-Unmodified-Since`, `Range` and
  /// `If-Range`. Only one range is supported; a request for several ranges gets the complete file.
  ///
  /// The function does not validate the path, so do not use a path from a request without checking it. Opening the
  /// file blocks the thread.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - request: The request to answer.
  ///   - contentType: The content type of the file.
  ///   - fields: Additional header fields.
  ///   - entityTag: The tag of the file, such as a hash (default: made from the size, the time and the inode).
  /// - Throws: ``HTTPServerError`` with the code `unreadableFile` if the file cannot be opened or is not regular.
  public static func file(
    at path: String, for request: HTTPRequest, contentType: String, fields: HTTPFields = [:],
    entityTag: EntityTag? = nil
  ) throws -> HTTPResponse {
    let file = try OpenFile(path: path)
    return representation(
      of: file.size, for: request, contentType: contentType, fields: fields, tag: entityTag ?? file.entityTag,
      modified: file.modified
    ) { range in
      Body(content: .file(FileBody(file, offset: range.lowerBound, length: Int64(range.count))))
    }
  }

  /// Creates a response to GET or HEAD with data, with the requested part of it, or with 304, in the same way as for a
  /// file.
  ///
  /// - Parameters:
  ///   - data: The complete representation.
  ///   - request: The request to answer.
  ///   - contentType: The content type of the data.
  ///   - fields: Additional header fields.
  ///   - entityTag: The tag of the data; nil for none.
  ///   - modified: The date of the last change; nil if it is unknown.
  public static func content(
    _ data: Data, for request: HTTPRequest, contentType: String, fields: HTTPFields = [:],
    entityTag: EntityTag? = nil, modified: HTTPDate? = nil
  ) -> HTTPResponse {
    representation(
      of: Int64(data.count), for: request, contentType: contentType, fields: fields, tag: entityTag,
      modified: modified
    ) { range in
      let start = data.startIndex
      return .bytes(data[(start + Int(range.lowerBound))..<(start + Int(range.upperBound))])
    }
  }

  /// Creates a response to GET or HEAD with a representation that is opened when it is known which part of it is needed, in
  /// the same way as for a file.
  ///
  /// - Parameters:
  ///   - length: The length of the complete representation.
  ///   - open: Opens a part of the representation. It is not called if no bytes are sent.
  package static func opened<Failure: Error>(
    length: Int64, for request: HTTPRequest, contentType: String, fields: HTTPFields, entityTag: EntityTag,
    open: (Range<Int64>) async throws(Failure) -> @Sendable (HTTPBodyWriter) async throws -> Void
  ) async throws(Failure) -> HTTPResponse {
    var part: Range<Int64>?
    var response = representation(
      of: length, for: request, contentType: contentType, fields: fields, tag: entityTag, modified: nil
    ) { range in
      part = range
      return .stream(length: Int64(range.count)) { _ in }
    }
    if let part, request.method == .get {
      response.body = .stream(length: Int64(part.count), try await open(part))
    }
    return response
  }

  /// Creates a 304 from the tags that a client has, before there is a representation. Returns nil if the request must be
  /// answered from the representation: it has no tag of the current version, or other preconditions.
  ///
  /// - Parameters:
  ///   - request: The request to answer.
  ///   - fields: The header fields of the representation that a 304 repeats, without `ETag`.
  ///   - length: Returns the length of the representation with a tag, or nil if it is not the tag of the current version.
  package static func notModified(
    for request: HTTPRequest, fields: HTTPFields, length: (EntityTag) -> Int64?
  ) -> HTTPResponse? {
    let known = request.fields.values("If-None-Match")
    guard !known.isEmpty, request.method == .get || request.method == .head,
      request.fields["If-Match"] == nil, request.fields["If-Unmodified-Since"] == nil
    else { return nil }
    for tag in EntityTag.list(known) {
      guard let length = length(tag) else { continue }
      var response = HTTPResponse(status: .notModified, fields: fields)
      response.fields.append("ETag", EntityTag(tag.opaque).description)
      response.unmodifiedLength = length
      return response
    }
    return nil
  }

  private static func representation(
    of length: Int64, for request: HTTPRequest, contentType: String, fields: HTTPFields, tag: EntityTag?,
    modified: HTTPDate?, body: (Range<Int64>) -> Body
  ) -> HTTPResponse {
    var fields = fields
    if let tag { fields["ETag"] = tag.description }
    if let modified { fields["Last-Modified"] = modified.description }
    let outcome = RequestOutcome(
      method: request.method, fields: request.fields, tag: tag, modified: modified, length: length)
    switch outcome {
    case .notModified:
      var response = HTTPResponse(status: .notModified, fields: fields)
      response.unmodifiedLength = length
      return response
    case .preconditionFailed:
      return .text("The resource does not match the request's preconditions.\n", status: .preconditionFailed)
    case .unsatisfiableRange:
      var response = HTTPResponse.text("The requested range does not exist.\n", status: .rangeNotSatisfiable)
      response.fields["Content-Range"] = "bytes */\(length)"
      return response
    case .complete, .part: break
    }
    fields["Content-Type"] = contentType
    fields["Accept-Ranges"] = "bytes"
    guard case .part(let range) = outcome else {
      return HTTPResponse(fields: fields, body: body(0..<length))
    }
    fields["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    return HTTPResponse(status: .partialContent, fields: fields, body: body(range))
  }
}
