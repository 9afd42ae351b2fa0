import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// A photo or a video that was received with one request, and what its sender says about it.
struct IncomingPhoto: Sendable {
  var photo: StagedPhoto
  var details: UploadDetails

  /// Reads a request's body: the photo itself, or a form with the parts `photo`, `caption` and `place`.
  ///
  /// - Throws: a problem that explains the error.
  init(_ call: Call, into store: KennelStore, by user: User) async throws {
    let type = ContentType(call.request)
    let isForm = type.type == "multipart/form-data"
    let isVideo = type.type.hasPrefix("video/")
    guard type.type.hasPrefix("image/") || isVideo || isForm else {
      throw Problem(
        .unsupportedMediaType,
        "The content type is not supported. Send the photo itself with a type such as image/jpeg, or a form "
          + "(multipart/form-data) with the parts photo and caption.")
    }
    let allowsDuplicate = try Self.allowsDuplicate(call.request.query("duplicate") ?? "")
    // The request is refused before its body is read. What a form contains is known only then.
    if isVideo, store.photos.limits.video == 0 { throw KennelError.noVideos }
    let announced = call.request.body.announcedLength.map { Int(clamping: $0) }
    // The photo in a form is smaller than the form.
    try await store.posts.admitUpload(
      byteCount: announced.map { max(0, $0 - (isForm ? FormReading.overhead : 0)) },
      mayBeVideo: isForm || isVideo, by: user.id)
    let upload = try await store.photos.beginUpload()
    var caption = call.request.query("caption") ?? ""
    var place = call.request.query("place") ?? ""
    if isForm {
      var form = try FormReading(boundary: type.parameter("boundary") ?? "")
      for try await piece in call.request.body { try await form.take(piece, into: upload) }
      try form.finish()
      caption = try form.caption ?? caption
      place = form.place ?? place
    } else {
      for try await piece in call.request.body { try await upload.append(piece) }
    }
    details = UploadDetails(
      caption: caption, sharesMetadata: try Self.sharesMetadata(place), allowsDuplicate: allowsDuplicate)
    photo = try await upload.finish()
  }

  static func sharesMetadata(_ place: String) throws(Problem) -> Bool {
    switch place {
    case "", "private": false
    case "shared": true
    default:
      throw Problem(.unprocessableContent, "The parameter “place” must be shared or private (default).")
    }
  }

  /// Returns whether a photo is shared again that was already shared.
  static func allowsDuplicate(_ duplicate: String) throws(Problem) -> Bool {
    switch duplicate {
    case "": false
    case "allow": true
    default:
      throw .badRequest(
        "The parameter “duplicate” must be “allow”, to share a photo again that was already shared.")
    }
  }
}
