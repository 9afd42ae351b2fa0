import HTTPService
import KennelModel

extension PeopleEndpoints {
  /// Sends the picture of a person to those who see the person on a page.
  func picture(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.visitor(of: call).user
    guard let picture = try await store.accounts.picture(of: call.id, for: viewer?.id) else {
      throw Problem(.notFound, "This person has no picture.")
    }
    let version = String(picture.version)
    // An earlier version is a page that was loaded before a change. It gets the present picture, which is not kept for it.
    let isCurrent = call.request.query("v") == version
    return .content(
      picture.jpeg, for: call.request, contentType: "image/jpeg",
      fields: ["Cache-Control": isCurrent ? CacheControl.privateImmutable : CacheControl.privateRevalidated],
      entityTag: EntityTag(version))
  }

  /// Removes the picture of another person.
  func removePicture(_ call: Call) async throws -> HTTPResponse {
    let user = try await user(call)
    try await store.accounts.removePicture(of: user.id)
    return end(call, at: "/people/\(user.id)?done=picture")
  }
}

extension JSONText {
  /// Writes the address of a user's picture, or null.
  mutating func picture(of user: User) {
    if let picture = user.picture {
      member("picture", Avatar.address(of: picture, user.id))
    } else {
      null("picture")
    }
  }
}
