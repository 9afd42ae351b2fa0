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
  /// The texts.
  private(set) var words: Words

  /// - Parameters:
  ///   - hasWorker: whether the pages have a service worker.
  ///   - acceptsVideos: whether people may share videos.
  package init(
    title: String, language: Language = .english, hasWorker: Bool = true, acceptsVideos: Bool = true
  ) {
    self.title = title
    self.hasWorker = hasWorker
    words = .of(language)
    manifest = PageAssets.manifest(title: title, acceptsVideos: acceptsVideos)
  }

  /// Returns a renderer for pages in another language. It uses the same kept markup.
  package func speaking(_ language: Language) -> PageRenderer {
    var renderer = self
    renderer.words = .of(language)
    return renderer
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
      \(kind.heading(words))\(MonthList(months: months, shown: page.posts.first?.taken.month, words: words).html)\(try await list(
        page, at: kind.address, isFirst: isFirst, emptiness: kind.emptiness(viewer: viewer, words)))
      """
    var frame = PageFrame(
      title: kind.title(words).map { "\($0) · \(title)" } ?? title, site: title, viewer: viewer,
      place: kind.place,
      lastEvent: lastEvent, words: words)
    if let base, kind.hasPreview, let post = page.posts.first {
      frame.preview = LinkPreview(
        site: title, title: kind.title(words) ?? title,
        picture: PhotoPicture(post: post, placeholder: "", words: words.photo),
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
    let links = GridLinks(path: path, next: page.next, isFirst: isFirst, words: words.grid)
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
        tiles.append(MonthHeading(month: post.taken.month, words: words.dates).html)
      }
      tiles.append(try await tile(post, isEarly: isFirst && index < 8))
    }
    return tiles
  }

  /// Returns the tile of a post. It is made once and kept until the post changes.
  private func tile(_ post: Post, isEarly: Bool) async throws(CancellationError) -> HTML {
    let form = isEarly ? PostMarkupState.Form.earlyTile(words.language) : .tile(words.language)
    if let known = markup.known(for: post, form) { return HTML(kept: known) }
    let picture = PhotoPicture(
      post: post, placeholder: try await placeholders.address(for: post.facts.thumbHash),
      words: words.photo)
    let tile = PostTile(picture: picture, isEarly: isEarly, words: words.grid).html
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
      post: post, placeholder: try await placeholders.address(for: post.facts.thumbHash),
      words: words.photo)
    let article = PhotoArticle(
      picture: picture, comments: comments, albums: albums, viewer: viewer, words: words)
    let body: HTML = """
      <p class="back"><a href="/"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>\(words.frame.allPhotos)</a></p>
      \(article.html)
      """
    var frame = PageFrame(
      title: "\(picture.shortName) · \(title)", site: title, viewer: viewer, place: .photo,
      lastEvent: lastEvent, words: words)
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
      <h1>\(words.frame.signIn)</h1>
      <p class="why">\(reason)</p>
      \(PageDialogs.signInFields("enter", hasFocus: true, words.frame))
      <div class="choices"><button class="button primary" type="submit">\(words.frame.signIn)</button></div>
      </form>
      </div>
      """
    return PageFrame(
      title: "\(words.frame.signIn) · \(title)", site: title, viewer: nil, place: .signIn, lastEvent: nil,
      words: words
    )
    .document(body)
  }

  /// Renders the page of a kennel that has no accounts yet.
  package func noAccounts() -> String {
    let body: HTML = """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>\(words.joining.newKennel)</h1>
      <p>\(words.joining.noAccounts)</p>
      <p>\(words.joining.noAccountsLink)</p>
      </div>
      """
    return PageFrame(
      title: title, site: title, viewer: nil, place: .signIn, lastEvent: nil, words: words
    )
    .document(body)
  }

  /// Renders an error page.
  package func problem(status: Int, title problem: String, detail: String, viewer: User? = nil) -> String {
    let body: HTML = """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>\(problem)</h1><p>\(detail)</p><p class="status">\(status)</p>
      <a class="button" href="/">\(words.frame.seePhotos)</a></div>
      """
    return PageFrame(
      title: "\(problem) · \(title)", site: title, viewer: viewer, place: .problem, lastEvent: nil,
      words: words
    )
    .document(body)
  }
}
