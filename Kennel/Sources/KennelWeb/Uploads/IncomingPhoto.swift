import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// A photo or a video that was received with a request, and its caption.
struct IncomingPhoto: Sendable {
  var photo: StagedPhoto
  var caption: String
  /// Whether others get the metadata of the photo, such as the place.
  var sharesMetadata: Bool

  /// Reads a request's body: the photo itself, or a form with the parts `photo`, `caption` and `place`.
  ///
  /// - Parameter requireRoom: refuses a photo of an announced size before the body is read.
  /// - Throws: a problem that explains the error.
  init(
    _ call: Call, into photos: PhotoDirectory, requireRoom: (Int64) async throws(KennelError) -> Void
  ) async throws {
    let type = ContentType(call.request)
    let isForm = type.type == "multipart/form-data"
    let isVideo = type.type.hasPrefix("video/")
    guard type.type.hasPrefix("image/") || isVideo || isForm else {
      throw Problem(
        .unsupportedMediaType,
        "The content type is not supported. Send the photo itself with a type such as image/jpeg, or a form "
          + "(multipart/form-data) with the parts photo and caption.")
    }
    // The request is refused before its body is read. What a form contains is known only then.
    let videoLimit = photos.limits.video
    if isVideo, videoLimit == 0 { throw KennelError.noVideos }
    if let length = call.request.body.announcedLength {
      let limit =
        isForm || isVideo ? max(videoLimit, PhotoInspector.maximumByteCount) : PhotoInspector.maximumByteCount
      if length > Int64(limit) + Int64(isForm ? FormReading.overhead : 0) {
        throw limit == videoLimit ? KennelError.videoTooLarge(limit: limit) : KennelError.photoTooLarge
      }
      try await photos.requireSpace(for: length)
    }
    // The photo in a form is smaller than the form.
    let announced = (call.request.body.announcedLength ?? 0) - Int64(isForm ? FormReading.overhead : 0)
    try await requireRoom(max(announced, 1))
    let upload = try await photos.beginUpload()
    caption = call.request.query("caption") ?? ""
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
    sharesMetadata = try Self.sharesMetadata(place)
    photo = try await upload.finish()
  }

  private static func sharesMetadata(_ place: String) throws(Problem) -> Bool {
    switch place {
    case "", "private": false
    case "shared": true
    default:
      throw Problem(.unprocessableContent, "The parameter “place” must be shared or private (default).")
    }
  }
}
