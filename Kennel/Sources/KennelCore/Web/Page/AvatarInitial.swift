/// The first letter of a user's name on a coloured background.
struct AvatarInitial {
  let name: String

  var text: String { name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?" }

  /// The index of the colour. It is always the same for a name.
  var tint: Int { name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 6 } }

  var html: HTML { "<span class=\"initial tint-\(tint)\" aria-hidden=\"true\">\(text)</span>" }
}
