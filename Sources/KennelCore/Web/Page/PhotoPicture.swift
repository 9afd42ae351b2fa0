/// A photo as the page shows it: a soft placeholder within the document, and over it the sharp picture in as many
/// sizes as there are thumbnails.
struct PhotoPicture {
  /// The longest sides that thumbnails are made with.
  static let sizes = [240, 320, 480, 640, 960, 1280, 1920]

  let post: Post
  /// A `data:` URL; empty when there is none.
  let placeholder: String

  var aspectRatio: Double { Double(max(post.facts.width, 1)) / Double(max(post.facts.height, 1)) }

  /// What is read out and shown when there is no picture.
  var alternative: String { post.caption.isEmpty ? "Photo by \(post.shownAuthor)" : post.caption }

  /// Classes that tell the style sheet the proportions, digit by digit, where no style may stand in a document: `u1 d3
  /// c3 m3` is 1.333.
  func proportions(from least: Double = 0.02, to most: Double = 9.999) -> String {
    var number = Int((min(max(aspectRatio, least), most) * 1000).rounded())
    var classes: [String] = []
    for place in ["m", "c", "d", "u"] {
      classes.append("\(place)\(number % 10)")
      number /= 10
    }
    return classes.reversed().joined(separator: " ")
  }

  /// The sizes that show more than a smaller one does: none is larger than the photo, except the first of those that
  /// show it whole.
  private var offered: [(size: Int, width: Int)] {
    let longest = max(post.facts.width, post.facts.height, 1)
    let last = Self.sizes.firstIndex { $0 >= longest } ?? Self.sizes.count - 1
    return Self.sizes[...last].map { size in
      let width = Double(post.facts.width) * Double(min(size, longest)) / Double(longest)
      return (size, max(Int(width.rounded()), 1))
    }
  }

  private func address(_ size: Int) -> String { "/posts/\(post.id)/thumbnail?size=\(size)" }

  private var sourceSet: String {
    offered.map { "\(address($0.size)) \($0.width)w" }.joined(separator: ", ")
  }

  private var soft: HTML? {
    guard !placeholder.isEmpty else { return nil }
    return "<img class=\"soft\" src=\"\(placeholder)\" alt=\"\" aria-hidden=\"true\">"
  }

  /// In the grid.
  ///
  /// - Parameter isEarly: Whether it is likely seen before anybody scrolls.
  func inGrid(isEarly: Bool) -> HTML {
    // A row is some 14 to 18 rem high, and on a phone one photo or two wide; where a browser knows better (`auto`) it
    // says so.
    let sizes = "(max-width: 40em) \(aspectRatio > 1.2 ? 100 : 60)vw, \(max(Int(aspectRatio * 18), 8))rem"
    let loading: HTML = isEarly ? "fetchpriority=\"high\"" : "loading=\"lazy\""
    return """
      \(soft)<img class="sharp" src="\(address(480))" srcset="\(sourceSet)" \
      sizes="\(isEarly ? sizes : "auto, " + sizes)" width="\(post.facts.width)" height="\(post.facts.height)" \
      alt="\(alternative)" decoding="async" \(loading)>
      """
  }

  /// Alone, as large as it fits.
  var large: HTML {
    """
    \(soft)<img class="sharp" src="\(address(1280))" srcset="\(sourceSet)" \
    sizes="(min-width: 60em) calc(100vw - 24rem), 100vw" width="\(post.facts.width)" \
    height="\(post.facts.height)" alt="\(alternative)" decoding="async" fetchpriority="high">
    """
  }
}
