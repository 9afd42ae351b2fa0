import Foundation
import KennelModel

/// A page for people with a secret link: one photo, with the name of its author and its caption. It needs no script, and
/// leads nowhere else in the kennel.
struct LinkPage {
  /// Allows only the pictures and the styles of this kennel.
  static let contentSecurityPolicy =
    "default-src 'none'; img-src 'self' data:; style-src 'self'; form-action 'none'; base-uri 'none'; "
    + "frame-ancestors 'none'"

  let title: String
  let site: String
  var preview: LinkPreview?

  func document(_ body: HTML) -> String {
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
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
      <body data-place="photo">
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
  static func photo(_ picture: PhotoPicture, path: String, expires: Date?) -> HTML {
    let post = picture.post
    let isUntitled = post.caption.isEmpty
    let end = expires.map { "It works until \(PageDate(date: $0).html)." as HTML }
    return """
      <article class="photo" aria-labelledby="photo-title">
      <div class="stage"><div class="frame \(picture.proportions())">\(picture.large)</div></div>
      <div class="details">
      <header>
      \(AvatarInitial(name: post.shownAuthor).html)
      <p><bdi class="author">\(post.shownAuthor)</bdi><span class="when">\(PageDate(date: post.created).html)</span></p>
      </header>
      <h1 class="\(isUntitled ? "hidden-text" : "caption")" id="photo-title" dir="auto">\(picture.alternative)</h1>
      <div class="actions"><a class="quiet button" href="\(path)/photo" download="photo"><svg class="icon" \
      aria-hidden="true"><use href="#original"/></svg>Original</a></div>
      <p class="hint">This photo is shared with you by a link. \(end)</p>
      </div>
      </article>
      """
  }

  static func problem(title: String, detail: String) -> HTML {
    """
    <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
    <h1>\(title)</h1><p>\(detail)</p></div>
    """
  }
}

extension PageRenderer {
  /// Renders the page of a secret link.
  ///
  /// - Parameter base: the beginning of addresses in the preview of the link.
  func link(
    post: Post, path: String, expires: Date?, base: String
  ) async throws(CancellationError) -> String {
    let picture = PhotoPicture(
      post: post, placeholder: try await placeholders.address(for: post.facts.thumbHash), path: path)
    let preview = LinkPreview(
      site: title, title: picture.shortName, picture: picture, base: base, path: nil)
    return LinkPage(title: "\(picture.shortName) · \(title)", site: title, preview: preview)
      .document(LinkPage.photo(picture, path: path, expires: expires))
  }

  /// Renders the page for a link that does not work.
  func linkProblem(title problem: String, detail: String) -> String {
    LinkPage(title: "\(problem) · \(title)", site: title)
      .document(LinkPage.problem(title: problem, detail: detail))
  }
}
