import HTTPService
import KennelModel
import KennelStorage

/// What only the author of a photo may do: get it as it was uploaded, and decide whether others get its metadata.
struct OwnPhotoEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let thumbnails: ThumbnailStore

  func download(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let file = try await store.posts.uploadedFile(of: call.id, for: user.id)
    let name = file.format.fileName(of: call.id)
    // The file stays open in the response when it has no name any more.
    return try await store.posts.reportingIfMissing(call.id) { () async throws(KennelError) in
      try await thumbnails.files.fileResponse(
        at: file.path, for: call.request, contentType: file.format.contentType,
        fields: [
          "Cache-Control": "private, no-cache", "Content-Disposition": "attachment; filename=\"\(name)\"",
        ], entityTag: EntityTag(file.hash.description))
    }
  }

  func sharePlace(_ call: Call) async throws -> HTTPResponse { try await setSharesPlace(true, call) }

  func hidePlace(_ call: Call) async throws -> HTTPResponse { try await setSharesPlace(false, call) }

  private func setSharesPlace(_ shares: Bool, _ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let post = try await store.posts.setSharesMetadata(shares, of: call.id, by: user.id)
    return .json { json in
      json.object { json in
        json.member("post", post.id)
        json.member("place", post.metadata.name)
      }
    }
  }
}

extension Post.Metadata {
  /// The name in JSON.
  fileprivate var name: String {
    switch self {
    case .absent: "none"
    case .removed, .notExamined: "private"
    case .shared: "shared"
    }
  }
}
