import HTTPSyntax

/// The part of a representation that a `Range` field asks for.
enum ByteRange: Equatable {
  /// No range, or one that may be passed over: the whole.
  case whole
  /// These bytes.
  case part(Range<Int64>)
  /// There are no such bytes.
  case unsatisfiable

  /// Several ranges at once are answered with the whole, which is allowed and never wrong.
  ///
  /// - Parameters:
  ///   - field: The value of `Range`.
  ///   - length: The whole representation's length.
  init(_ field: String?, length: Int64) {
    self = .whole
    guard let field, ASCII.equalIgnoringCase(String(field.prefix(6)), "bytes=") else { return }
    let parts = ASCII.listMembers(String(field.dropFirst(6)))
    guard parts.count == 1 else { return }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { ASCII.trimmed($0) }
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return }
    // Digits only: what does not fit lies beyond any file.
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
