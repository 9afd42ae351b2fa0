import HTTPService
import KennelModel

/// Shows and decides who can see the photos.
struct VisibilityEndpoints: Sendable {
  let store: KennelStore
  /// Whether the settings of the server open the kennel, also if its owner decided otherwise.
  let isForcedOpen: Bool

  func show(_ call: Call) async throws -> HTTPResponse {
    let visibility = try await store.visibility()
    return .taggedJSON(for: call.request) { write(visibility, &$0) }
  }

  func decide(_ call: Call) async throws -> HTTPResponse {
    struct Body: Decodable {
      var visibility: String
    }
    let form = #"{"visibility":"people"}"#
    let body = try await SmallBody.json(Body.self, of: call.request, form: form)
    guard let visibility = Visibility(rawValue: body.visibility), visibility != .undecided else {
      throw Problem(.unprocessableContent, "The visibility must be people or everyone. Send \(form).")
    }
    try await store.setVisibility(visibility)
    return .json { write(visibility, &$0) }
  }

  private func write(_ visibility: Visibility, _ json: inout JSONText) {
    json.object { json in
      json.member("visibility", visibility.rawValue)
      json.member("isPublicBySetting", isForcedOpen)
    }
  }
}
