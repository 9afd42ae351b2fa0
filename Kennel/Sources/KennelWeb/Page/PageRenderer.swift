import Foundation
import KennelModel

/// Renders the pages: complete documents that show everything without a script. The scripts later take older photos,
/// opened photos and new comments from the same documents. Therefore, the markup of each element exists in only one
/// place.
package struct PageRenderer: Sendable {
  /// Allows nothing from other sites and no inline script or style. Images may also come from the document itself
  /// (`data:`) and from files chosen for an upload (`blob:`).
  package static let contentSecurityPolicy = CommonFields.contentSecurityPolicy + "; manifest-src 'self'"

  /// The name of the kennel.
  package let title: String
  /// The markup and the JSON of posts.
  let markup = PostMarkup()
  let placeholders = PlaceholderImages()
  private let manifest: PageAssets.Asset?
  private let hasWorker: Bool

  /// - Parameter hasWorker: whether the pages have a service worker.
  package init(title: String, hasWorker: Bool = true) {
    self.title = title
    self.hasWorker = hasWorker
    manifest = PageAssets.manifest(title: title)
  }

  /// Returns a file of the page.
  func asset(named name: String) -> PageAssets.Asset? {
    switch name {
    case PageAssets.manifestName: manifest
    case PageAssets.workerName where !hasWorker: PageAssets.all[PageAssets.emptyWorkerName]
    default: PageAssets.all[name]
    }
  }

  /// Renders a page with photos: all of them, a viewer's favourites, those that a search finds, or those of a person.
  ///
  /// - Parameters:
  ///   - months: The months of all posts, to jump to.
  ///   - isFirst: Whether this is the first page.
  ///   - lastEvent: The last event that the posts include. Scripts listen for later events.
  ///   - base: The beginning of addresses in the preview of links to the page, or nil for a page that strangers may not see.
  package func grid(
    posts page: PostPage, months: [MonthCount] = [], viewer: User?, kind: Kind = .all, isFirst: Bool = true,
    lastEvent: Int64? = nil, base: String? = nil
  ) async throws(CancellationError) -> String {
    let body: HTML = """
      \(kind.heading)\(MonthList(months: months, shown: page.posts.first?.taken.month).html)\(try await list(
        page, at: kind.address, isFirst: isFirst, emptiness: kind.emptiness(viewer: viewer)))
      """
    var frame = PageFrame(
      title: kind.title.map { "\($0) · \(title)" } ?? title, site: title, viewer: viewer, place: kind.place,
      lastEvent: lastEvent)
    if let base, kind.hasPreview, let post = page.posts.first {
      frame.preview = LinkPreview(
        site: title, title: kind.title ?? title, picture: PhotoPicture(post: post, placeholder: ""),
        base: base, path: kind.address)
    }
    return frame.document(body)
  }

  /// Returns the grid of a page of posts, with links to the pages around it.
  ///
  /// - Parameters:
  ///   - path: The path and the query of the first page.
  ///   - isFirst: Whether this is the first page.
  ///   - emptiness: What is shown if there are no posts.
  func list(
    _ page: PostPage, at path: String, isFirst: Bool, emptiness: HTML
  ) async throws(CancellationError) -> HTML {
    let links = GridLinks(path: path, next: page.next, isFirst: isFirst)
    return """
      \(links.newest)
      <ul class="grid" id="grid">\(try await tiles(of: page.posts, isFirst: isFirst))</ul>
      \(page.posts.isEmpty ? emptiness : nil)
      \(links.older)
      """
  }

  /// Returns the tiles of posts, with the headings of their months.
  private func tiles(of posts: [Post], isFirst: Bool) async throws(CancellationError) -> [HTML] {
    var tiles: [HTML] = []
    var month: Month?
    for (index, post) in posts.enumerated() {
      if post.taken.month != month {
        month = post.taken.month
        tiles.append(MonthHeading(month: post.taken.month).html)
      }
      tiles.append(try await tile(post, isEarly: isFirst && index < 8))
    }
    return tiles
  }

  /// Returns the tile of a post. It is made once and kept until the post changes.
  private func tile(_ post: Post, isEarly: Bool) async throws(CancellationError) -> HTML {
    let form = isEarly ? PostMarkupState.Form.earlyTile : .tile
    if let known = markup.known(for: post, form) { return HTML(kept: known) }
    let picture = PhotoPicture(
      post: post, placeholder: try await placeholders.address(for: post.facts.thumbHash))
    let tile = PostTile(picture: picture, isEarly: isEarly).html
    markup.keep(tile.text, for: post, form)
    return tile
  }

  /// Renders the page of one photo with its comments.
  ///
  /// - Parameter albums: the albums that show the photo.
  package func photo(
    post: Post, comments: CommentPage, albums: [AlbumTitle] = [], viewer: User?, lastEvent: Int64? = nil,
    base: String? = nil
  ) async throws(CancellationError) -> String {
    let picture = PhotoPicture(
      post: post, placeholder: try await placeholders.address(for: post.facts.thumbHash))
    let article = PhotoArticle(picture: picture, comments: comments, albums: albums, viewer: viewer)
    let body: HTML = """
      <p class="back"><a href="/"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>All photos</a></p>
      \(article.html)
      """
    var frame = PageFrame(
      title: "\(picture.shortName) · \(title)", site: title, viewer: viewer, place: .photo,
      lastEvent: lastEvent)
    frame.preview = base.map {
      LinkPreview(
        site: title, title: picture.shortName, picture: picture, base: $0, path: "/photos/\(post.id)")
    }
    return frame.document(body)
  }

  /// Renders the page with which a visitor signs in. It needs no script.
  ///
  /// - Parameters:
  ///   - reason: Why the visitor has to sign in, or why that failed.
  ///   - next: The page to show afterwards.
  package func signIn(reason: String, next: ReturnAddress) -> String {
    let body: HTML = """
      <div class="sheet enter">
      <form method="post" action="/session?next=\(next.escaped)">
      <svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>Sign in</h1>
      <p class="why">\(reason)</p>
      \(PageDialogs.signInFields("enter", hasFocus: true))
      <div class="choices"><button class="button primary" type="submit">Sign in</button></div>
      </form>
      </div>
      """
    return PageFrame(
      title: "Sign in · \(title)", site: title, viewer: nil, place: .signIn, lastEvent: nil
    )
    .document(body)
  }

  /// Renders the page of a kennel that has no accounts yet.
  package func noAccounts() -> String {
    let body: HTML = """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>This kennel is new</h1>
      <p>Nobody has an account yet. Kennel printed a link and a QR code when it was started: look at its terminal on that \
      machine, or at the output of <code>journalctl -u kennel</code>. Open the link to create the owner’s account.</p>
      <p>The link works once, for 24 hours. Start Kennel again to get a new one.</p>
      </div>
      """
    return PageFrame(
      title: title, site: title, viewer: nil, place: .signIn, lastEvent: nil
    )
    .document(body)
  }

  /// Renders an error page.
  package func problem(status: Int, title problem: String, detail: String, viewer: User? = nil) -> String {
    let body: HTML = """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>\(problem)</h1><p>\(detail)</p><p class="status">\(status)</p>
      <a class="button" href="/">See the photos</a></div>
      """
    return PageFrame(
      title: "\(problem) · \(title)", site: title, viewer: viewer, place: .problem, lastEvent: nil
    )
    .document(body)
  }
}
