import Foundation
import HTTPService
import KennelStorage

/// A JSON writer. It writes members in the order of the calls.
///
/// The output can be embedded in HTML: characters with a meaning in HTML are escaped.
struct JSONText: Sendable {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  var data: Data { Data(bytes) }

  mutating func object(_ members: (inout JSONText) -> Void) {
    open("{")
    members(&self)
    close("}")
  }

  mutating func array(_ elements: (inout JSONText) -> Void) {
    open("[")
    elements(&self)
    close("]")
  }

  mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  mutating func member(_ name: StaticString, _ value: Int64) {
    key(name)
    literal(String(value))
  }

  mutating func member(_ name: StaticString, _ value: Int) { member(name, Int64(value)) }

  mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    literal(value ? "true" : "false")
  }

  mutating func null(_ name: StaticString) {
    key(name)
    literal("null")
  }

  mutating func object(_ name: StaticString, _ members: (inout JSONText) -> Void) {
    key(name)
    object(members)
  }

  mutating func array(_ name: StaticString, _ elements: (inout JSONText) -> Void) {
    key(name)
    array(elements)
  }

  /// Writes an element that another writer has written.
  mutating func element(written text: String) {
    comma()
    literal(text)
  }

  private mutating func key(_ name: StaticString) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func open(_ bracket: Unicode.Scalar) {
    comma()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func literal(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { characters in
      if characters.contains(where: Self.isSpecial) {
        for byte in characters { character(byte) }
      } else {
        bytes.append(contentsOf: characters)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x3C || byte == 0x3E || byte == 0x26
      || byte == 0x7F
  }

  private mutating func character(_ byte: UInt8) {
    switch byte {
    case _ where !Self.isSpecial(byte): bytes.append(byte)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case UInt8(ascii: "\n"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(UInt8(ascii: "n"))
    default: escape(byte)
    }
  }

  private mutating func escape(_ byte: UInt8) {
    let digits = Array("0123456789abcdef".utf8)
    bytes.append(contentsOf: "\\u00".utf8)
    bytes.append(digits[Int(byte >> 4)])
    bytes.append(digits[Int(byte & 15)])
  }
}

extension HTTPResponse {
  /// Creates a JSON response to a change.
  static func json(
    status: HTTPStatus = .ok, fields: HTTPFields = [:], _ write: (inout JSONText) -> Void
  ) -> HTTPResponse {
    var json = JSONText()
    write(&json)
    var fields = fields
    fields.append("Content-Type", "application/json")
    fields.append("Cache-Control", "no-store")
    return HTTPResponse(status: status, fields: fields, body: .bytes(json.data))
  }

  /// Creates a JSON response with an entity tag of its bytes, so that unchanged content is not sent twice.
  ///
  /// The content may depend on the user, so only private caches may store it.
  static func taggedJSON(
    for request: HTTPRequest, fields: HTTPFields = [:], _ write: (inout JSONText) -> Void
  ) -> HTTPResponse {
    var json = JSONText()
    write(&json)
    var fields = fields
    fields.append("Cache-Control", "private, no-cache")
    fields.append("Vary", "Cookie, Authorization")
    let tag = Sodium.base64(Array(Sodium.sha256(json.bytes).prefix(12)))
    return .content(
      json.data, for: request, contentType: "application/json", fields: fields, entityTag: EntityTag(tag))
  }

  static let noContent = HTTPResponse(status: .noContent, fields: ["Cache-Control": "no-store"])
}

extension Date {
  /// The date in the format of JSON and pages, such as `2026-11-20T10:00:00Z`.
  var iso8601: String { formatted(Date.ISO8601FormatStyle()) }
}
