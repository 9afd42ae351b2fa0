/// Reads numbers and boxes of the ISO base media file format (ISO/IEC 14496-12) from bytes that are all there.
///
/// Every read checks the length, and the reader never goes back.
struct BoxReader {
  /// A box: its type, and a reader of its content.
  struct Box {
    let type: FourCharacterCode
    var content: BoxReader
  }

  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads a number of up to 8 bytes. A number of no bytes is 0.
  mutating func number(bytes: Int) throws(ImageError) -> UInt64 {
    let taken = try take(bytes)
    return taken.reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func byte() throws(ImageError) -> UInt8 { UInt8(truncatingIfNeeded: try number(bytes: 1)) }
  mutating func short() throws(ImageError) -> Int { Int(try number(bytes: 2)) }
  mutating func long() throws(ImageError) -> UInt32 { UInt32(truncatingIfNeeded: try number(bytes: 4)) }
  mutating func code() throws(ImageError) -> FourCharacterCode { FourCharacterCode(try long()) }

  mutating func take(_ count: Int) throws(ImageError) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw Self.tooShort }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Reads a short text that ends with a zero byte, or with the box.
  mutating func text() -> String {
    let bytes = rest.prefix(256).prefix { $0 != 0 }
    rest = rest.dropFirst(bytes.count + 1)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads the version and the flags, with which a full box begins.
  mutating func version() throws(ImageError) -> (version: UInt8, flags: UInt32) {
    let value = try long()
    return (UInt8(value >> 24), value & 0xFF_FFFF)
  }

  /// Reads the next box; nil at the end.
  mutating func box() throws(ImageError) -> Box? {
    guard !isAtEnd else { return nil }
    let length = rest.count
    var size = UInt64(try long())
    let type = try code()
    if size == 1 { size = try number(bytes: 8) }
    // A size of 0 means that the box is the last one.
    if size == 0 { size = UInt64(length) }
    let head = length - rest.count
    guard size >= UInt64(head), size <= UInt64(length) else {
      throw ImageError(.corrupt, "The image is damaged: the size of its \(type) box is invalid.")
    }
    return Box(type: type, content: BoxReader(try take(Int(size) - head)))
  }

  static let tooShort = ImageError(.corrupt, "The image is damaged: a box ends too early.")
}

/// The four characters that name a box, an item or a brand.
struct FourCharacterCode: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  let rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }

  init(stringLiteral value: StaticString) {
    rawValue = value.withUTF8Buffer { $0.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// The characters; a question mark in place of those that cannot be printed.
  var description: String {
    String(
      String.UnicodeScalarView(
        [24, 16, 8, 0].map { shift in
          let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
          return Unicode.Scalar((0x20..<0x7F).contains(byte) ? byte : 0x3F)
        }))
  }
}
