import Foundation
import KennelModel

/// A single large photo with its author, its date, its hearts and its comments.
struct PhotoArticle {
  let picture: PhotoPicture
  let comments: CommentPage
  /// The albums that show the photo.
  let albums: [AlbumTitle]
  let viewer: User?
  let words: Words

  private var post: Post { picture.post }

  private func mayChange(_ authors: User.ID...) -> Bool {
    guard let viewer else { return false }
    return viewer.role == .owner || authors.contains(viewer.id)
  }

  var html: HTML {
    """
    <article class="photo" data-post="\(post.id)" aria-labelledby="photo-\(post.id)">
    <div class="stage"><div class="frame \(picture.proportions())">\(picture.large)</div></div>
    <div class="details">
    <header>
    \(Avatar(authorOf: post).html)
    <p><bdi class="author">\(author)</bdi><span class="when">\(words.photo.shared(PageDate(date: post.created, words: words.dates).html))\(origin)</span></p>
    </header>
    \(heading)
    \(PageTakenTime(time: post.taken, words: words).html)
    \(inAlbums)
    <div class="actions">\(HeartButton(post: post, words: words.grid).html)\
    <a class="quiet button" href="/posts/\(post.id)/photo" download="\(post.facts.format.fileName(of: post.id))" title="\(facts)"><svg class="icon" aria-hidden="true">\
    <use href="#original"/></svg>\(words.frame.original)</a>\(shareButton)\(changeButtons)</div>
    \(cameraData)
    \(discussion)
    </div>
    </article>
    """
  }

  private var heading: HTML {
    let isUntitled = post.caption.isEmpty
    return """
      <h1 class="\(isUntitled ? "hidden-text" : "caption")" id="photo-\(post.id)" dir="auto">\
      \(picture.alternative)</h1>
      """
  }

  private var inAlbums: HTML? {
    if albums.isEmpty { return nil }
    let links = albums.enumerated().map { index, album -> HTML in
      let comma: HTML? = index > 0 ? ", " : nil
      return "\(comma)<a href=\"/albums/\(album.id)\"><bdi>\(album.title)</bdi></a>"
    }
    return """
      <p class="in-albums"><svg class="icon" aria-hidden="true"><use href="#album"/></svg><span>\(words.photo.inAlbums(HTML(links)))</span></p>
      """
  }

  /// The name of the author, with a link to the author's photos. People of other kennels have no page here.
  private var author: HTML {
    post.origin == nil
      ? "<a href=\"/people/\(post.author)/photos\">\(post.authorName)</a>" : "\(post.shownAuthor)"
  }

  private var origin: HTML? {
    post.origin.map { words.photo.fromKennel("<bdi>\($0.kennel)</bdi>") }
  }

  private var facts: String {
    let megabytes = Double(post.byteCount) / 1_000_000
    let size =
      megabytes < 0.95
      ? "\(max(post.byteCount / 1000, 1)) kB"
      : "\(words.dates.decimal("\((megabytes * 10).rounded() / 10)")) MB"
    return "\(post.facts.width) × \(post.facts.height), \(size)"
  }

  private var changeButtons: HTML? {
    guard mayChange(post.author) else { return nil }
    return """
      <button class="quiet button scripted" type="button" data-edit-post="\(post.id)">\
      <svg class="icon" aria-hidden="true"><use href="#pencil"/></svg>\(words.frame.edit)</button>\
      <button class="quiet button scripted" type="button" data-delete-post="\(post.id)">\
      <svg class="icon" aria-hidden="true"><use href="#bin"/></svg>\(words.frame.delete)</button>
      """
  }

  private var shareButton: HTML? {
    guard mayChange(post.author) else { return nil }
    return """
      <button class="quiet button scripted" type="button" data-share="/posts/\(post.id)">\
      <svg class="icon" aria-hidden="true"><use href="#link"/></svg>\(words.frame.share)</button>
      """
  }

  /// What the author decides about the metadata of the photo. Owners who are not the author do not see it.
  private var cameraData: HTML? {
    guard viewer?.id == post.author else { return nil }
    let (sentence, value, action): (String, HTML, String)
    switch post.metadata {
    case .absent: return nil
    case .removed, .notExamined:
      (sentence, value, action) = (words.photo.cameraDataPrivate, "shared", words.photo.shareCameraData)
    case .shared:
      (sentence, value, action) = (words.photo.cameraDataShared, "private", words.photo.hideCameraData)
    }
    let uploaded: HTML? =
      post.upload == nil
      ? nil : "<a class=\"link\" href=\"/posts/\(post.id)/uploaded\" download>\(words.photo.asUploaded)</a>"
    return """
      <p class="own"><span>\(sentence)</span><button class="link scripted" type="button" data-set-place="\(value)" \
      data-of="\(post.id)">\(action)</button>\(uploaded)</p>
      """
  }

  private var discussion: HTML {
    """
    <section class="comments" aria-labelledby="comments-\(post.id)">
    <h2 id="comments-\(post.id)">\(words.photo.comments) <span class="count" data-comments="\(post.id)">\(post.commentCount)</span></h2>
    \(earlier)<ol>\(comments.comments.map(item))</ol>
    \(later)
    \(viewer == nil ? invitation : form)
    </section>
    """
  }

  /// The link to the next page of comments.
  private var later: HTML? {
    comments.next.map { last in
      "<p class=\"later\"><a class=\"button\" rel=\"next\" href=\"/photos/\(post.id)?after=\(last)\">\(words.photo.newerComments)</a></p>"
    }
  }

  private var earlier: HTML? {
    comments.isFirst
      ? nil : "<p class=\"earlier\"><a href=\"/photos/\(post.id)\">\(words.photo.firstComments)</a></p>"
  }

  private func item(_ comment: Comment) -> HTML {
    let delete: HTML? =
      mayChange(comment.author, post.author)
      ? """
      <button class="quiet scripted" type="button" data-delete-comment="\(comment.id)" \
      aria-label="\(words.photo.deleteCommentBy(comment.authorName))"><svg class="icon" aria-hidden="true">\
      <use href="#close"/></svg></button>
      """ : nil
    return """
      <li data-comment="\(comment.id)">\(Avatar(authorOf: comment).html)<div><p class="said"><bdi class="author">\
      \(comment.authorName)</bdi>\(PageDate(date: comment.created, words: words.dates).html)</p>\
      <p class="text" dir="auto">\(comment.text)</p></div>\(delete)</li>
      """
  }

  private var form: HTML {
    """
    <form class="comment-form scripted" data-comment-on="\(post.id)">
    <label class="hidden-text" for="say-\(post.id)">\(words.photo.yourComment)</label>
    <textarea id="say-\(post.id)" name="text" rows="1" maxlength="1000" required placeholder="\(words.photo.commentExample)"\
     autocomplete="off"></textarea>
    <button class="button" type="submit">\(words.photo.send)</button>
    <p class="error" role="alert"></p>
    </form>
    """
  }

  private var invitation: HTML {
    "<p class=\"invitation scripted\"><button class=\"button\" type=\"button\" data-sign-in>\(words.photo.signInToComment)</button></p>"
  }
}
