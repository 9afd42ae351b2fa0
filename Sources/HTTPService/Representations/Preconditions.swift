/// What a conditional or partial request comes to, for one representation (RFC 9110, 13 and 14).
enum RequestOutcome: Equatable {
  case whole
  case part(Range<Int64>)
  case notModified
  case preconditionFailed
  case unsatisfiableRange

  /// - Parameters:
  ///   - method: The request's method.
  ///   - fields: The request's fields.
  ///   - tag: The representation's present tag; nil when it has none.
  ///   - modified: When it was last changed; nil when that is not known.
  ///   - length: Its length.
  init(method: HTTPMethod, fields: HTTPFields, tag: EntityTag?, modified: HTTPDate?, length: Int64) {
    let isReading = method == .get || method == .head
    guard Self.mayGoOn(fields, tag: tag, modified: modified) else {
      self = .preconditionFailed
      return
    }
    let noneMatch = fields.values("If-None-Match")
    if !noneMatch.isEmpty {
      let isKnown =
        noneMatch.contains("*")
        || EntityTag.list(noneMatch).contains { known in
          tag.map { known.matches($0, strongly: false) } ?? false
        }
      if isKnown {
        self = isReading ? .notModified : .preconditionFailed
        return
      }
    } else if isReading, let modified, let since = fields["If-Modified-Since"].flatMap(HTTPDate.init),
      modified <= since
    {
      self = .notModified
      return
    }
    guard method == .get, Self.mayBePartial(fields, tag: tag, modified: modified) else {
      self = .whole
      return
    }
    switch ByteRange(fields["Range"], length: length) {
    case .whole: self = .whole
    case .part(let range): self = .part(range)
    case .unsatisfiable: self = .unsatisfiableRange
    }
  }

  private static func mayGoOn(_ fields: HTTPFields, tag: EntityTag?, modified: HTTPDate?) -> Bool {
    let match = fields.values("If-Match")
    if !match.isEmpty {
      return match.contains("*")
        || EntityTag.list(match).contains { wanted in tag.map { wanted.matches($0, strongly: true) } ?? false
        }
    }
    guard let modified, let limit = fields["If-Unmodified-Since"].flatMap(HTTPDate.init) else { return true }
    return modified <= limit
  }

  /// Whether the version the client has a part of is the one at hand.
  private static func mayBePartial(_ fields: HTTPFields, tag: EntityTag?, modified: HTTPDate?) -> Bool {
    guard let condition = fields["If-Range"] else { return true }
    if let wanted = EntityTag(parsing: condition) {
      return tag.map { wanted.matches($0, strongly: true) } ?? false
    }
    guard let modified, let date = HTTPDate(condition) else { return false }
    return modified == date
  }
}
