/// The outcome of a conditional or partial request for one representation (RFC 9110, 13 and 14).
enum RequestOutcome: Equatable {
  case complete
  case part(Range<Int64>)
  case notModified
  case preconditionFailed
  case unsatisfiableRange

  /// Evaluates the preconditions and the range of a request.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - fields: The header fields of the request.
  ///   - tag: The current tag of the representation; nil if it has none.
  ///   - modified: The date of the last change; nil if it is unknown.
  ///   - length: The length of the representation.
  init(method: HTTPMethod, fields: HTTPFields, tag: EntityTag?, modified: HTTPDate?, length: Int64) {
    let isReading = method == .get || method == .head
    guard Self.preconditionsHold(fields, tag: tag, modified: modified) else {
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
      self = .complete
      return
    }
    switch ByteRange(fields["Range"], length: length) {
    case .complete: self = .complete
    case .part(let range): self = .part(range)
    case .unsatisfiable: self = .unsatisfiableRange
    }
  }

  private static func preconditionsHold(_ fields: HTTPFields, tag: EntityTag?, modified: HTTPDate?) -> Bool {
    let match = fields.values("If-Match")
    if !match.isEmpty {
      return match.contains("*")
        || EntityTag.list(match).contains { wanted in tag.map { wanted.matches($0, strongly: true) } ?? false
        }
    }
    guard let modified, let limit = fields["If-Unmodified-Since"].flatMap(HTTPDate.init) else { return true }
    return modified <= limit
  }

  /// Returns whether the client's partial copy belongs to the current version.
  private static func mayBePartial(_ fields: HTTPFields, tag: EntityTag?, modified: HTTPDate?) -> Bool {
    guard let condition = fields["If-Range"] else { return true }
    if let wanted = EntityTag(parsing: condition) {
      return tag.map { wanted.matches($0, strongly: true) } ?? false
    }
    guard let modified, let date = HTTPDate(condition) else { return false }
    return modified == date
  }
}
