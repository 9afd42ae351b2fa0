import KennelModel

/// The posts in the bin, with buttons to restore them and to delete them forever.
struct BinPage {
  let posts: [BinnedPost]
  let viewer: User

  var html: HTML {
    let whose: HTML =
      viewer.role == .owner
      ? "You and the other owners see all of them." : "Only you and the owners see them."
    return """
      <h1 class="title">Bin</h1>
      <p class="explanation">Deleted photos stay here for 30 days, with their hearts and comments. \(whose)</p>
      <ul class="bin">\(posts.map(item))</ul>
      \(posts.isEmpty ? Self.emptiness : nil)
      """
  }

  private static let emptiness: HTML = """
    <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><h2>The bin is empty</h2>
    <a class="button" href="/">See the photos</a></div>
    """

  private func item(_ binned: BinnedPost) -> HTML {
    let post = binned.post
    let name = PhotoPicture(post: post, placeholder: "").alternative
    return """
      <li data-binned="\(post.id)"><img src="/bin/\(post.id)/thumbnail?size=320" alt="" loading="lazy" decoding="async">
      <div><p class="name" dir="auto">\(name)</p>
      <p class="when"><bdi>\(post.shownAuthor)</bdi>, deleted \(PageDate(date: binned.binned).html)</p>
      <p class="when">Kept until \(PageDate(date: binned.end).words)</p>
      <div class="actions scripted"><button class="button" type="button" data-restore="\(post.id)" \
      aria-label="Restore \(name)">Restore</button>\
      <button class="quiet button" type="button" data-delete-forever="\(post.id)" \
      aria-label="Delete \(name) forever">Delete forever</button></div></div></li>

      """
  }
}

extension PageRenderer {
  /// Renders the page with the posts in the bin.
  package func bin(_ posts: [BinnedPost], viewer: User) -> String {
    PageFrame(title: "Bin · \(title)", site: title, viewer: viewer, place: .bin, lastEvent: nil).document(
      BinPage(posts: posts, viewer: viewer).html)
  }
}
