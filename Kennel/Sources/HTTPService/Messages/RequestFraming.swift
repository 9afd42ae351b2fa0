import HTTPSyntax

/// The framing of a request body: none, a length, or chunks.
enum RequestFraming: Equatable {
  case noBody
  case length(Int64)
  case chunked

  /// Refuses header fields that a proxy and this server could interpret differently, to prevent request smuggling.
  init(_ fields: HTTPFields) throws(HTTPRefusal) {
    let codings = fields.listMembers("Transfer-Encoding")
    let hasCoding = fields.contains { ASCII.equalIgnoringCase($0.name, "Transfer-Encoding") }
    let lengths = fields.values("Content-Length")
    if hasCoding {
      guard lengths.isEmpty else {
        throw .malformed("A request must not have both Content-Length and Transfer-Encoding.")
      }
      guard codings.count == 1, ASCII.equalIgnoringCase(codings[0], "chunked") else {
        throw HTTPRefusal(.notImplemented, "The only supported transfer coding is chunked.")
      }
      self = .chunked
      return
    }
    guard let first = lengths.first else {
      self = .noBody
      return
    }
    guard lengths.count == 1, let length = ASCII.number(first[...]) else {
      throw .malformed("The Content-Length is not a single number.")
    }
    self = length == 0 ? .noBody : .length(length)
  }

  var hasBody: Bool { self != .noBody }
}
