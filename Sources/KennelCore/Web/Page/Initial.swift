/// The letter that stands for somebody, on a ground of a colour that is theirs.
struct Initial {
  let name: String

  var text: String { name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?" }

  /// The same for the same name, always.
  var tint: Int { name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 6 } }

  var html: HTML { "<span class=\"initial tint-\(tint)\" aria-hidden=\"true\">\(text)</span>" }
}
