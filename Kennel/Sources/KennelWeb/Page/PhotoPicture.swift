import KennelModel

/// The markup of a photo: a blurred placeholder in the document, and over it the sharp image in all thumbnail sizes.
struct PhotoPicture {
  /// The lengths of the longer side of the offered thumbnails.
  static let sizes = [240, 320, 480, 640, 960, 1280, 1920]

  let post: Post
  /// A `data:` URL, or an empty string if there is no placeholder.
  let placeholder: String
  let words: PhotoWords
  /// The path below which the thumbnails are, if it is not that of the post.
  var path: String?

  var aspectRatio: Double { Double(max(post.facts.width, 1)) / Double(max(post.facts.height, 1)) }

  /// The alternative text for screen readers and for missing images.
  var alternative: String {
    if !post.caption.isEmpty { return post.caption }
    return post.facts.format.isVideo ? words.videoBy(post.shownAuthor) : words.photoBy(post.shownAuthor)
  }

  /// Returns the classes that encode the aspect ratio digit by digit for the style sheet, because inline styles are not
  /// allowed: `u1 d3 c3 m3` is 1.333.
  func proportions(from minimum: Double = 0.02, to maximum: Double = 9.999) -> String {
    var number = Int((min(max(aspectRatio, minimum), maximum) * 1000).rounded())
    var classes: [String] = []
    for place in ["m", "c", "d", "u"] {
      classes.append("\(place)\(number % 10)")
      number /= 10
    }
    return classes.reversed().joined(separator: " ")
  }

  /// The name of the photo in titles.
  var shortName: String {
    String(alternative.split(separator: "\n").first.map(String.init)?.prefix(60) ?? words.photo[...])
  }

  /// Returns the size of a thumbnail whose longer side has at most this length.
  func size(within length: Int) -> (width: Int, height: Int) {
    let (width, height) = (max(post.facts.width, 1), max(post.facts.height, 1))
    let scale = min(Double(length) / Double(max(width, height)), 1)
    return (max(Int((Double(width) * scale).rounded()), 1), max(Int((Double(height) * scale).rounded()), 1))
  }

  /// The useful sizes: those smaller than the photo, and the first one that shows the complete photo.
  private var offered: [(size: Int, width: Int)] {
    let longerSide = max(post.facts.width, post.facts.height, 1)
    let last = Self.sizes.firstIndex { $0 >= longerSide } ?? Self.sizes.count - 1
    return Self.sizes[...last].map { size in
      let width = Double(post.facts.width) * Double(min(size, longerSide)) / Double(longerSide)
      return (size, max(Int(width.rounded()), 1))
    }
  }

  func address(_ size: Int) -> String {
    "\(path ?? "/posts/\(post.id)")/thumbnail?size=\(size)"
  }

  private var sourceSet: String {
    offered.map { "\(address($0.size)) \($0.width)w" }.joined(separator: ", ")
  }

  private var soft: HTML? {
    guard !placeholder.isEmpty else { return nil }
    return "<img class=\"soft\" src=\"\(placeholder)\" alt=\"\" aria-hidden=\"true\">"
  }

  /// Returns the markup for the grid.
  ///
  /// - Parameter isEarly: Whether the photo is likely visible before scrolling.
  func inGrid(isEarly: Bool) -> HTML {
    // A row is about 14 to 18 rem high. On a phone, it is one or two photos wide. Browsers that support `auto` compute
    // the exact size.
    let sizes = "(max-width: 40em) \(aspectRatio > 1.2 ? 100 : 60)vw, \(max(Int(aspectRatio * 18), 8))rem"
    let loading: HTML = isEarly ? "fetchpriority=\"high\"" : "loading=\"lazy\""
    return """
      \(soft)<img class="sharp" src="\(address(480))" srcset="\(sourceSet)" \
      sizes="\(isEarly ? sizes : "auto, " + sizes)" width="\(post.facts.width)" height="\(post.facts.height)" \
      alt="\(alternative)" decoding="async" \(loading)>
      """
  }

  /// The duration of a video, in a corner of its tile.
  var duration: HTML? {
    post.facts.duration.map { milliseconds in
      """
      <span class="duration"><span class="hidden-text">\(words.video), </span>\
      <svg class="icon" aria-hidden="true"><use href="#play"/></svg>\(VideoDuration.text(Double(milliseconds) / 1000))</span>
      """
    }
  }

  /// The markup for a single photo or video, as large as it fits.
  var large: HTML { post.facts.format.isVideo ? video : photo }

  /// A video with the controls of the browser. Only its beginning is loaded until it is played.
  private var video: HTML {
    let file = "\(path ?? "/posts/\(post.id)")/photo"
    return """
      \(soft)<video class="sharp" src="\(file)" controls playsinline preload="metadata" poster="\(address(1280))&amp;format=jpeg" \
      width="\(post.facts.width)" height="\(post.facts.height)" aria-label="\(alternative)">\
      <a href="\(file)">\(words.downloadVideo)</a></video>
      """
  }

  private var photo: HTML {
    """
    \(soft)<img class="sharp" src="\(address(1280))" srcset="\(sourceSet)" \
    sizes="(min-width: 60em) calc(100vw - 24rem), 100vw" width="\(post.facts.width)" \
    height="\(post.facts.height)" alt="\(alternative)" decoding="async" fetchpriority="high">
    """
  }
}
