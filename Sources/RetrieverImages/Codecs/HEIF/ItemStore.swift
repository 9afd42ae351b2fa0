/// Keeps the data of items of a HEIF file that arrives in pieces.
///
/// Until it is known which items are needed, the store keeps all bytes. Then it keeps only the data of these items, each
/// until it is taken.
struct ItemStore {
  /// A part of the file that is needed.
  private struct Wanted {
    var start: Int
    var end: Int
    var item: UInt32
    /// The index of the extent in its item.
    var index: Int
  }

  private struct Item {
    var extents: [[UInt8]]
    var missing: Int
    var users: Int
  }

  /// The number of bytes of the file so far.
  private(set) var position = 0
  /// All bytes so far, until the items are selected.
  private var all: [UInt8]? = []
  private var wanted: [Wanted] = []
  /// The first extent that does not end before the current position.
  private var next = 0
  private var items: [UInt32: Item] = [:]

  /// Adds the next bytes of the file, whose number the caller limits.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    if all != nil {
      all?.append(contentsOf: bytes)
    } else {
      distribute(bytes)
    }
    position += bytes.count
  }

  /// Returns the data of an item whose bytes are all there, up to a maximum, before the items are selected.
  func bytes(of location: HEIFMeta.Location, in data: ArraySlice<UInt8>, maximum: Int) -> [UInt8]? {
    let source = location.isInMeta ? data : (all ?? [])[...]
    var result: [UInt8] = []
    for extent in location.extents {
      guard let range = extent.range(within: source.count) else { return nil }
      result += source.dropFirst(range.lowerBound).prefix(min(range.count, maximum - result.count))
    }
    return result
  }

  /// Selects the items that are needed, with their locations and how often each is needed. All other bytes are dropped.
  mutating func select(
    _ needed: [UInt32: (location: HEIFMeta.Location, users: Int)], data: ArraySlice<UInt8>,
    limits: ImageLimits
  ) throws(ImageError) {
    var total = 0
    for (item, need) in needed {
      items[item] = Item(
        extents: Array(repeating: [], count: need.location.extents.count), missing: 0, users: need.users)
      for (index, extent) in need.location.extents.enumerated() {
        let limit = need.location.isInMeta ? data.count : limits.bytes
        guard let range = extent.range(within: limit) else { throw HEIFMeta.invalidLocation }
        // Several items may share bytes, but the copies must not exceed the limit on the file.
        total += range.count
        guard total <= limits.bytes else { throw HEIFMeta.invalidLocation }
        if need.location.isInMeta {
          items[item]?.extents[index] = Array(data.dropFirst(range.lowerBound).prefix(range.count))
        } else {
          items[item]?.missing += range.count
          wanted.append(Wanted(start: range.lowerBound, end: range.upperBound, item: item, index: index))
        }
      }
    }
    wanted.sort { ($0.start, $0.end, $0.item) < ($1.start, $1.end, $1.item) }
    let held = all ?? []
    all = nil
    position = 0
    held.withUnsafeBytes { distribute($0) }
    position = held.count
  }

  /// Returns true if the data of an item is complete.
  func isComplete(_ item: UInt32) -> Bool { items[item]?.missing == 0 }

  /// Returns the data of a complete item, and drops it when all users have taken it.
  mutating func take(_ item: UInt32) -> [UInt8]? {
    guard var found = items[item], found.missing == 0 else { return nil }
    if found.extents.count > 1 { found.extents = [Array(found.extents.joined())] }
    found.users -= 1
    items[item] = found.users > 0 ? found : nil
    return found.extents.first ?? []
  }

  private mutating func distribute(_ bytes: UnsafeRawBufferPointer) {
    let end = position + bytes.count
    while next < wanted.count, wanted[next].end <= position { next += 1 }
    var index = next
    while index < wanted.count, wanted[index].start < end {
      let part = wanted[index]
      let range = max(part.start, position)..<max(min(part.end, end), max(part.start, position))
      let piece = bytes[(range.lowerBound - position)..<(range.upperBound - position)]
      items[part.item]?.extents[part.index].append(contentsOf: piece)
      items[part.item]?.missing -= piece.count
      index += 1
    }
  }
}
