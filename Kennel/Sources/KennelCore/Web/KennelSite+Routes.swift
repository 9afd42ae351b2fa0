import HTTPService

extension KennelSite {
  /// All routes.
  static let router = Router([
    // The most frequent route comes first.
    Route(.get, "posts/{id}/thumbnail") { try await $0.thumbnail($1) },
    Route(.get, "posts") { try await $0.listPosts($1) },
    Route(.post, "posts") { try await $0.addPost($1) },
    Route(.get, "posts/{id}") { try await $0.showPost($1) },
    Route(.delete, "posts/{id}") { try await $0.deletePost($1) },
    Route(.get, "posts/{id}/photo") { try await $0.photo($1) },
    Route(.put, "posts/{id}/favourite") { try await $0.addFavourite($1) },
    Route(.delete, "posts/{id}/favourite") { try await $0.removeFavourite($1) },
    Route(.get, "favourites") { try await $0.listFavourites($1) },
    Route(.get, "posts/{id}/comments") { try await $0.listComments($1) },
    Route(.post, "posts/{id}/comments") { try await $0.addComment($1) },
    Route(.delete, "posts/{id}/comments/{comment}") { try await $0.deleteComment($1) },
    Route(.get, "events") { try await $0.listenToEvents($1) },
    Route(.get, "image-ids.txt") { try await $0.imageIDs($1) },
    Route(.get, "collage") { try await $0.collage($1) },
    Route(.get, "timeline/current") { try await $0.currentTimeline($1) },
    Route(.get, "peer/posts") { try await $0.peerPosts($1) },
    Route(.get, "session") { try await $0.showSession($1) },
    Route(.post, "session") { try await $0.beginSession($1) },
    Route(.delete, "session") { try await $0.endSession($1) },
    Route(.get, "health") { try await $0.health($1) },
    Route(.get, "metrics") { try await $0.showMetrics($1) },

    Route(.get, "", isPage: true) { try await $0.gridPage($1) },
    Route(.get, "hearts", isPage: true) { try await $0.heartsPage($1) },
    Route(.get, "photos/{id}", isPage: true) { try await $0.photoPage($1) },
    Route(.get, "assets/{name}", isPage: true) { try await $0.asset($1) },
    Route(.get, "favicon.ico", isPage: true) { try await $0.wellKnownAsset($1) },
    Route(.get, "manifest.webmanifest", isPage: true) { try await $0.wellKnownAsset($1) },
    Route(.get, "robots.txt", isPage: true) { try await $0.wellKnownAsset($1) },
  ])
}
