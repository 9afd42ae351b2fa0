import Foundation
import HTTPService

/// A photo on its way from a request to the disk, and what is said beside it.
struct IncomingPhoto: Sendable {
  var photo: StagedPhoto
  var caption: String

  /// Reads a request's body: the photo itself, or a form with the parts `photo` and `caption`.
  ///
  /// - Throws: a problem that says what was wrong with it.
  init(_ call: Call, into photos: PhotoDirectory) async throws {
    let type = ContentType(call.request)
    guard type.type.hasPrefix("image/") || type.type == "multipart/form-data" else {
      throw Problem(
        .unsupportedMediaType,
        "Send the photo itself with a content type such as image/jpeg, or a form (multipart/form-data) with the parts "
          + "photo and caption.")
    }
    let isForm = type.type == "multipart/form-data"
    let limit = PhotoInspector.byteLimit + (isForm ? FormReading.overhead : 0)
    // Said before a byte of it is read.
    if let length = call.request.body.announcedLength, length > Int64(limit) {
      throw KennelError.photoTooLarge
    }
    let upload = try await photos.beginUpload()
    caption = call.request.query("caption") ?? ""
    if isForm {
      var form = try FormReading(boundary: type.parameter("boundary") ?? "")
      for try await piece in call.request.body { try await form.take(piece, into: upload) }
      try form.finish()
      caption = try form.caption ?? caption
    } else {
      for try await piece in call.request.body { try await upload.append(piece) }
    }
    photo = try await upload.finish()
  }
}
