#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// The implementation of `URLResponse.suggestedFilename`. Its result is safe to append to a directory.
enum SuggestedFilename {
  /// The maximum length of a name on Linux file systems, in bytes.
  private static let maximumLength = 255

  static func name(contentDisposition: String?, url: URL?, mimeType: String?) -> String {
    if let proposed = contentDisposition.flatMap(proposal(in:)), let safe = safe(proposed) { return safe }
    let component = url.map(\.lastPathComponent).flatMap(safe)
    let name = component ?? url?.host.flatMap(safe) ?? "Unknown"
    // The text after the last dot of a host is not a file extension.
    let hasExtension = component?.utf8.dropFirst().contains(UInt8(ascii: ".")) == true
    guard !hasExtension, let mimeType, let defaultExtension = MediaType.ending(of: mimeType) else {
      return name
    }
    return shortened(name, to: maximumLength - defaultExtension.utf8.count - 1) + "." + defaultExtension
  }

  /// RFC 6266: `filename*` has precedence over `filename`, because it can specify its encoding.
  private static func proposal(in contentDisposition: String) -> String? {
    let disposition = HeaderParameters(contentDisposition)
    if let decoded = disposition["filename*"].flatMap(decodedExtendedValue) { return decoded }
    return disposition["filename"]
  }

  /// Decodes a value such as `UTF-8'en'na%C3%AFve.txt`, see RFC 8187.
  private static func decodedExtendedValue(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[2].utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    switch ASCII.lowercased(parts[0]) {
    case "utf-8":
      return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1":
      var text = ""
      text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
      return text
    default:
      return nil
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }

  /// Returns `proposed` without anything that could make it more than one name in one directory; `nil` if nothing is
  /// left.
  private static func safe(_ proposed: String) -> String? {
    var name = ""
    for scalar in proposed.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        // Besides control characters, these can make a name look like another one.
        continue
      default:
        name.unicodeScalars.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
      }
    }
    name = shortened(String(ASCII.trimmed(name)), to: maximumLength)
    let hasNoContent = name.allSatisfy { $0 == "." || $0 == "_" || $0 == " " }
    return hasNoContent ? nil : name
  }

  /// Shortens a name before its extension, and never within a Unicode scalar.
  private static func shortened(_ name: String, to limit: Int) -> String {
    guard name.utf8.count > limit else { return name }
    let maximumExtensionLength = 32
    let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
    let extensionStart =
      dot.flatMap { name[$0...].utf8.count <= maximumExtensionLength ? $0 : nil } ?? name.endIndex
    let room = limit - name[extensionStart...].utf8.count
    // A character can have any length, but a scalar has at most four bytes.
    for length in stride(from: room, to: max(room - 4, 0), by: -1) {
      if let stem = String(name[..<extensionStart].utf8.prefix(length)) {
        return stem + name[extensionStart...]
      }
    }
    return "Unknown"
  }
}
#endif
