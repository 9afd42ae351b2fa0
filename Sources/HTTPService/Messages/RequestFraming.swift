import HTTPSyntax

/// How the length of a request's body is told.
enum RequestFraming: Equatable {
  case noBody
  case length(Int64)
  case chunked

  /// Refuses whatever two servers in a row could read differently: that is how requests are smuggled.
  init(_ fields: HTTPFields) throws(HTTPRefusal) {
    let codings = fields.listMembers("Transfer-Encoding")
    let hasCoding = fields.contains { ASCII.equalIgnoringCase($0.name, "Transfer-Encoding") }
    let lengths = fields.values("Content-Length")
    if hasCoding {
      guard lengths.isEmpty else { throw .malformed("A body has a length or a transfer coding, not both.") }
      guard codings.count == 1, ASCII.equalIgnoringCase(codings[0], "chunked") else {
        throw HTTPRefusal(.notImplemented, "The only transfer coding taken here is chunked.")
      }
      self = .chunked
      return
    }
    guard let first = lengths.first else {
      self = .noBody
      return
    }
    guard lengths.count == 1, let length = ASCII.number(first[...]) else {
      throw .malformed("The Content-Length is not one number.")
    }
    self = length == 0 ? .noBody : .length(length)
  }

  var hasBody: Bool { self != .noBody }
}
