import KennelModel

/// A photo in the grid.
struct PostTile {
  let picture: PhotoPicture
  let isEarly: Bool
  let words: GridWords

  /// The range of aspect ratios. Narrower and wider photos are cropped: a photo that fills a row alone makes the row
  /// before it too high.
  static let proportions = (minimum: 0.5, maximum: 2.1)

  var html: HTML {
    let post = picture.post
    let proportions = picture.proportions(from: Self.proportions.minimum, to: Self.proportions.maximum)
    let caption: HTML? =
      post.caption.isEmpty ? nil : "<span class=\"caption\" dir=\"auto\">\(post.caption)</span>"
    return """
      <li class="tile \(proportions)" data-post="\(post.id)" data-month="\(post.taken.month.description)" \
      data-position="\(post.position.description)">\
      <a class="open" href="/photos/\(post.id)">\(picture.inGrid(isEarly: isEarly))\
      <span class="about" aria-hidden="true">\(caption)<bdi class="author">\(post.shownAuthor)</bdi></span>\(picture.duration)</a>\
      \(HeartButton(post: post, words: words).html)</li>
      """
  }
}

/// A heart button with the number of hearts.
struct HeartButton {
  let post: Post
  let words: GridWords

  var html: HTML {
    """
    <button class="heart" type="button" data-heart="\(post.id)" \
    data-count="\(post.favouriteCount)" aria-pressed="\(post.isFavourite ? "true" : "false")">\
    <svg class="icon" aria-hidden="true"><use href="#heart"/></svg>\
    <span class="hidden-text">\(words.heart)</span><span class="count">\(post.favouriteCount)</span></button>
    """
  }
}

extension Post {
  /// The name of the author, here or in the kennel that the post came from.
  var shownAuthor: String { origin?.author ?? authorName }
}
