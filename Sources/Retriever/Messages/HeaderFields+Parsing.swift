#if !canImport(Darwin)
import HTTPSyntax

extension HeaderFields {
  /// Parses the field lines of a head as a server sent them, without the status line.
  ///
  /// Accepts any bytes and never fails. A line without a colon or without a name is skipped. A folded line
  /// continues the previous value. CR alone and NUL count as a space. Bytes that are not UTF-8 are decoded as
  /// Latin-1. The time is linear in the number of bytes.
  package static func parse(headerBlock: [UInt8]) -> HeaderFields {
    headerBlock.withUnsafeBytes { parse(headerBlock: $0) }
  }

  package static func parse(headerBlock bytes: UnsafeRawBufferPointer) -> HeaderFields {
    var entries: [Entry] = []
    // The folded lines of the last entry. They are joined when the entry is complete, so that many folds take linear
    // time; `nil` if there is no field to continue.
    var folds: [String]?
    func joinFolds() {
      guard let pieces = folds, !pieces.isEmpty, !entries.isEmpty else { return }
      entries[entries.count - 1].value = ([entries[entries.count - 1].value] + pieces).joined(
        separator: " ")
    }

    var start = 0
    while start < bytes.count {
      let newline = position(of: 0x0A, in: start..<bytes.count, of: bytes) ?? bytes.count
      let end = newline > start && bytes[newline - 1] == 0x0D ? newline - 1 : newline
      let line = start..<end
      start = newline + 1
      guard !line.isEmpty else { continue }

      if ASCII.isBlank(bytes[line.lowerBound]) {
        let continuation = trimmed(line, in: bytes)
        if !continuation.isEmpty { folds?.append(text(of: continuation, in: bytes)) }
        continue
      }
      joinFolds()
      folds = nil
      guard let colon = position(of: UInt8(ascii: ":"), in: line, of: bytes) else { continue }
      let name = trimmed(line.lowerBound..<colon, in: bytes)
      guard !name.isEmpty else { continue }
      let value = trimmed(colon + 1..<line.upperBound, in: bytes)
      entries.append((text(of: name, in: bytes), text(of: value, in: bytes)))
      folds = []
    }
    joinFolds()
    return HeaderFields(entries)
  }

  /// Returns whether a line of an unparsed head begins with `name`, ignoring case.
  static func lineBegins(with name: StaticString, in headerBlock: [UInt8]) -> Bool {
    headerBlock.withUnsafeBufferPointer { bytes in
      name.withUTF8Buffer { name in
        var start = 0
        while start + name.count < bytes.count {
          if (0..<name.count).allSatisfy({
            ASCII.lowercased(bytes[start + $0]) == ASCII.lowercased(name[$0])
          }) {
            return true
          }
          guard let newline = bytes[start...].firstIndex(of: 0x0A) else { return false }
          start = newline + 1
        }
        return false
      }
    }
  }

  private static func position(
    of byte: UInt8, in range: Range<Int>, of bytes: UnsafeRawBufferPointer
  ) -> Int? {
    var position = range.lowerBound
    while position < range.upperBound {
      if bytes[position] == byte { return position }
      position += 1
    }
    return nil
  }

  private static func trimmed(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, isPadding(bytes[start]) { start += 1 }
    while end > start, isPadding(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func isPadding(_ byte: UInt8) -> Bool {
    ASCII.isBlank(byte) || byte == 0x0D || byte == 0
  }

  private static func text(of range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> String {
    let slice = UnsafeRawBufferPointer(rebasing: bytes[range])
    var isPlain = true
    for byte in slice { isPlain = isPlain && byte < 0x80 && byte != 0 && byte != 0x0D }
    if isPlain { return String(decoding: slice, as: UTF8.self) }
    // A bare CR or a NUL inside a value can make another parser see two headers.
    return decoded(slice.map { $0 == 0 || $0 == 0x0D ? 0x20 : $0 })
  }

  private static func decoded(_ bytes: [UInt8]) -> String {
    if let valid = String(validating: bytes, as: UTF8.self) { return valid }
    var text = ""
    text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return text
  }
}
#endif
