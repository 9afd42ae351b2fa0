import KennelModel

/// The picture of a person, or the first letter of the name on a coloured background. The letter is there in any case: it is
/// seen until the picture is loaded, and without a connection.
struct Avatar {
  let name: String
  /// The address of the picture, or nil if there is none.
  var picture: String?

  /// The letter of somebody whose picture is not shown.
  init(letterOf name: String) { self.name = name }

  init(_ user: User) { self.init(user.id, name: user.name, picture: user.picture) }

  init(authorOf comment: Comment) {
    self.init(comment.author, name: comment.authorName, picture: comment.authorPicture)
  }

  /// The author of a post of another kennel has no picture here.
  init(authorOf post: Post) {
    self.init(
      post.author, name: post.shownAuthor, picture: post.origin == nil ? post.authorPicture : nil)
  }

  init(_ user: User.ID, name: String, picture: UserPicture.Version?) {
    self.name = name
    self.picture = picture.map { Self.address(of: $0, user) }
  }

  /// Returns the address of a picture. Another picture of the same user has another address.
  static func address(of picture: UserPicture.Version, _ user: User.ID) -> String {
    "/people/\(user)/picture?v=\(picture)"
  }

  private var letter: String {
    name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
  }

  /// The index of the colour. It is always the same for a name.
  private var tint: Int { name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 6 } }

  /// The classes of an element that shows the person.
  var classes: String { "initial tint-\(tint)" }

  /// What an element with the classes contains. The name is next to it, so a screen reader does not read it.
  var content: HTML {
    let image = picture.map { address -> HTML in
      let side = UserPicture.side
      return "<img src=\"\(address)\" width=\"\(side)\" height=\"\(side)\" alt=\"\" decoding=\"async\">"
    }
    return "\(letter)\(image)"
  }

  var html: HTML { "<span class=\"\(classes)\" aria-hidden=\"true\">\(content)</span>" }
}
