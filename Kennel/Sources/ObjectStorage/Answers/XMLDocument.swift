/// An element of a store's response, with its text and the elements in it.
struct XMLNode: Sendable, Hashable {
  /// The name without its prefix.
  var name: String
  /// The text directly in the element.
  var text = ""
  var children: [XMLNode] = []

  /// The text of the first element with a name.
  func text(_ name: String) -> String? { children.first { $0.name == name }?.text }

  /// The elements with a name.
  func all(_ name: String) -> [XMLNode] { children.filter { $0.name == name } }
}

/// Reads the small XML documents of stores. Attributes, comments and declarations are skipped. A document that is cut off
/// is not valid, so no list is shorter than the store's. No document can define entities that expand.
struct XMLDocument {
  /// The maximum number of elements in elements.
  static let maximumDepth = 16
  /// The maximum number of elements in a document. A list of 1000 objects has fewer than 10,000.
  static let maximumNodes = 100_000

  private let bytes: [UInt8]
  private var position = 0

  /// Returns the outermost element of a document; nil if the document is not valid or too large.
  static func parse(_ bytes: some Collection<UInt8>) -> XMLNode? {
    var document = XMLDocument(bytes: Array(bytes))
    return document.parse()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func parse() -> XMLNode? {
    var open: [XMLNode] = []
    var root: XMLNode?
    var count = 0
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") {
        let characters = upTo("<")
        guard let text = decode(characters) else { return nil }
        if open.isEmpty {
          guard text.allSatisfy(\.isWhitespace) || text == "\u{feff}" else { return nil }
        } else {
          open[open.count - 1].text += text
        }
      } else if skip("<!--") {
        guard find("-->") != nil else { return nil }
      } else if skip("<![CDATA[") {
        guard let content = find("]]>"), !open.isEmpty,
          let text = String(validating: bytes[content], as: UTF8.self)
        else { return nil }
        open[open.count - 1].text += text
      } else if skip("<?") {
        guard find("?>") != nil else { return nil }
      } else if skip("</") {
        guard let range = find(">"), let done = open.popLast(), Self.name(bytes[range]) == done.name else {
          return nil
        }
        if open.isEmpty { root = done } else { open[open.count - 1].children.append(done) }
      } else if skip("<"), root == nil {
        guard let range = endOfTag(), let name = Self.name(bytes[range]) else { return nil }
        count += 1
        guard count <= Self.maximumNodes, open.count < Self.maximumDepth else { return nil }
        let node = XMLNode(name: name)
        guard bytes[range].last == UInt8(ascii: "/") else {
          open.append(node)
          continue
        }
        if open.isEmpty { root = node } else { open[open.count - 1].children.append(node) }
      } else {
        return nil
      }
    }
    return open.isEmpty ? root : nil
  }

  /// The name at the beginning of a tag, without its prefix.
  private static func name(_ tag: ArraySlice<UInt8>) -> String? {
    let end = tag.firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: "/") } ?? tag.endIndex
    let name = tag[..<end].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).last ?? []
    guard let first = name.first, first != UInt8(ascii: "!") else { return nil }
    return String(validating: name, as: UTF8.self)
  }

  /// Moves behind the end of a tag. An attribute's value may contain the character that ends a tag.
  private mutating func endOfTag() -> Range<Int>? {
    let start = position
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return start..<(position - 1)
      }
    }
    return nil
  }

  private mutating func upTo(_ end: Unicode.Scalar) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: end) { position += 1 }
    return bytes[start..<position]
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let isHere = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    if isHere { position += text.utf8CodeUnitCount }
    return isHere
  }

  private mutating func find(_ text: StaticString) -> Range<Int>? {
    let start = position
    while position < bytes.count {
      if skip(text) { return start..<(position - text.utf8CodeUnitCount) }
      position += 1
    }
    return nil
  }

  /// Decodes the predefined entities and references to characters.
  private func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(validating: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let parts = text.split(separator: "&", omittingEmptySubsequences: false)
    var decoded = String(parts[0])
    for part in parts.dropFirst() {
      guard let end = part.firstIndex(of: ";"), let character = Self.character(part[..<end]) else {
        return nil
      }
      decoded.unicodeScalars.append(character)
      decoded += part[part.index(after: end)...]
    }
    return decoded
  }

  private static func character(_ reference: Substring) -> Unicode.Scalar? {
    switch reference {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    case _ where reference.hasPrefix("#x"):
      UInt32(reference.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
    case _ where reference.hasPrefix("#"): UInt32(reference.dropFirst()).flatMap { Unicode.Scalar($0) }
    default: nil
    }
  }
}
