import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Changes a user's own picture. Programs send the photo itself, and the page sends a form.
extension YouEndpoints {
  func setPicture(_ call: Call) async throws -> HTTPResponse {
    let user = try await sessions.visitors.user(of: call)
    return try await answerPicture(call, user) {
      try await accounts.setPicture(try await portrait(call), of: user.id)
    }
  }

  func removePicture(_ call: Call) async throws -> HTTPResponse {
    let user = try await sessions.visitors.user(of: call)
    return try await answerPicture(call, user) { try await accounts.removePicture(of: user.id) }
  }

  private func answerPicture(
    _ call: Call, _ user: User, change: () async throws -> Void
  ) async throws -> HTTPResponse {
    let isFromPage = call.request.method == .post && AccountPage.isWanted(by: call.request)
    do {
      try await change()
    } catch  where isFromPage && !Problem.isFault(error) {
      let problem = Problem(error)
      let words = pages(for: user, call).words
      let sentence = words.problems.sentence(problem.detail, problem.status.rawValue)
      return try await page(
        of: user, call, FormEntry(errors: ["photo": sentence], isProblem: true), status: problem.status)
    }
    return isFromPage ? AccountPage.redirect(to: "/you?done=picture") : .noContent
  }

  /// Reads the photo, and makes the picture of it. The photo is not kept.
  private func portrait(_ call: Call) async throws -> Data {
    let type = ContentType(call.request)
    let isForm = type.type == "multipart/form-data"
    guard type.type.hasPrefix("image/") || isForm else {
      throw Problem(
        .unsupportedMediaType,
        "The content type is not supported. Send the photo itself with a type such as image/jpeg, or a form "
          + "(multipart/form-data) with the part photo.")
    }
    let limit = UserPicture.maximumUploadSize + (isForm ? FormReading.overhead : 0)
    if let announced = call.request.body.announcedLength, announced > limit {
      throw KennelError.photoTooLarge
    }
    let upload = try await photos.beginUpload()
    var form = isForm ? try FormReading(boundary: type.parameter("boundary") ?? "") : nil
    var count = 0
    for try await piece in call.request.body {
      count += piece.count
      guard count <= limit else { throw KennelError.photoTooLarge }
      if form == nil { try await upload.append(piece) } else { try await form?.take(piece, into: upload) }
    }
    try form?.finish()
    let photo = try await upload.finish()
    return try await PhotoInspector.portrait(fileAt: photo.path)
  }
}
