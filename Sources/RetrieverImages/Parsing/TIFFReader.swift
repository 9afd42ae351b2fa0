/// Reads the directories of a TIFF file. EXIF data and the index of a multi-picture file have the same form.
///
/// All offsets and counts come from the file. A value that is not completely within the data does not exist. The reader
/// follows no chain of directories, so a cycle cannot occur.
struct TIFFReader {
  /// The bytes that all offsets count from.
  let bytes: [UInt8]
  let isLittleEndian: Bool

  /// Returns nil if the data does not begin with a TIFF header. An `Exif` signature before the header is skipped.
  init?(_ data: some Collection<UInt8>) {
    let signature: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
    bytes = data.starts(with: signature) ? Array(data.dropFirst(signature.count)) : Array(data)
    guard bytes.count >= 8 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0x49, 0x49): isLittleEndian = true
    case (0x4D, 0x4D): isLittleEndian = false
    default: return nil
    }
    guard number(at: 2, size: 2) == 42 else { return nil }
  }

  /// Creates a reader for a directory without a TIFF header, as in a camera's maker note.
  init(headless bytes: [UInt8], isLittleEndian: Bool) {
    self.bytes = bytes
    self.isLittleEndian = isLittleEndian
  }

  /// The first directory; nil if its offset is invalid.
  var first: TIFFDirectory? { number(at: 4, size: 4).flatMap(directory) }

  /// Returns the directory at an offset; nil if the offset is outside the data.
  func directory(at offset: Int) -> TIFFDirectory? {
    number(at: offset, size: 2).map {
      TIFFDirectory(reader: self, start: offset + 2, count: min($0, TIFFDirectory.maximumEntries))
    }
  }

  /// Returns the directory that an entry of another directory refers to.
  func directory(_ tag: Int, of directory: TIFFDirectory?) -> TIFFDirectory? {
    directory?.value(tag)?.integer().flatMap(self.directory)
  }

  /// Returns an unsigned number of 1 to 4 bytes, or nil if it is outside the data.
  func number(at offset: Int, size: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - size else { return nil }
    var number = 0
    for index in 0..<size {
      number = number << 8 | Int(bytes[offset + (isLittleEndian ? size - 1 - index : index)])
    }
    return number
  }
}

/// A directory of a TIFF file: a list of tags and their values.
struct TIFFDirectory {
  /// More entries than any camera writes. The entries after these are ignored.
  static let maximumEntries = 2_048

  fileprivate let reader: TIFFReader
  fileprivate let start: Int
  fileprivate let count: Int

  /// Returns the value of the first entry with a tag; nil if there is none, or if it is not within the data.
  func value(_ tag: Int) -> TIFFValue? {
    for index in 0..<count {
      let entry = start + 12 * index
      guard let found = reader.number(at: entry, size: 2) else { return nil }
      if found == tag { return TIFFValue(reader, entry: entry) }
    }
    return nil
  }
}

/// The value of an entry of a TIFF directory: one or more numbers, or text.
struct TIFFValue {
  private enum Kind: Int {
    case byte = 1
    case text, short, long, rational, signedByte, undefined, signedShort, signedLong, signedRational, float
    case double, directory

    var size: Int {
      switch self {
      case .byte, .text, .signedByte, .undefined: 1
      case .short, .signedShort: 2
      case .long, .signedLong, .float, .directory: 4
      case .rational, .signedRational, .double: 8
      }
    }
  }

  private let reader: TIFFReader
  private let kind: Kind
  /// The number of elements.
  let count: Int
  /// The position of the first element.
  let offset: Int

  fileprivate init?(_ reader: TIFFReader, entry: Int) {
    guard let kind = reader.number(at: entry + 2, size: 2).flatMap(Kind.init(rawValue:)),
      let count = reader.number(at: entry + 4, size: 4), count > 0
    else { return nil }
    // A count is less than 2^32 and a size is at most 8, so the product cannot overflow.
    let size = count * kind.size
    guard let offset = size <= 4 ? entry + 8 : reader.number(at: entry + 8, size: 4),
      offset <= reader.bytes.count - size
    else { return nil }
    self.reader = reader
    self.kind = kind
    self.count = count
    self.offset = offset
  }

  /// The bytes of all elements.
  var bytes: ArraySlice<UInt8> { reader.bytes[offset..<offset + count * kind.size] }

  /// Returns an element that is an integer.
  func integer(_ index: Int = 0) -> Int? {
    guard index < count else { return nil }
    let place = offset + index * kind.size
    switch kind {
    case .byte, .undefined, .short, .long, .directory: return reader.number(at: place, size: kind.size)
    case .signedByte: return reader.number(at: place, size: 1).map { Int(Int8(truncatingIfNeeded: $0)) }
    case .signedShort: return reader.number(at: place, size: 2).map { Int(Int16(truncatingIfNeeded: $0)) }
    case .signedLong: return reader.number(at: place, size: 4).map { Int(Int32(truncatingIfNeeded: $0)) }
    case .text, .rational, .signedRational, .float, .double: return nil
    }
  }

  /// Returns an element as a finite number. A fraction with a denominator of zero is not a number.
  func number(_ index: Int = 0) -> Double? {
    guard index < count else { return nil }
    let place = offset + index * kind.size
    let result: Double?
    switch kind {
    case .rational, .signedRational:
      guard let upper = reader.number(at: place, size: 4), let lower = reader.number(at: place + 4, size: 4)
      else { return nil }
      let isSigned = kind == .signedRational
      let top = isSigned ? Double(Int32(truncatingIfNeeded: upper)) : Double(upper)
      let bottom = isSigned ? Double(Int32(truncatingIfNeeded: lower)) : Double(lower)
      result = bottom == 0 ? nil : top / bottom
    case .float:
      result = reader.number(at: place, size: 4).map {
        Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))
      }
    case .double:
      guard let one = reader.number(at: place, size: 4), let two = reader.number(at: place + 4, size: 4)
      else { return nil }
      let (high, low) = reader.isLittleEndian ? (two, one) : (one, two)
      result = Double(bitPattern: UInt64(high) << 32 | UInt64(low))
    default: result = integer(index).map(Double.init)
    }
    return result.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The text up to the first zero byte, without surrounding spaces; nil if it is empty or not text.
  var text: String? {
    guard kind == .text || kind == .byte || kind == .undefined else { return nil }
    return MetadataText.decode(bytes.prefix { $0 != 0 })
  }
}
