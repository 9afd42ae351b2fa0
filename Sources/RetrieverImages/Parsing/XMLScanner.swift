/// A name in XML: the URI of its namespace, which is empty for a name without one, and the part after the prefix.
struct XMLName: Hashable {
  var namespace: String
  var local: String
}

/// Reads the elements and texts of XML from beginning to end, in one pass and with bounded memory.
///
/// This is not a validating parser: it accepts some documents that are not well-formed, and stops at the first place that
/// it cannot read. It knows the five predefined entities and numeric references only. Declarations are skipped, so no
/// document can define entities that expand.
struct XMLScanner {
  enum Event: Equatable {
    case start(XMLName, attributes: [XMLName: String])
    case text(String)
    case end
  }

  private static let maximumDepth = 64
  private static let maximumAttributes = 512
  private static let maximumNamespaces = 256

  private let bytes: [UInt8]
  private var position = 0
  /// True after an element without content, whose end has not been reported.
  private var owesEnd = false
  private var declarations: [(prefix: String, namespace: String)] = []
  /// The number of declarations outside of each open element.
  private var scopes: [Int] = []

  init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  /// Returns the next event; nil at the end or at the first invalid place.
  mutating func next() -> Event? {
    if owesEnd {
      owesEnd = false
      return close()
    }
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") { return .text(text()) }
      if skip("<!--") {
        guard find("-->") != nil else { return nil }
      } else if skip("<![CDATA[") {
        guard let content = find("]]>") else { return nil }
        return .text(String(decoding: bytes[content], as: UTF8.self))
      } else if skip("<?") {
        guard find("?>") != nil else { return nil }
      } else if skip("</") {
        guard find(">") != nil, !scopes.isEmpty else { return stop() }
        return close()
      } else if skip("<!") {
        guard find(">") != nil else { return nil }
      } else {
        position += 1
        return startTag() ?? stop()
      }
    }
    return nil
  }

  private mutating func close() -> Event {
    if let count = scopes.popLast() { declarations.removeSubrange(count...) }
    return .end
  }

  private mutating func stop() -> Event? {
    position = bytes.count
    return nil
  }

  private mutating func startTag() -> Event? {
    guard let name = name(), scopes.count < Self.maximumDepth else { return nil }
    var attributes: [(name: Substring, value: String)] = []
    let outside = declarations.count
    while true {
      skipSpaces()
      guard position < bytes.count else { return nil }
      if skip("/>") {
        owesEnd = true
        break
      }
      if skip(">") { break }
      guard attributes.count < Self.maximumAttributes, let key = self.name() else { return nil }
      skipSpaces()
      guard skip("=") else { return nil }
      skipSpaces()
      guard let value = quotedValue() else { return nil }
      if key == "xmlns" {
        declare("", value)
      } else if key.hasPrefix("xmlns:") {
        declare(String(key.dropFirst(6)), value)
      } else {
        attributes.append((key, value))
      }
    }
    scopes.append(outside)
    var named: [XMLName: String] = [:]
    for attribute in attributes { named[resolve(attribute.name, usesDefault: false)] = attribute.value }
    return .start(resolve(name, usesDefault: true), attributes: named)
  }

  private mutating func declare(_ prefix: String, _ namespace: String) {
    guard declarations.count < Self.maximumNamespaces else { return }
    declarations.append((prefix, namespace))
  }

  private func resolve(_ name: Substring, usesDefault: Bool) -> XMLName {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let prefix = parts.count == 2 ? String(parts[0]) : ""
    let local = String(parts.last ?? "")
    if prefix == "xml" { return XMLName(namespace: "http://www.w3.org/XML/1998/namespace", local: local) }
    guard !prefix.isEmpty || usesDefault else { return XMLName(namespace: "", local: local) }
    let declared = declarations.last { $0.prefix == prefix }
    return XMLName(namespace: declared?.namespace ?? "", local: local)
  }

  // MARK: Characters

  private mutating func text() -> String {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
    return Self.decode(bytes[start..<position])
  }

  private mutating func name() -> Substring? {
    let start = position
    while position < bytes.count, !Self.endsName(bytes[position]) { position += 1 }
    return position == start ? nil : Substring(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func quotedValue() -> String? {
    guard position < bytes.count else { return nil }
    let quote = bytes[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    let rest = bytes[(position + 1)...]
    guard let end = rest.firstIndex(of: quote) else { return nil }
    position = end + 1
    return Self.decode(rest[..<end])
  }

  private mutating func skipSpaces() {
    while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    let isHere = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    if isHere { position += count }
    return isHere
  }

  /// Moves behind the next occurrence of a text, and returns the range before it. Without one, nothing more is read.
  private mutating func find(_ text: StaticString) -> Range<Int>? {
    let start = position
    let wanted = text.withUTF8Buffer { Array($0) }
    while position <= bytes.count - wanted.count {
      if bytes[position...].starts(with: wanted) {
        defer { position += wanted.count }
        return start..<position
      }
      position += 1
    }
    position = bytes.count
    return nil
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte <= 0x20
      || [UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "<")].contains(byte)
  }

  /// Decodes UTF-8 with references to characters. A reference that is not valid stays as it is.
  private static func decode(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      // The longest reference is that of the last character, &#1114111;
      let reference = rest.prefix(10)
      if let end = reference.firstIndex(of: ";"),
        let character = character(reference[reference.index(after: reference.startIndex)..<end])
      {
        result.unicodeScalars.append(character)
        rest = rest[rest.index(after: end)...]
      } else {
        result += "&"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  private static func character(_ reference: Substring) -> Unicode.Scalar? {
    switch reference {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    default:
      if reference.hasPrefix("#x") {
        UInt32(reference.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
      } else if reference.hasPrefix("#") {
        UInt32(reference.dropFirst()).flatMap { Unicode.Scalar($0) }
      } else {
        nil
      }
    }
  }
}
