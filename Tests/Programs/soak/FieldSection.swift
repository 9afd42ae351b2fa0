import TestSupport

/// The part of HPACK (RFC 7541) needed to find the path of this program's requests, which contains digits and slashes.
/// Encoders do not put the paths into the dynamic table, because each path is different.
enum FieldSection {
  /// Returns the `:path` of a HEADERS frame; nil if it is not a literal or contains other characters.
  static func path(of frame: HTTP2Frame) -> String? {
    var bytes = frame.payload[...]
    // PADDED and PRIORITY.
    if frame.flags & 0x8 != 0 { bytes = bytes.dropFirst().dropLast(Int(bytes.first ?? 0)) }
    if frame.flags & 0x20 != 0 { bytes = bytes.dropFirst(5) }
    while let first = bytes.first {
      if first & 0x80 != 0 {
        guard integer(&bytes, prefix: 7) != nil else { return nil }
        continue
      }
      if first & 0xe0 == 0x20 {
        guard integer(&bytes, prefix: 5) != nil else { return nil }
        continue
      }
      guard let index = integer(&bytes, prefix: first & 0x40 != 0 ? 6 : 4) else { return nil }
      if index == 0, string(&bytes) == nil { return nil }
      guard let value = string(&bytes) else { return nil }
      // 4 and 5 are `:path` in the static table.
      if index == 4 || index == 5 { return value.isCoded ? decoded(value.bytes) : text(value.bytes) }
    }
    return nil
  }

  private static func integer(_ bytes: inout ArraySlice<UInt8>, prefix: Int) -> Int? {
    guard let first = bytes.popFirst() else { return nil }
    let mask = UInt8(1 << prefix) &- 1
    guard first & mask == mask else { return Int(first & mask) }
    var (value, shift) = (Int(mask), 0)
    while let next = bytes.popFirst(), shift < 28 {
      value += Int(next & 0x7f) << shift
      shift += 7
      if next & 0x80 == 0 { return value }
    }
    return nil
  }

  private static func string(_ bytes: inout ArraySlice<UInt8>) -> (isCoded: Bool, bytes: ArraySlice<UInt8>)? {
    guard let first = bytes.first, let length = integer(&bytes, prefix: 7), length <= bytes.count else {
      return nil
    }
    defer { bytes = bytes.dropFirst(length) }
    return (first & 0x80 != 0, bytes.prefix(length))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Decodes the Huffman code of slashes and digits: 0, 1 and 2 have five bits, and the others have six.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    var result = ""
    var rest = bits[...]
    while rest.count >= 5 {
      let five = rest.prefix(5).reduce(0) { $0 << 1 | Int($1) }
      if five <= 2 {
        result += "\(five)"
        rest = rest.dropFirst(5)
        continue
      }
      // Padding is shorter than a byte and consists of ones.
      if rest.count < 8, rest.allSatisfy({ $0 == 1 }) { break }
      guard rest.count >= 6 else { return nil }
      let six = rest.prefix(6).reduce(0) { $0 << 1 | Int($1) }
      switch six {
      case 0x18: result += "/"
      case 0x19...0x1f: result += "\(six - 0x19 + 3)"
      default: return nil
      }
      rest = rest.dropFirst(6)
    }
    return result
  }
}
