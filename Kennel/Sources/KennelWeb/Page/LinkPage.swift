import Foundation
import KennelModel

/// A page for people with a secret link: one photo with the name of its author and its caption, or an album of such photos. It
/// needs no script, and leads nowhere else in the kennel.
struct LinkPage {
  /// Allows only the pictures and the styles of this kennel.
  static let contentSecurityPolicy =
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self'; form-action 'none'; base-uri 'none'; "
    + "frame-ancestors 'none'"

  let title: String
  let site: String
  let words: Words
  /// What the page shows, for the style sheets.
  var place = "photo"
  var preview: LinkPreview?

  func document(_ body: HTML) -> String {
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="\(words.language.rawValue)">
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <meta name="robots" content="noindex, nofollow">
      <meta name="referrer" content="no-referrer">
      \(preview?.html)
      \(PageAssets.styles.map { "<link rel=\"stylesheet\" href=\"\(PageAssets.address(of: $0))\">" as HTML })
      <link rel="icon" href="\(PageAssets.address(of: "icon.svg"))" type="image/svg+xml">
      </head>
      <body data-place="\(place)">
      \(PageIcons.symbols)
      <header class="bar">
      <span class="home"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><span>\(site)</span></span>
      </header>
      <main id="main">
      \(body)
      </main>
      </body>
      </html>

      """
    return page.text
  }

  /// The photo of a link.
  ///
  /// - Parameters:
  ///   - path: the path of the link.
  ///   - expires: the date from which the link does not work any more.
  static func photo(
    _ picture: PhotoPicture, path: String, expires: Date?, _ words: Words,
    in neighbours: LinkedPhotoNeighbours? = nil
  ) -> HTML {
    let post = picture.post
    let isUntitled = post.caption.isEmpty
    let isVideo = post.facts.format.isVideo
    return """
      \(neighbours?.back)
      <article class="photo" aria-labelledby="photo-title">
      <div class="stage"><div class="frame \(picture.proportions())">\(picture.large)</div></div>
      <div class="details">
      <header>
      \(Avatar(letterOf: post.shownAuthor).html)
      <p><bdi class="author">\(post.shownAuthor)</bdi><span class="when">\(PageDate(date: post.created, words: words.dates).html)</span></p>
      </header>
      <h1 class="\(isUntitled ? "hidden-text" : "caption")" id="photo-title" dir="auto">\(picture.alternative)</h1>
      <div class="actions"><a class="quiet button" href="\(path)/photo" download="\(isVideo ? "video" : "photo" as HTML)"><svg class="icon" \
      aria-hidden="true"><use href="#original"/></svg>\(words.frame.original)</a>\(neighbours?.links(words.links))</div>
      <p class="hint">\(isVideo ? words.links.videoIsShared : words.links.photoIsShared) \(end(expires, words))</p>
      </div>
      </article>
      """
  }

  /// The album of a link.
  static func album(
    _ album: Album, _ pictures: [PhotoPicture], next: PostPosition?, path: String, isFirst: Bool,
    expires: Date?, _ words: Words
  ) -> HTML {
    let tiles = pictures.enumerated().map { index, picture -> HTML in
      """
      <li class="tile \(picture.proportions(from: PostTile.proportions.minimum, to: PostTile.proportions.maximum))">\
      <a class="open" href="\(path)/photos/\(picture.post.id)">\(picture.inGrid(isEarly: isFirst && index < 8))\(picture.duration)</a></li>

      """
    }
    let links = GridLinks(path: path, next: next, isFirst: isFirst, words: words.grid)
    return """
      <header class="album-head"><div><h1 dir="auto">\(album.title)</h1>
      <p class="about-album">\(words.about(album))</p></div>
      \(album.postCount > 0 ? download(path, words.frame) : nil)
      </header>
      \(links.newest)
      <ul class="grid">\(tiles)</ul>
      \(links.older)
      <p class="shared-photos">\(words.links.albumIsShared) \(end(expires, words))</p>
      """
  }

  private static func download(_ path: String, _ words: FrameWords) -> HTML {
    """
    <div class="actions"><a class="quiet button" href="\(path)/zip" download><svg class="icon" aria-hidden="true">\
    <use href="#original"/></svg>\(words.download)</a></div>
    """
  }

  private static func end(_ expires: Date?, _ words: Words) -> HTML? {
    expires.map { words.links.worksUntil(PageDate(date: $0, words: words.dates).html) }
  }

  static func problem(title: String, detail: String) -> HTML {
    """
    <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
    <h1>\(title)</h1><p>\(detail)</p></div>
    """
  }
}

/// The album that contains the photo on a page of a link, and the photos before and after it.
struct LinkedPhotoNeighbours {
  let album: Album
  /// The path of the link.
  let path: String
  let newer: Post.ID?
  let older: Post.ID?

  fileprivate var back: HTML {
    """
    <p class="back"><a href="\(path)"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>\
    <bdi>\(album.title)</bdi></a></p>
    """
  }

  fileprivate func links(_ words: LinkWords) -> HTML {
    let previous = newer.map { post -> HTML in
      """
      <a class="quiet button" rel="prev" href="\(path)/photos/\(post)"><svg class="icon" aria-hidden="true">\
      <use href="#left"/></svg>\(words.newer)</a>
      """
    }
    let next = older.map { post -> HTML in
      """
      <a class="quiet button" rel="next" href="\(path)/photos/\(post)">\(words.older)<svg class="icon" aria-hidden="true">\
      <use href="#right"/></svg></a>
      """
    }
    return "\(previous)\(next)"
  }
}

extension PageRenderer {
  /// Renders the page of a secret link to an album.
  ///
  /// - Parameter base: the beginning of addresses in the preview of the link.
  func link(
    album: Album, posts page: PostPage, path: String, isFirst: Bool, expires: Date?, base: String
  ) async throws(CancellationError) -> String {
    var pictures: [PhotoPicture] = []
    for post in page.posts {
      pictures.append(
        PhotoPicture(
          post: post, placeholder: try await placeholders.address(for: post.facts.thumbHash),
          words: words.photo, path: "\(path)/photos/\(post.id)"))
    }
    let preview = pictures.first.map {
      LinkPreview(site: title, title: album.title, picture: $0, base: base, path: nil)
    }
    return LinkPage(
      title: "\(album.title) · \(title)", site: title, words: words, place: "album", preview: preview
    )
    .document(
      LinkPage.album(
        album, pictures, next: page.next, path: path, isFirst: isFirst, expires: expires, words))
  }

  /// Renders the page of a secret link to a photo, or of a photo of an album with a link.
  ///
  /// - Parameter base: the beginning of addresses in the preview of the link.
  func link(
    post: Post, path: String, expires: Date?, base: String, in neighbours: LinkedPhotoNeighbours? = nil
  ) async throws(CancellationError) -> String {
    let picture = PhotoPicture(
      post: post, placeholder: try await placeholders.address(for: post.facts.thumbHash), words: words.photo,
      path: path)
    let preview = LinkPreview(
      site: title, title: picture.shortName, picture: picture, base: base, path: nil)
    return LinkPage(title: "\(picture.shortName) · \(title)", site: title, words: words, preview: preview)
      .document(LinkPage.photo(picture, path: path, expires: expires, words, in: neighbours))
  }

  /// Renders the page for a link that does not work.
  func linkProblem(title problem: String, detail: String) -> String {
    LinkPage(title: "\(problem) · \(title)", site: title, words: words)
      .document(LinkPage.problem(title: problem, detail: detail))
  }
}
