#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// The rule behind `URLResponse.suggestedFilename`. What it gives is safe to append to a directory.
  enum SuggestedFilename {
    /// The longest name that Linux file systems take, in bytes.
    private static let longest = 255

    static func name(contentDisposition: String?, url: URL?, mimeType: String?) -> String {
      if let proposed = contentDisposition.flatMap(proposal(in:)), let safe = safe(proposed) { return safe }
      let component = url.map(\.lastPathComponent).flatMap(safe)
      let name = component ?? url?.host.flatMap(safe) ?? "Unknown"
      // What stands behind the last dot of a host says nothing of the content.
      let hasExtension = component?.utf8.dropFirst().contains(UInt8(ascii: ".")) == true
      guard !hasExtension, let mimeType, let usual = MediaType.ending(of: mimeType) else { return name }
      return shortened(name, to: longest - usual.utf8.count - 1) + "." + usual
    }

    /// RFC 6266: `filename*` is preferred to `filename`, for it can say its encoding.
    private static func proposal(in contentDisposition: String) -> String? {
      let disposition = HeaderParameters(contentDisposition)
      if let decoded = disposition["filename*"].flatMap(decodedExtendedValue) { return decoded }
      return disposition["filename"]
    }

    /// `UTF-8'en'na%C3%AFve.txt`, see RFC 8187.
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

    /// `proposed` without anything that would make it mean more than one name in one directory; `nil` when
    /// nothing is left.
    private static func safe(_ proposed: String) -> String? {
      var name = ""
      for scalar in proposed.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
          // Beside control characters these are the ones that make a name look like another one.
          continue
        default:
          name.unicodeScalars.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
        }
      }
      name = shortened(String(ASCII.trimmed(name)), to: longest)
      let saysNothing = name.allSatisfy { $0 == "." || $0 == "_" || $0 == " " }
      return saysNothing ? nil : name
    }

    /// Cuts before the extension, and never within a Unicode scalar.
    private static func shortened(_ name: String, to limit: Int) -> String {
      guard name.utf8.count > limit else { return name }
      let longestEnding = 32
      let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
      let endingStart = dot.flatMap { name[$0...].utf8.count <= longestEnding ? $0 : nil } ?? name.endIndex
      let room = limit - name[endingStart...].utf8.count
      // Whole characters may be as long as the sender likes; a scalar has four bytes at most.
      for length in stride(from: room, to: max(room - 4, 0), by: -1) {
        if let stem = String(name[..<endingStart].utf8.prefix(length)) { return stem + name[endingStart...] }
      }
      return "Unknown"
    }
  }
#endif
