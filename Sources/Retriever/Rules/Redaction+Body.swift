#if !canImport(Darwin)
import HTTPSyntax
import Foundation

extension Redaction {
  private static let formType = "application/x-www-form-urlencoded"

  /// A body without the values of secret fields, if its type or its first bytes show where these are.
  ///
  /// - Parameter coding: the body's `Content-Encoding`, if it has not been decoded.
  package static func body(_ body: Data, mimeType: String?, coding: String? = nil) -> Data {
    let types = mediaTypes(mimeType ?? "")
    if let coding, !coding.isEmpty, !ASCII.equalIgnoringCase(coding, "identity") {
      return removed(body, "encoded data")
    }
    // A multipart form is removed completely, because it is not certain which parts are secret.
    if let type = types.first(where: { $0.hasPrefix("multipart/") }) { return removed(body, type) }

    let bytes = utf8FromWideText(body) ?? Array(body)
    let start = bytes[...].drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    if types.contains(formType), !isDefinitelyJSON(start) {
      return Data(URLTextRedaction.redactPairs(bytes))
    }
    // Most services send tokens as JSON, and some do not declare the type.
    if types.contains(where: holdsJSON) || looksLikeJSON(start) {
      return JSONRedaction.redact(Data(bytes))
    }
    let isKnown = types.contains { $0 != "text/plain" && MediaType.ending(of: $0) != nil }
    if !isKnown, looksLikeMultipart(start) { return removed(body, "multipart data") }
    if !isKnown, looksLikeForm(start) { return Data(URLTextRedaction.redactPairs(bytes)) }
    return body
  }

  private static func removed(_ body: Data, _ type: String) -> Data {
    Data("\(replacement): \(body.count) bytes of \(type)".utf8)
  }

  /// The media types in one or more `Content-Type` fields, in lower case. Parameters are also in the list: a server
  /// and this code may disagree about which part is the type.
  private static func mediaTypes(_ value: String) -> [String] {
    value.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
      .map { ASCII.lowercased(ASCII.trimmed(Substring($0))) }
  }

  private static func holdsJSON(_ type: String) -> Bool {
    type.contains("json") || type.contains("javascript") || type.hasPrefix("text/event-stream")
  }

  /// The prefixes that keep scripts of other sites from reading JSON.
  private static let jsonGuards = [")]}'", "for(;;);", "while(1);"].map { Array($0.utf8) }

  static func looksLikeJSON(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first else { return false }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      || jsonGuards.contains { bytes.starts(with: $0) }
  }

  /// Whether a body that is declared as a form is JSON: a POST request without a type is declared as a form.
  private static func isDefinitelyJSON(_ bytes: ArraySlice<UInt8>) -> Bool {
    let next = bytes.dropFirst().first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    switch bytes.first {
    case UInt8(ascii: "{"): return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    case UInt8(ascii: "["): return next.map { "{[\"".utf8.contains($0) } ?? false
    default: return looksLikeJSON(bytes)
    }
  }

  private static func looksLikeMultipart(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.starts(with: "--".utf8) else { return false }
    return ASCII.lowercased(String(decoding: bytes.prefix(1024), as: UTF8.self)).contains("\ncontent-")
  }

  /// Whether the bytes start with a name and an equals sign.
  private static func looksLikeForm(_ bytes: ArraySlice<UInt8>) -> Bool {
    let name = bytes.prefix(256).prefix { $0 != UInt8(ascii: "=") }
    guard !name.isEmpty, name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: "=") else {
      return false
    }
    return name.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"\"'(),<>\\^`{|}".utf8.contains($0) }
  }

  /// UTF-16 or UTF-32 text in UTF-8; nil if the bytes are neither.
  private static func utf8FromWideText(_ body: Data) -> [UInt8]? {
    let first = Array(body.prefix(4))
    guard first.count == 4 else { return nil }
    let zeros = first.map { $0 == 0 }
    let width: Int
    let isBigEndian: Bool
    switch (first, zeros) {
    case ([0xFF, 0xFE, 0, 0], _), (_, [false, true, true, true]): (width, isBigEndian) = (4, false)
    case ([0, 0, 0xFE, 0xFF], _), (_, [true, true, true, false]): (width, isBigEndian) = (4, true)
    case (_, [false, true, false, true]): (width, isBigEndian) = (2, false)
    case (_, [true, false, true, false]): (width, isBigEndian) = (2, true)
    default:
      guard first[0] ^ first[1] == 0xFE ^ 0xFF, first[0] >= 0xFE else { return nil }
      (width, isBigEndian) = (2, first[0] == 0xFE)
    }
    let bytes = Array(body)
    // A recorded body may be cut inside its last character.
    let units = stride(from: 0, to: bytes.count - bytes.count % width, by: width).map { start in
      let unit = bytes[start..<start + width]
      return isBigEndian
        ? unit.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        : unit.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    let text =
      width == 4
      ? String(decoding: units, as: UTF32.self)
      : String(decoding: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
    return Array(text.utf8)
  }
}
#endif
