import HTTPService
import KennelModel

/// Changes posts.
struct EditEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors

  /// The members of the body that are present are changed.
  private struct Body: Decodable {
    var caption: String?
    var taken: String?
  }

  private static let form = #"{"caption":"…","taken":"2026-07-14T16:03:00+02:00"}, or one of them"#

  func edit(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    guard ContentType(call.request).type == "application/json" else {
      throw Problem(.unsupportedMediaType, "Send the changes as application/json, \(Self.form).")
    }
    let body = try await SmallBody.json(Body.self, of: call.request, form: Self.form)
    guard body.caption != nil || body.taken != nil else {
      throw Problem.badRequest("The body contains no change. Send \(Self.form).")
    }
    let change = PostChange(caption: body.caption, taken: try body.taken.map(takenTime))
    let post = try await store.posts.edit(call.id, change, by: user.id)
    return .json { $0.post(post) }
  }

  private func takenTime(_ text: String) throws(Problem) -> TakenTime {
    guard let time = TakenTime(text, in: store.posts.timeZone, source: .edited) else {
      throw Problem(
        .unprocessableContent, "The time is not valid. Send it in a form such as 2026-07-14T16:03:00+02:00.")
    }
    return time
  }
}
