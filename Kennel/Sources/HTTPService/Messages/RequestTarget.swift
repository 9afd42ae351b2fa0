import HTTPSyntax

/// The parsed path and query of a request.
///
/// The target is untrusted input: the parser refuses everything that is ambiguous.
struct RequestTarget: Equatable {
  var segments: [String] = []
  var hasTrailingSlash = false
  var query: [HTTPQueryItem] = []

  /// - Parameter text: The target of the request line, in origin form, absolute form, or `*`.
  init(_ text: String) throws(HTTPRefusal) {
    // Only visible ASCII: everything else must be percent-encoded.
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else {
      throw .malformed("The request target contains a character that must be percent-encoded.")
    }
    if text == "*" { return }
    let rest = try Self.originForm(text)
    let end = rest.utf8.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    try takePath(rest[..<end])
    if end < rest.endIndex { try takeQuery(rest[rest.utf8.index(after: end)...]) }
  }

  /// Returns the target without the scheme and host of the absolute form, which the Host field repeats.
  private static func originForm(_ text: String) throws(HTTPRefusal) -> Substring {
    if text.utf8.first == UInt8(ascii: "/") { return text[...] }
    for scheme in ["http://", "https://"]
    where ASCII.equalIgnoringCase(String(text.prefix(scheme.utf8.count)), scheme) {
      let afterScheme = text.dropFirst(scheme.utf8.count)
      guard let slash = afterScheme.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
      return afterScheme[slash] == "?" ? "/" + afterScheme[slash...] : afterScheme[slash...]
    }
    throw .malformed("The request target must begin with a slash.")
  }

  private mutating func takePath(_ path: Substring) throws(HTTPRefusal) {
    for piece in path.utf8.split(separator: UInt8(ascii: "/")) {
      let segment = try Self.decoded(piece, of: "path")
      // An encoded slash would turn one segment into two when the segments are joined again.
      guard !segment.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }) else {
        throw .malformed("The path contains an encoded slash or a control character.")
      }
      switch segment {
      case ".": break
      case "..":
        guard !segments.isEmpty else { throw .malformed("The path leads above the root.") }
        segments.removeLast()
      default: segments.append(segment)
      }
    }
    hasTrailingSlash = path.utf8.last == UInt8(ascii: "/") && !segments.isEmpty
  }

  private mutating func takeQuery(_ text: Substring) throws(HTTPRefusal) {
    for piece in text.utf8.split(separator: UInt8(ascii: "&")) {
      let equals = piece.firstIndex(of: UInt8(ascii: "="))
      let name = try Self.decoded(piece[..<(equals ?? piece.endIndex)], of: "query")
      var value: String?
      if let equals { value = try Self.decoded(piece[piece.index(after: equals)...], of: "query") }
      query.append(HTTPQueryItem(name: name, value: value))
    }
  }

  private static func decoded(
    _ piece: Substring.UTF8View, of part: String
  ) throws(HTTPRefusal) -> String {
    if let text = PercentEncoding.decode(piece, plusIsSpace: part == "query") { return text }
    throw .malformed(
      PercentEncoding.isBroken(piece)
        ? "The \(part) contains invalid percent-encoding. Write a percent sign as %25."
        : "The \(part) is not valid UTF-8. Percent-encode text as UTF-8.")
  }
}
