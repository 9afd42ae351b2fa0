/// Reads the entries of an `iloc` box of a HEIF file, which say where the data of the items is.
struct HEIFLocationReader {
  /// The location of one item.
  struct Entry {
    var item: UInt32
    var location: HEIFMeta.Location
    /// The entry as stored.
    var bytes: ArraySlice<UInt8>
  }

  private static let maximumExtentCount = 100_000

  /// The version of the box, which determines the size of ``count``.
  let version: UInt8
  /// The bytes before the number of entries.
  let head: ArraySlice<UInt8>
  private var reader: BoxReader
  private let offsetSize, lengthSize, baseSize, indexSize: Int
  private var left: UInt64
  private var extentCount = 0

  /// - Parameter content: The content of the box.
  init(_ content: BoxReader) throws(ImageError) {
    var reader = content
    let (version, _) = try reader.version()
    guard version <= 2 else {
      throw ImageError(
        .unsupported, "The image uses an unsupported version of the locations of its items.")
    }
    let sizes = try reader.short()
    let fields = [sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15, version > 0 ? sizes & 15 : 0]
    guard fields.allSatisfy({ [0, 4, 8].contains($0) }) else { throw HEIFMeta.invalidLocation }
    (offsetSize, lengthSize, baseSize, indexSize) = (fields[0], fields[1], fields[2], fields[3])
    head = content.rest.prefix(6)
    left = try reader.number(bytes: version == 2 ? 4 : 2)
    self.version = version
    self.reader = reader
  }

  /// The bytes after the current entry.
  var rest: ArraySlice<UInt8> { reader.rest }

  /// The size of the number of entries in bytes.
  var countSize: Int { version == 2 ? 4 : 2 }

  /// Returns the next entry; nil at the end.
  mutating func next() throws(ImageError) -> Entry? {
    guard left > 0 else { return nil }
    left -= 1
    let start = reader.rest
    let item = try HEIFMeta.itemID(&reader, isLong: version == 2)
    let method = version > 0 ? try reader.short() & 15 : 0
    var location = HEIFMeta.Location(isInMeta: method == 1)
    if method > 1 { location.problem = Self.unreadable("its data is part of another item") }
    if try reader.short() != 0 { location.problem = Self.unreadable("its data is in another file") }
    let base = try reader.number(bytes: baseSize)
    for _ in 0..<(try reader.short()) {
      extentCount += 1
      guard extentCount <= Self.maximumExtentCount else {
        throw ImageError(
          .tooLarge, "The data of the image is in more than \(Self.maximumExtentCount) parts.")
      }
      _ = try reader.number(bytes: indexSize)
      let (offset, overflows) = base.addingReportingOverflow(try reader.number(bytes: offsetSize))
      let length = try reader.number(bytes: lengthSize)
      if overflows || length == 0 { location.problem = location.problem ?? HEIFMeta.invalidLocation }
      location.extents.append(HEIFMeta.Extent(offset: offset, length: length))
    }
    if location.extents.isEmpty { location.problem = location.problem ?? HEIFMeta.invalidLocation }
    return Entry(item: item, location: location, bytes: start.dropLast(reader.rest.count))
  }

  private static func unreadable(_ reason: String) -> ImageError {
    ImageError(.unsupported, "The image cannot be read: \(reason).")
  }
}
