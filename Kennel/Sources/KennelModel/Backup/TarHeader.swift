/// The block before each file in a tar archive: POSIX ustar, with a pax header for a size that ustar cannot express. A
/// pure value. It only reads what Kennel writes.
struct TarHeader: Sendable, Hashable {
  static let blockSize = 512
  /// The maximum number with eleven octal digits.
  static let maximumUstarSize = 0o77777777777

  /// The name prefix of an extended header. The name of the file that the header describes follows it.
  static let extendedPrefix = "PaxHeaders/"

  enum Kind: UInt8, Sendable {
    case file = 0x30  // "0"
    /// An extended header that describes the next file.
    case extended = 0x78  // "x"
  }

  var name: String
  var size: Int
  var kind = Kind.file

  /// Returns the number of padding bytes that fill the last block of a file.
  static func padding(after size: Int) -> Int { (blockSize - size % blockSize) % blockSize }

  /// Returns the header of a file, after an extended header if the size requires one.
  static func blocks(name: String, size: Int, modified: Int) -> [UInt8] {
    guard size > maximumUstarSize else { return TarHeader(name: name, size: size).block(modified: modified) }
    let record = sizeRecord(size)
    let extended = TarHeader(name: extendedPrefix + name, size: record.count, kind: .extended)
    return extended.block(modified: modified) + record
      + [UInt8](repeating: 0, count: padding(after: record.count))
      + TarHeader(name: name, size: 0).block(modified: modified)
  }

  /// `<length of the record> size=<size>\n`.
  static func sizeRecord(_ size: Int) -> [UInt8] {
    let rest = " size=\(size)\n"
    var length = rest.utf8.count + 1
    while "\(length)".utf8.count + rest.utf8.count != length { length += 1 }
    return Array("\(length)\(rest)".utf8)
  }

  /// Returns the size in an extended header, or nil if the header contains anything else.
  static func size(inRecord bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.firstIndex(of: "="), text.last == "\n",
      let size = Int(text[text.index(after: start)...].dropLast()), size > maximumUstarSize,
      sizeRecord(size) == bytes
    else { return nil }
    return size
  }

  private func block(modified: Int) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
    }
    func octal(_ number: Int, digits: Int) -> String {
      let text = String(max(number, 0), radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text.suffix(digits)
    }
    put(String(name.prefix(99)), at: 0)
    put("0000600", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put(octal(size, digits: 11), at: 124)
    put(octal(modified, digits: 11), at: 136)
    block[156] = kind.rawValue
    put("ustar", at: 257)
    put("00", at: 263)
    put(octal(Self.sum(block), digits: 6), at: 148)
    block[154] = 0
    block[155] = 0x20
    return block
  }

  /// Returns the checksum: the sum of all bytes, with the checksum field counted as blanks.
  private static func sum(_ block: [UInt8]) -> Int {
    block.enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 0x20 : Int($1.element)) }
  }

  /// Parses a header. Returns nil for a header that Kennel does not write.
  init?(_ block: [UInt8]) {
    guard block.count == Self.blockSize, let kind = Kind(rawValue: block[156]) else { return nil }
    func text(_ range: Range<Int>) -> String {
      String(decoding: block[range].prefix { $0 != 0 }, as: UTF8.self)
    }
    func octal(_ range: Range<Int>) -> Int? {
      let digits = block[range].prefix { $0 != 0 && $0 != 0x20 }
      guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
      return Int(String(decoding: digits, as: UTF8.self), radix: 8)
    }
    // The header must have no link target and no name prefix.
    guard text(257..<263) == "ustar", text(157..<257).isEmpty, text(345..<500).isEmpty,
      octal(148..<156) == Self.sum(block), let size = octal(124..<136), size >= 0
    else { return nil }
    name = text(0..<100)
    self.size = size
    self.kind = kind
  }

  init(name: String, size: Int, kind: Kind = .file) {
    self.name = name
    self.size = size
    self.kind = kind
  }
}
