import Foundation

extension HTTPResponse {
  /// Answers GET or HEAD with a file, or the part of it that was asked for, or 304.
  ///
  /// The file is sent by the kernel, without a copy in this process. `ETag`, `Last-Modified` and `Accept-Ranges` are
  /// added; `If-None-Match`, `If-Modified-Since`, `If-Match`, `If-Unmodified-Since`, `Range` and `If-Range` are
  /// obeyed (one range at a time; several are answered with the whole). The path is taken as it is: it must not
  /// come from a request unchecked. Opening the file blocks for as long as the file system takes.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - request: The request to answer.
  ///   - contentType: The file's type.
  ///   - fields: More header fields.
  ///   - entityTag: The file's tag if the caller knows a better one than size, time and inode, such as a hash.
  /// - Throws: ``HTTPServerError`` with the code `unreadableFile` when it cannot be opened or is no regular file.
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

  /// Answers GET or HEAD with bytes, or the part of them that was asked for, or 304; as for a file.
  ///
  /// - Parameters:
  ///   - data: The whole representation.
  ///   - request: The request to answer.
  ///   - contentType: Its type.
  ///   - fields: More header fields.
  ///   - entityTag: Its tag, nil for none.
  ///   - modified: When it was last changed, nil when that is not known.
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
      response.keptLength = length
      return response
    case .preconditionFailed:
      return .text("The resource is not in the state the request presumes.\n", status: .preconditionFailed)
    case .unsatisfiableRange:
      var response = HTTPResponse.text("There are no such bytes.\n", status: .rangeNotSatisfiable)
      response.fields["Content-Range"] = "bytes */\(length)"
      return response
    case .whole, .part: break
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
