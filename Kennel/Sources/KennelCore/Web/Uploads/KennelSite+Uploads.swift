import HTTPService

extension KennelSite {
  func addPost(_ call: Call) async throws -> HTTPResponse {
    // The user is verified before the body is read.
    let user = try await user(call)
    do {
      let incoming = try await IncomingPhoto(call, into: store.photos)
      let facts = try await PhotoInspector.facts(ofFileAt: incoming.photo.path)
      let post = try await store.posts.add(
        incoming.photo, facts: facts, caption: incoming.caption, author: user.id)
      metrics.countPhoto(bytes: post.byteCount)
      return .json(status: .created, fields: ["Location": "/posts/\(post.id)"]) { $0.post(post) }
    } catch {
      metrics.count(.photoRefused)
      throw error
    }
  }
}
