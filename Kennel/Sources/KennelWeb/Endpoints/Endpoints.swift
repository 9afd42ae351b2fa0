import HTTPService

/// What the site answers requests with, by subject.
struct Endpoints: Sendable {
  let pages: PageEndpoints
  let finding: FindingEndpoints
  let posts: PostEndpoints
  let uploads: UploadEndpoints
  let ownPhotos: OwnPhotoEndpoints
  let links: LinkEndpoints
  let visibility: VisibilityEndpoints
  let edits: EditEndpoints
  let months: MonthEndpoints
  let bin: BinEndpoints
  let albums: AlbumEndpoints
  let archives: AlbumArchiveEndpoints
  let comments: CommentEndpoints
  let pictures: PictureEndpoints
  let collages: CollageEndpoints
  let sessions: SessionEndpoints
  let joining: JoinEndpoints
  let you: YouEndpoints
  let people: PeopleEndpoints
  let feeds: FeedEndpoints
  let events: EventEndpoints
  let monitoring: MonitoringEndpoints

  /// All routes.
  static let router = Router<Endpoints>([
    // The most frequent route comes first.
    Route(.get, "posts/{id}/thumbnail", for: .lookers) { try await $0.pictures.thumbnail($1) },
    Route(.get, "posts", for: .lookers) { try await $0.posts.list($1) },
    Route(.post, "posts", for: .sharers) { try await $0.posts.add($1) },
    Route(.options, "uploads", for: .everyone) { $0.uploads.describe($1) },
    Route(.post, "uploads", for: .sharers) { try await $0.uploads.begin($1) },
    Route(.get, "uploads/{name}", for: .sharers) { try await $0.uploads.show($1) },
    Route(.patch, "uploads/{name}", for: .sharers) { try await $0.uploads.append($1) },
    Route(.delete, "uploads/{name}", for: .sharers) { try await $0.uploads.cancel($1) },
    Route(.post, "uploads/{name}", for: .sharers) { try await $0.uploads.override($1) },
    Route(.get, "posts/{id}", for: .lookers) { try await $0.posts.show($1) },
    Route(.patch, "posts/{id}", for: .people) { try await $0.edits.edit($1) },
    Route(.delete, "posts/{id}", for: .people) { try await $0.posts.delete($1) },
    Route(.get, "posts/{id}/photo", for: .lookersAndPeers) { try await $0.pictures.photo($1) },
    Route(.get, "posts/{id}/uploaded", for: .people) { try await $0.ownPhotos.download($1) },
    Route(.put, "posts/{id}/place", for: .people) { try await $0.ownPhotos.sharePlace($1) },
    Route(.delete, "posts/{id}/place", for: .people) { try await $0.ownPhotos.hidePlace($1) },
    Route(.get, "posts/{id}/links", for: .people) { try await $0.links.list($1, to: .post($1.id)) },
    Route(.post, "posts/{id}/links", for: .people) { try await $0.links.make($1, to: .post($1.id)) },
    Route(.delete, "posts/{id}/links/{link}", for: .people) {
      try await $0.links.revoke($1, to: .post($1.id))
    },
    Route(.put, "posts/{id}/favourite", for: .people) { try await $0.posts.addFavourite($1) },
    Route(.delete, "posts/{id}/favourite", for: .people) { try await $0.posts.removeFavourite($1) },
    Route(.get, "months", for: .lookers) { try await $0.months.list($1) },
    Route(.get, "bin", for: .people) { try await $0.bin.list($1) },
    Route(.get, "bin/{id}/thumbnail", for: .people) { try await $0.bin.thumbnail($1) },
    Route(.post, "bin/{id}/restore", for: .people) { try await $0.bin.restore($1) },
    Route(.delete, "bin/{id}", for: .people) { try await $0.bin.delete($1) },
    Route(.get, "albums", for: .lookers, isPage: true) { try await $0.albums.list($1) },
    Route(.post, "albums", for: .sharers) { try await $0.albums.make($1) },
    Route(.get, "albums/{id}", for: .lookers, isPage: true) { try await $0.albums.show($1) },
    Route(.get, "albums/{id}/zip", for: .lookers, isPage: true) { try await $0.archives.download($1) },
    Route(.patch, "albums/{id}", for: .people) { try await $0.albums.edit($1) },
    Route(.delete, "albums/{id}", for: .people) { try await $0.albums.delete($1) },
    Route(.post, "albums/{id}/posts", for: .sharers) { try await $0.albums.addPosts($1) },
    Route(.post, "albums/{id}/posts/remove", for: .people) { try await $0.albums.removePosts($1) },
    Route(.get, "albums/{id}/links", for: .people) { try await $0.links.list($1, to: .album($1.id)) },
    Route(.post, "albums/{id}/links", for: .sharers) { try await $0.links.make($1, to: .album($1.id)) },
    Route(.delete, "albums/{id}/links/{link}", for: .people) {
      try await $0.links.revoke($1, to: .album($1.id))
    },
    Route(.get, "favourites", for: .people) { try await $0.posts.listFavourites($1) },
    Route(.get, "posts/{id}/comments", for: .lookers) { try await $0.comments.list($1) },
    Route(.post, "posts/{id}/comments", for: .people) { try await $0.comments.add($1) },
    Route(.delete, "posts/{id}/comments/{comment}", for: .people) { try await $0.comments.delete($1) },
    Route(.get, "people/{id}/picture", for: .lookers) { try await $0.people.picture($1) },
    Route(.get, "events", for: .lookersAndPeers) { try await $0.events.listen($1) },
    Route(.get, "image-ids.txt", for: .lookers) { try await $0.posts.listIDs($1) },
    Route(.get, "collage", for: .lookers) { try await $0.collages.draw($1) },
    Route(.get, "timeline/current", for: .lookers) { try await $0.pictures.currentTimeline($1) },
    Route(.get, "peer/posts", for: .lookersAndPeers) { try await $0.posts.listShared($1) },
    Route(.get, "visibility", for: .owners) { try await $0.visibility.show($1) },
    Route(.put, "visibility", for: .owners) { try await $0.visibility.decide($1) },
    Route(.get, "session", for: .everyone) { try await $0.sessions.show($1) },
    Route(.post, "session", for: .everyone, isPage: true) { try await $0.sessions.begin($1) },
    Route(.delete, "session", for: .everyone) { try await $0.sessions.end($1) },
    Route(.get, "health", for: .everyone) { try await $0.monitoring.showHealth($1) },
    Route(.get, "health/live", for: .everyone) { endpoints, _ in endpoints.monitoring.showLiveness() },
    Route(.get, "metrics", for: .lookers) { try await $0.monitoring.showMetrics($1) },

    Route(.get, "join/{token}", for: .everyone, isPage: true) { try await $0.joining.show($1) },
    Route(.post, "join/{token}", for: .everyone, isPage: true) { try await $0.joining.join($1) },
    Route(.get, "welcome", for: .people, isPage: true) { try await $0.joining.welcome($1) },
    Route(.get, "you", for: .people, isPage: true) { try await $0.you.show($1) },
    Route(.post, "you/name", for: .people, isPage: true) { try await $0.you.rename($1) },
    Route(.post, "you/password", for: .people, isPage: true) { try await $0.you.changePassword($1) },
    Route(.put, "you/picture", for: .people) { try await $0.you.setPicture($1) },
    Route(.delete, "you/picture", for: .people) { try await $0.you.removePicture($1) },
    Route(.post, "you/picture", for: .people, isPage: true) { try await $0.you.setPicture($1) },
    Route(.post, "you/picture/remove", for: .people, isPage: true) { try await $0.you.removePicture($1) },
    Route(.post, "you/language", for: .people, isPage: true) { try await $0.you.setLanguage($1) },
    Route(.post, "you/sessions/end", for: .people, isPage: true) { try await $0.you.endOtherSessions($1) },
    Route(.post, "you/sessions/{id}/end", for: .people, isPage: true) { try await $0.you.endSession($1) },
    Route(.post, "you/feed", for: .people, isPage: true) { try await $0.feeds.make($1) },
    Route(.post, "you/feed/end", for: .people, isPage: true) { try await $0.feeds.end($1) },
    Route(.get, "feed/{token}", for: .feedReaders) { try await $0.feeds.show($1) },
    Route(.get, "feed/{token}/{id}/thumbnail", for: .feedReaders) { try await $0.feeds.thumbnail($1) },
    Route(.get, "people", for: .owners, isPage: true) { try await $0.people.show($1) },
    Route(.post, "people/invitations", for: .owners, isPage: true) { try await $0.people.invite($1) },
    Route(.post, "people/invitations/{id}/revoke", for: .owners, isPage: true) {
      try await $0.people.revokeInvitation($1)
    },
    Route(.get, "people/{id}", for: .owners, isPage: true) { try await $0.people.showPerson($1) },
    Route(.delete, "people/{id}/picture", for: .owners) { try await $0.people.removePicture($1) },
    Route(.post, "people/{id}/picture/remove", for: .owners, isPage: true) {
      try await $0.people.removePicture($1)
    },
    Route(.post, "people/{id}/role", for: .owners, isPage: true) { try await $0.people.changeRole($1) },
    Route(.post, "people/{id}/quota", for: .owners, isPage: true) { try await $0.people.changeQuota($1) },
    Route(.post, "people/{id}/reset", for: .owners, isPage: true) { try await $0.people.resetPassword($1) },
    Route(.post, "people/{id}/remove", for: .owners, isPage: true) { try await $0.people.remove($1) },

    Route(.get, "", for: .lookers, isPage: true) { try await $0.pages.grid($1) },
    Route(.get, "hearts", for: .lookers, isPage: true) { try await $0.pages.hearts($1) },
    Route(.get, "search", for: .lookers, isPage: true) { try await $0.finding.search($1) },
    Route(.get, "people/{id}/photos", for: .lookers, isPage: true) { try await $0.finding.listPerson($1) },
    Route(.get, "deleted", for: .people, isPage: true) { try await $0.bin.page($1) },
    Route(.get, "photos/{id}", for: .lookers, isPage: true) { try await $0.pages.photo($1) },
    Route(.get, "s/{token}", for: .linkHolders, isPage: true) { try await $0.links.showPage($1) },
    Route(.get, "s/{token}/photo", for: .photoLinkHolders, isPage: true) { try await $0.pictures.photo($1) },
    Route(.get, "s/{token}/thumbnail", for: .photoLinkHolders, isPage: true) {
      try await $0.pictures.thumbnail($1)
    },
    Route(.get, "s/{token}/zip", for: .albumLinkHolders, isPage: true) { try await $0.archives.download($1) },
    Route(.get, "s/{token}/photos/{id}", for: .albumLinkHolders, isPage: true) {
      try await $0.links.showPhoto($1)
    },
    Route(.get, "s/{token}/photos/{id}/photo", for: .albumLinkHolders, isPage: true) {
      try await $0.pictures.photo($1)
    },
    Route(.get, "s/{token}/photos/{id}/thumbnail", for: .albumLinkHolders, isPage: true) {
      try await $0.pictures.thumbnail($1)
    },
    Route(.get, "assets/{name}/{name}", for: .everyone, isPage: true) {
      try await $0.pages.immutableAsset($1)
    },
    Route(.get, "assets/{name}", for: .everyone, isPage: true) { try await $0.pages.asset($1) },
    Route(.get, "favicon.ico", for: .everyone, isPage: true) { try await $0.pages.wellKnownAsset($1) },
    Route(.get, "manifest.webmanifest", for: .everyone, isPage: true) {
      try await $0.pages.wellKnownAsset($1)
    },
    Route(.get, "worker.js", for: .everyone, isPage: true) { try await $0.pages.wellKnownAsset($1) },
    Route(.post, "share", for: .everyone, isPage: true) { try await $0.pages.refuseShared($1) },
    Route(.get, "robots.txt", for: .everyone, isPage: true) { try await $0.pages.wellKnownAsset($1) },
  ])
}
