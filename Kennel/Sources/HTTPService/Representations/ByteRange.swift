import HTTPSyntax

/// The part of a representation that a `Range` field asks for.
enum ByteRange: Equatable {
  /// The complete representation: there is no range, or it can be ignored.
  case complete
  /// A range of bytes.
  case part(Range<Int64>)
  /// A range outside the representation.
  case unsatisfiable

  /// Parses a `Range` field. Several ranges are answered with the complete representation, which HTTP allows.
  ///
  /// - Parameters:
  ///   - field: The value of `Range`.
  ///   - length: The length of the complete representation.
  init(_ field: String?, length: Int64) {
    self = .complete
    guard let field, ASCII.equalIgnoringCase(String(field.prefix(6)), "bytes=") else { return }
    let parts = ASCII.listMembers(String(field.dropFirst(6)))
    guard parts.count == 1 else { return }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { ASCII.trimmed($0) }
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return }
    // The ends contain only digits. A number that is too large is beyond the end of any file.
    let first = ends[0].isEmpty ? nil : ASCII.number(ends[0]) ?? .max
    let last = ends[1].isEmpty ? nil : ASCII.number(ends[1]) ?? .max
    switch (first, last) {
    case (let first?, let last?) where last < first: return
    case (let first?, _):
      self = first < length ? .part(first..<(min(last ?? .max, length - 1) + 1)) : .unsatisfiable
    case (nil, let suffix?):
      self = suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
    case (nil, nil): return
    }
  }
}
