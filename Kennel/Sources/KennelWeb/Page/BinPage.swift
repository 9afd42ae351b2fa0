import KennelModel

/// The posts in the bin, with buttons to restore them and to delete them forever.
struct BinPage {
  let posts: [BinnedPost]
  let viewer: User
  let words: Words

  var html: HTML {
    let whose = viewer.role == .owner ? words.bin.forOwners : words.bin.forOthers
    return """
      <h1 class="title">\(words.frame.bin)</h1>
      <p class="explanation">\(words.bin.explanation) \(whose)</p>
      <ul class="bin">\(posts.map(item))</ul>
      \(posts.isEmpty ? emptiness : nil)
      """
  }

  private var emptiness: HTML {
    """
    <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><h2>\(words.bin.empty)</h2>
    <a class="button" href="/">\(words.frame.seePhotos)</a></div>
    """
  }

  private func item(_ binned: BinnedPost) -> HTML {
    let post = binned.post
    let name = PhotoPicture(post: post, placeholder: "", words: words.photo).alternative
    return """
      <li data-binned="\(post.id)"><img src="/bin/\(post.id)/thumbnail?size=320" alt="" loading="lazy" decoding="async">
      <div><p class="name" dir="auto">\(name)</p>
      <p class="when"><bdi>\(post.shownAuthor)</bdi>\(words.bin.deleted(PageDate(date: binned.binned, words: words.dates).html))</p>
      <p class="when">\(words.bin.keptUntil(PageDate(date: binned.end, words: words.dates).day))</p>
      <div class="actions scripted"><button class="button" type="button" data-restore="\(post.id)" \
      aria-label="\(words.bin.restoreNamed(name))">\(words.bin.restore)</button>\
      <button class="quiet button" type="button" data-delete-forever="\(post.id)" \
      aria-label="\(words.bin.deleteNamed(name))">\(words.bin.deleteForever)</button></div></div></li>

      """
  }
}

extension PageRenderer {
  /// Renders the page with the posts in the bin.
  package func bin(_ posts: [BinnedPost], viewer: User) -> String {
    PageFrame(
      title: "\(words.frame.bin) · \(title)", site: title, viewer: viewer, place: .bin, lastEvent: nil,
      words: words
    ).document(BinPage(posts: posts, viewer: viewer, words: words).html)
  }
}
