/// Writes the headers of a ZIP archive whose entries are stored without compression. A pure value: the caller writes the bytes
/// of each entry after its header, and the directory at the end.
///
/// The format is that of APPNOTE.TXT by PKWARE. Sizes and offsets from 4 GiB on, and more than 65,534 entries, use ZIP64.
struct ZipDirectory: Sendable {
  /// A file in the archive.
  struct Entry: Sendable, Hashable {
    var name: String
    var byteCount: Int64
    /// The local time when the file was made.
    var time: Time
  }

  /// A local time with the resolution that the format has.
  struct Time: Sendable, Hashable {
    var year, month, day, hour, minute, second: Int

    /// The time in the format of MS-DOS, whose first year is 1980.
    fileprivate var words: (time: UInt16, date: UInt16) {
      guard 1980...2107 ~= year else { return (0, 0x21) }
      return (
        UInt16(truncatingIfNeeded: hour << 11 | minute << 5 | second / 2),
        UInt16(truncatingIfNeeded: (year - 1980) << 9 | month << 5 | day)
      )
    }
  }

  private struct Record: Sendable {
    var entry: Entry
    var checksum: UInt32
    var offset: Int64
  }

  private static let maximum32 = Int64(UInt32.max)
  private var records: [Record] = []
  private var offset: Int64 = 0

  /// Returns the header of an entry. The bytes of the entry follow it.
  ///
  /// - Parameter checksum: the CRC-32 of the bytes.
  mutating func begin(_ entry: Entry, checksum: UInt32) -> [UInt8] {
    let record = Record(entry: entry, checksum: checksum, offset: offset)
    let isLarge = entry.byteCount >= Self.maximum32
    var header = ZipBytes()
    header.add(0x0403_4b50 as UInt32)
    Self.addCommon(record, isLarge: isLarge, to: &header)
    header.add(UInt16(isLarge ? 20 : 0))
    header.bytes += entry.name.utf8
    if isLarge {
      header.add(1 as UInt16)
      header.add(16 as UInt16)
      header.add(UInt64(bitPattern: entry.byteCount))
      header.add(UInt64(bitPattern: entry.byteCount))
    }
    records.append(record)
    offset += Int64(header.bytes.count) + entry.byteCount
    return header.bytes
  }

  /// Returns the end of the archive: the directory of all entries.
  func end() -> [UInt8] {
    var directory = ZipBytes()
    for record in records { Self.add(record, to: &directory) }
    let size = Int64(directory.bytes.count)
    let isLarge = records.count >= Int(UInt16.max) || size >= Self.maximum32 || offset >= Self.maximum32
    if isLarge {
      // The directory's end in ZIP64, and where it is.
      directory.add(0x0606_4b50 as UInt32)
      directory.add(44 as UInt64)
      directory.add(Self.version(isLarge: true))
      directory.add(Self.version(isLarge: true))
      directory.add(0 as UInt64)
      directory.add(UInt64(records.count))
      directory.add(UInt64(records.count))
      directory.add(UInt64(bitPattern: size))
      directory.add(UInt64(bitPattern: offset))
      directory.add(0x0706_4b50 as UInt32)
      directory.add(0 as UInt32)
      directory.add(UInt64(bitPattern: offset + size))
      directory.add(1 as UInt32)
    }
    directory.add(0x0605_4b50 as UInt32)
    directory.add(0 as UInt32)
    let count = UInt16(min(records.count, Int(UInt16.max)))
    directory.add(count)
    directory.add(count)
    directory.add(UInt32(min(size, Self.maximum32)))
    directory.add(UInt32(min(offset, Self.maximum32)))
    directory.add(0 as UInt16)
    return directory.bytes
  }

  /// Returns the size of an archive with these entries.
  static func byteCount(of entries: [Entry]) -> Int64 {
    var directory = ZipDirectory()
    for entry in entries { _ = directory.begin(entry, checksum: 0) }
    return directory.offset + Int64(directory.end().count)
  }

  private static func version(isLarge: Bool) -> UInt16 { isLarge ? 45 : 20 }

  /// Adds what the header of an entry and its line in the directory have in common.
  private static func addCommon(_ record: Record, isLarge: Bool, to bytes: inout ZipBytes) {
    bytes.add(version(isLarge: isLarge))
    // The name is UTF-8.
    bytes.add(0x0800 as UInt16)
    bytes.add(0 as UInt16)
    let (time, date) = record.entry.time.words
    bytes.add(time)
    bytes.add(date)
    bytes.add(record.checksum)
    let size = UInt32(min(record.entry.byteCount, maximum32))
    bytes.add(size)
    bytes.add(size)
    bytes.add(UInt16(record.entry.name.utf8.count))
  }

  private static func add(_ record: Record, to directory: inout ZipBytes) {
    let isLarge = record.entry.byteCount >= maximum32
    let isFar = record.offset >= maximum32
    var extra = ZipBytes()
    if isLarge {
      extra.add(UInt64(bitPattern: record.entry.byteCount))
      extra.add(UInt64(bitPattern: record.entry.byteCount))
    }
    if isFar { extra.add(UInt64(bitPattern: record.offset)) }
    directory.add(0x0201_4b50 as UInt32)
    // Made on Unix, so that the permissions below are used.
    directory.add(UInt16(3 << 8) | version(isLarge: isLarge || isFar))
    addCommon(record, isLarge: isLarge || isFar, to: &directory)
    directory.add(UInt16(extra.bytes.isEmpty ? 0 : extra.bytes.count + 4))
    directory.add(0 as UInt16)
    directory.add(0 as UInt16)
    directory.add(0 as UInt16)
    directory.add(UInt32(0o100644) << 16)
    directory.add(UInt32(min(record.offset, maximum32)))
    directory.bytes += record.entry.name.utf8
    if extra.bytes.isEmpty { return }
    directory.add(1 as UInt16)
    directory.add(UInt16(extra.bytes.count))
    directory.bytes += extra.bytes
  }
}

/// Bytes with numbers in little-endian order.
private struct ZipBytes {
  var bytes: [UInt8] = []

  mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }
}
