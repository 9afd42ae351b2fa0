#if !canImport(Darwin)
import HTTPSyntax

/// The directives of a message's `Cache-Control` fields (RFC 9111, 5.2).
///
/// Names are compared without case. Unknown directives are kept and have no effect. If a directive with a number occurs
/// several times, the first one counts. The time is linear in the length of the fields.
package struct CacheControl: Sendable, Equatable {
  /// The value of a directive.
  private enum Argument: Sendable, Equatable {
    case none
    case text(String)
    /// Not the form of a directive, such as `max-age = 5`.
    case invalid
  }

  private var directives: [String: Argument] = [:]
  /// Whether `no-cache` applies to the complete response, and not to some of its fields only.
  private(set) package var isNoCache = false
  /// The names of the fields that `no-cache="…"` lists, in lower case. They are not reused without validation.
  private(set) package var noCacheFields: Set<String> = []

  /// The maximum number of seconds. RFC 9111, 1.2.2 allows any limit from 2,147,483,648 on for numbers that are too large.
  package static let maximumSeconds: Int64 = 2_147_483_648

  /// - Parameter values: The values of the fields, each line separately.
  package init(_ values: [String]) {
    for value in values {
      for member in Self.members(value.utf8) { add(member) }
    }
  }

  package init(_ fields: HeaderFields) { self.init(fields.values(for: "Cache-Control")) }

  package var isEmpty: Bool { directives.isEmpty }

  /// Whether there is a directive of this name, in lower case, with or without a valid value.
  package func contains(_ name: String) -> Bool { directives[name] != nil }

  /// The seconds of a directive; nil without the directive. A missing or invalid number counts as 0, so that a response
  /// with an invalid lifetime is stale (RFC 9111, 4.2.1).
  package func seconds(_ name: String) -> Int64? {
    switch directives[name] {
    case nil: nil
    case .none?, .invalid?: 0
    case .text(let text)?: Self.seconds(text) ?? 0
    }
  }

  /// Whether there is a directive of this name without a value.
  package func isWithoutValue(_ name: String) -> Bool { directives[name] == Argument.none }

  /// Parses a number of seconds, which may be too large to represent; nil for any other text.
  package static func seconds(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return min(ASCII.number(text) ?? maximumSeconds, maximumSeconds)
  }

  // MARK: Parsing

  private mutating func add(_ member: Substring.UTF8View) {
    let member = Substring(member)
    let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")) ?? member.endIndex
    let spelling = member[..<equals]
    let name = ASCII.lowercased(ASCII.trimmed(spelling))
    guard !name.isEmpty else { return }
    var argument = Argument.none
    if equals != member.endIndex {
      let value = member[member.utf8.index(after: equals)...]
      let isWellFormed = spelling.utf8.last.map(ASCII.isBlank) == false
      argument = (isWellFormed ? Self.value(value) : nil).map(Argument.text) ?? .invalid
    }
    if name == "no-cache" { addNoCache(argument) }
    if directives[name] == nil { directives[name] = argument }
  }

  private mutating func addNoCache(_ argument: Argument) {
    guard case .text(let list) = argument else {
      isNoCache = true
      return
    }
    let names = ASCII.listMembers(list).map { ASCII.lowercased($0) }
    guard !names.isEmpty, names.allSatisfy({ ASCII.isToken($0) }) else {
      isNoCache = true
      return
    }
    noCacheFields.formUnion(names)
  }

  /// Returns a token or the contents of a quoted string; nil for any other text.
  private static func value(_ text: Substring) -> String? {
    guard text.utf8.first == UInt8(ascii: "\"") else {
      return text.utf8.contains(where: ASCII.isBlank) ? nil : String(text)
    }
    var contents: [UInt8] = []
    var bytes = text.utf8.dropFirst()
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "\"") {
        return bytes.isEmpty ? String(decoding: contents, as: UTF8.self) : nil
      }
      if byte == UInt8(ascii: "\\"), let escaped = bytes.popFirst() {
        contents.append(escaped)
      } else {
        contents.append(byte)
      }
    }
    return nil
  }

  /// Splits a value at its commas, except for those in quoted strings. A quotation mark without an end is an ordinary
  /// character: it must not hide the directives after it.
  private static func members(_ value: String.UTF8View) -> [Substring.UTF8View] {
    var members: [Substring.UTF8View] = []
    var start = value.startIndex
    var position = start
    var openQuote: String.Index?
    var ignoresQuotes = false
    func appendMember(upTo end: String.Index) {
      members.append(ASCII.trimmed(Substring(value[start..<end])).utf8)
    }
    while true {
      if position == value.endIndex {
        guard let quote = openQuote else { break }
        ignoresQuotes = true
        openQuote = nil
        position = quote
        continue
      }
      let byte = value[position]
      let isQuoted = openQuote != nil
      if byte == UInt8(ascii: "\""), !ignoresQuotes {
        openQuote = isQuoted ? nil : position
      } else if byte == UInt8(ascii: "\\"), isQuoted, value.index(after: position) != value.endIndex {
        position = value.index(after: position)
      } else if byte == UInt8(ascii: ","), !isQuoted {
        appendMember(upTo: position)
        start = value.index(after: position)
      }
      position = value.index(after: position)
    }
    appendMember(upTo: value.endIndex)
    return members
  }
}
#endif
