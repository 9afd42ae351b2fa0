import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Uploads that can be resumed, with the protocol tus 1.0. A complete upload becomes a post.
struct UploadEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let metrics: Metrics
  let active = ActiveUploads()

  /// Reports what the server can do.
  func describe(_ call: Call) -> HTTPResponse {
    HTTPResponse(status: .noContent, fields: TusFields.capabilities(maximum: store.photos.limits.maximum))
  }

  /// Begins an upload. If the request has bytes already, they are received too.
  func begin(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    return try await answer { () async throws in
      let upload = try await begin(call.request, by: user)
      var fields = TusFields.state(of: upload, offset: 0)
      if ContentType(call.request).type == TusFields.contentType {
        let checksum = try UploadChecksum(call.request)
        fields = try await active.perform(upload.name) {
          try await receive(call.request, for: upload, at: 0, checksum, allowsDuplicate: false)
        }
      } else if call.request.body.announcedLength != 0 {
        throw Self.wrongType
      }
      fields.append("Location", "/uploads/\(upload.name)")
      return HTTPResponse(status: .created, fields: fields)
    }
  }

  private func begin(_ request: HTTPRequest, by user: User) async throws -> Upload {
    try TusFields.requireVersion(request)
    guard request.fields["Upload-Defer-Length"] == nil else {
      throw Problem.badRequest("The size must be known when an upload begins. Send the field Upload-Length.")
    }
    let byteCount = try TusFields.requiredNumber("Upload-Length", in: request)
    let description = try UploadDescription(request)
    let details = UploadDetails(
      caption: description.caption, sharesMetadata: try description.sharesMetadata,
      allowsDuplicate: try description.allowsDuplicate)
    try await store.posts.admitUpload(byteCount: byteCount, mayBeVideo: true, by: user.id)
    if !details.allowsDuplicate, let hash = try description.hash,
      let post = try await store.posts.post(of: hash)
    {
      throw KennelError.alreadyPosted(post)
    }
    return try await store.uploads.begin(
      byteCount: byteCount, details: details, description: description.text, by: user.id)
  }

  /// Reports the state of an upload, for HEAD and GET.
  func show(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    return try await answer { () async throws in
      try TusFields.requireVersion(call.request)
      let upload = try await store.uploads.upload(call.name, of: user.id)
      let fields = try await active.perform(upload.name) { try await state(of: upload) }
      return HTTPResponse(fields: fields)
    }
  }

  /// Receives bytes of an upload. With the last one, it becomes a post. A request without bytes does that if it failed before.
  func append(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let allowsDuplicate = try IncomingPhoto.allowsDuplicate(call.request.query("duplicate") ?? "")
    return try await answer { () async throws in
      let request = call.request
      try TusFields.requireVersion(request)
      guard ContentType(request).type == TusFields.contentType else { throw Self.wrongType }
      let offset = try TusFields.requiredNumber("Upload-Offset", in: request)
      let checksum = try UploadChecksum(request)
      let upload = try await store.uploads.upload(call.name, of: user.id)
      let fields = try await active.perform(upload.name) {
        try await receive(request, for: upload, at: offset, checksum, allowsDuplicate: allowsDuplicate)
      }
      return HTTPResponse(status: .noContent, fields: fields)
    }
  }

  /// Cancels an upload. A post that it has become stays.
  func cancel(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    return try await answer { () async throws in
      try TusFields.requireVersion(call.request)
      let upload = try await store.uploads.upload(call.name, of: user.id)
      try await active.perform(upload.name) { try await store.uploads.remove(upload) }
      return HTTPResponse(status: .noContent, fields: ["Tus-Resumable": TusFields.version])
    }
  }

  /// A request with POST whose real method a field names, from a client behind a proxy that allows nothing else.
  func override(_ call: Call) async throws -> HTTPResponse {
    switch call.request.fields["X-HTTP-Method-Override"] {
    case "PATCH": return try await append(call)
    case "DELETE": return try await cancel(call)
    case "HEAD": return try await show(call)
    default:
      throw Problem.methodNotAllowed(allowed: [.get, .head, .patch, .delete])
    }
  }

  private static let wrongType = Problem(
    .unsupportedMediaType, "The content type must be \(TusFields.contentType).")

  /// Adds the version of the protocol to each response, also to one with a problem.
  private func answer(_ body: () async throws -> HTTPResponse) async throws -> HTTPResponse {
    do {
      return try await body()
    } catch {
      var problem = Problem(error)
      // The site notices faults by the error itself.
      if Problem.isFault(error) { throw error }
      if problem.fields["Tus-Resumable"] == nil {
        problem.fields.append("Tus-Resumable", TusFields.version)
      }
      throw problem
    }
  }

  private func state(of upload: Upload) async throws -> HTTPFields {
    // An earlier request may have finished it meanwhile.
    let upload = try await store.uploads.upload(upload.name, of: upload.user)
    if upload.post != nil { return TusFields.state(of: upload, offset: upload.byteCount) }
    return TusFields.state(of: upload, offset: try await store.uploads.open(upload).offset)
  }

  private func receive(
    _ request: HTTPRequest, for known: Upload, at offset: Int, _ checksum: UploadChecksum?,
    allowsDuplicate: Bool
  ) async throws -> HTTPFields {
    var upload = try await store.uploads.upload(known.name, of: known.user)
    if upload.post != nil {
      // The response to the last request was lost.
      guard offset == upload.byteCount, request.body.announcedLength == 0 else {
        throw Self.wrongOffset(upload.byteCount)
      }
      return TusFields.state(of: upload, offset: upload.byteCount)
    }
    let open = try await store.uploads.open(upload)
    guard offset == open.offset else { throw Self.wrongOffset(open.offset) }
    // Refused before the body is read.
    if let length = request.body.announcedLength, length > Int64(open.missingCount) {
      throw Problem(.contentTooLarge, "The body has more bytes than the upload still needs.")
    }
    try await receive(request.body, into: open, checksum)
    let durable = try await open.sync()
    guard open.isComplete else { return TusFields.state(of: upload, offset: durable) }
    do throws(KennelError) {
      let post = try await store.uploads.finish(open, allowsDuplicate: allowsDuplicate)
      metrics.countPhoto(bytes: post.byteCount)
      upload.post = post.id
    } catch {
      metrics.count(.photoRefused)
      if error.code == .quotaExceeded { metrics.count(.quotaExceeded) }
      throw error
    }
    return TusFields.state(of: upload, offset: durable)
  }

  private func receive(
    _ body: HTTPRequestBody, into open: OpenUpload, _ checksum: UploadChecksum?
  ) async throws {
    guard let checksum else {
      for try await piece in body { try await open.append(piece) }
      return
    }
    // Bytes that are not verified never get into the file of the upload, also if the server is killed meanwhile.
    let part = try await store.photos.beginUpload()
    for try await piece in body { try await part.append(piece) }
    let verified = try await part.finish()
    guard verified.hash == checksum.hash else { throw UploadChecksum.mismatch }
    try await open.append(verified)
  }

  private static func wrongOffset(_ offset: Int) -> Problem {
    Problem(
      .conflict, "The upload has \(offset) bytes. Send the bytes that follow them.",
      fields: ["Upload-Offset": String(offset)])
  }
}
