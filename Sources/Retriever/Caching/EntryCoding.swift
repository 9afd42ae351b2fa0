#if !canImport(Darwin)
import Caches
import Foundation
import SystemFiles

/// The contents of the file of one stored response.
///
/// A file has a prefix of 48 bytes, the head and the body: nothing else. The prefix contains the lengths and the digests of
/// both. A file that is shorter, longer or damaged is not an entry. Numbers are little-endian.
///
/// The file of an incomplete response begins with another number, and its head lists the ranges of the body. An older
/// version of the library does not know this number, so it does not use such a file.
package enum EntryCoding {
  private static let magic: UInt64 = 0x3130_4854_5456_5452  // "RTVTTH01"
  private static let partialMagic: UInt64 = 0x3230_4854_5456_5452  // "RTVTTH02"
  static let prefixSize = 48
  private static let maximumHeadSize = 4 << 20

  /// Returns the prefix and the head. The body follows them in the file.
  package static func encodedHead(of entry: StoredEntry) -> Data? {
    var writer = Writer()
    write(entry.head, to: &writer)
    writer.append(entry.userInfo.flatMap(propertyList) ?? Data())
    if let extent = entry.head.extent { write(extent, to: &writer) }
    guard writer.data.count <= maximumHeadSize else { return nil }
    var prefix = Writer()
    for number in [
      entry.head.extent == nil ? magic : partialMagic, digest(writer.data), UInt64(writer.data.count),
      digest(entry.body), UInt64(entry.body.count), 0,
    ] {
      prefix.append(number)
    }
    return prefix.data + writer.data
  }

  /// Reads an entry from an open file; nil if the file is not a complete entry.
  package static func read(_ descriptor: Int32, size: Int) -> StoredEntry? {
    decode(size: size) { offset, count in
      var data = Data(count: count)
      let filled = data.withUnsafeMutableBytes {
        try? DescriptorIO.read(into: $0, from: descriptor, at: offset)
      }
      return filled == count ? data : nil
    }
  }

  /// Reads an entry from the contents of a file; nil if they are not a complete entry.
  package static func decode(_ contents: Data) -> StoredEntry? {
    decode(size: contents.count) { offset, count in
      contents.subdata(in: contents.startIndex + offset..<contents.startIndex + offset + count)
    }
  }

  /// - Parameter bytes: Returns bytes at an offset. The range is always within the size.
  private static func decode(size: Int, _ bytes: (_ offset: Int, _ count: Int) -> Data?) -> StoredEntry? {
    guard size >= prefixSize, let prefix = bytes(0, prefixSize) else { return nil }
    var numbers = Reader(prefix)
    guard let kind = numbers.number(), kind == magic || kind == partialMagic,
      let headDigest = numbers.number(),
      let headSize = numbers.number().flatMap({ Int(exactly: $0) }), headSize <= maximumHeadSize,
      let bodyDigest = numbers.number(), let bodySize = numbers.number().flatMap({ Int(exactly: $0) }),
      bodySize <= size, prefixSize + headSize + bodySize == size,
      let encoded = bytes(prefixSize, headSize), digest(encoded) == headDigest,
      let body = bytes(prefixSize + headSize, bodySize), digest(body) == bodyDigest
    else { return nil }
    var reader = Reader(encoded)
    guard var head = readHead(from: &reader), let list = reader.bytes() else { return nil }
    if kind == partialMagic {
      guard let extent = readExtent(from: &reader), extent.count == Int64(bodySize) else { return nil }
      head.extent = extent
    }
    return StoredEntry(head: head, body: body, userInfo: list.isEmpty ? nil : userInfo(list))
  }

  // MARK: The head

  private static func write(_ head: StoredHead, to writer: inout Writer) {
    writer.append(head.key.text)
    writer.append(head.url.absoluteString)
    writer.append(head.requestTime.timeIntervalSinceReferenceDate.bitPattern)
    writer.append(head.responseTime.timeIntervalSinceReferenceDate.bitPattern)
    switch head.kind {
    case .http(let status, let version, let isFromNetwork):
      writer.append(isFromNetwork ? 1 : 2)
      writer.append(UInt64(bitPattern: Int64(status)))
      writer.append(optional: version)
    case .other(let mimeType, let length, let encodingName):
      writer.append(3)
      writer.append(UInt64(bitPattern: length))
      writer.append(optional: mimeType)
      writer.append(optional: encodingName)
    }
    writer.append(UInt64(head.fields.count))
    for (name, value) in head.fields.entries {
      writer.append(name)
      writer.append(value)
    }
    writer.append(UInt64(head.selection.names.count))
    for (name, value) in zip(head.selection.names, head.selection.values) {
      writer.append(name)
      writer.append(optional: value)
    }
  }

  private static func readHead(from reader: inout Reader) -> StoredHead? {
    guard let key = reader.text(), let url = reader.text().flatMap({ URL(string: $0) }),
      let requestTime = reader.date(), let responseTime = reader.date(), let kind = readKind(from: &reader),
      let fieldCount = reader.number()
    else { return nil }
    var fields: [HeaderFields.Entry] = []
    for _ in 0..<min(fieldCount, UInt64(maximumHeadSize)) {
      guard let name = reader.text(), let value = reader.text() else { return nil }
      fields.append((name, value))
    }
    guard let count = reader.number() else { return nil }
    var names: [String] = []
    var values: [String?] = []
    for _ in 0..<min(count, UInt64(maximumHeadSize)) {
      guard let name = reader.text(), let value = reader.optionalText() else { return nil }
      names.append(name)
      values.append(value)
    }
    return StoredHead(
      key: CacheKey(text: key), url: url, kind: kind, fields: HeaderFields(fields),
      selection: VarySelection(names: names, values: values), requestTime: requestTime,
      responseTime: responseTime)
  }

  private static func readKind(from reader: inout Reader) -> StoredHead.Kind? {
    guard let kind = reader.number(), let number = reader.number().map({ Int64(bitPattern: $0) }),
      let first = reader.optionalText()
    else { return nil }
    switch kind {
    case 1, 2: return Int(exactly: number).map { .http(status: $0, version: first, isFromNetwork: kind == 1) }
    case 3: return reader.optionalText().map { .other(mimeType: first, length: number, encodingName: $0) }
    default: return nil
    }
  }

  private static func write(_ extent: StoredExtent, to writer: inout Writer) {
    writer.append(UInt64(bitPattern: extent.length))
    writer.append(UInt64(extent.ranges.count))
    for range in extent.ranges {
      writer.append(UInt64(bitPattern: range.lowerBound))
      writer.append(UInt64(bitPattern: range.upperBound))
    }
  }

  private static func readExtent(from reader: inout Reader) -> StoredExtent? {
    guard let length = reader.number().flatMap({ Int64(exactly: $0) }), let count = reader.number(),
      count <= UInt64(StoredExtent.maximumRanges)
    else { return nil }
    var ranges: [Range<Int64>] = []
    for _ in 0..<count {
      guard let start = reader.number().flatMap({ Int64(exactly: $0) }),
        let end = reader.number().flatMap({ Int64(exactly: $0) }), start < end
      else { return nil }
      ranges.append(start..<end)
    }
    guard let extent = StoredExtent(length: length, ranges: ranges), extent.ranges == ranges else {
      return nil
    }
    return extent
  }

  // MARK: What a program attached

  /// Property lists are kept on disk. Other values are kept in memory only.
  private static func propertyList(_ userInfo: StoredEntry.UserInfo) -> Data? {
    guard let values = userInfo.values as? [String: Any],
      PropertyListSerialization.propertyList(values, isValidFor: .binary)
    else { return nil }
    return try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
  }

  private static func userInfo(_ data: Data) -> StoredEntry.UserInfo? {
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    return (list as? [String: Any]).map { StoredEntry.UserInfo(values: $0) }
  }

  // MARK: Bytes

  private static func digest(_ data: Data) -> UInt64 {
    var digest = ContentDigest()
    data.withUnsafeBytes { digest.update($0) }
    return digest.value
  }

  private struct Writer {
    var data = Data()

    mutating func append(_ number: UInt64) {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    mutating func append(_ bytes: Data) {
      append(UInt64(bytes.count))
      data.append(bytes)
    }

    mutating func append(_ text: String) {
      append(UInt64(text.utf8.count))
      data.append(contentsOf: text.utf8)
    }

    mutating func append(optional text: String?) {
      append(text == nil ? 0 : 1)
      append(text ?? "")
    }
  }

  private struct Reader {
    private let data: Data
    private var position = 0

    init(_ data: Data) { self.data = data }

    mutating func number() -> UInt64? {
      guard data.count - position >= 8 else { return nil }
      defer { position += 8 }
      return data.withUnsafeBytes {
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      }
    }

    mutating func bytes() -> Data? {
      guard let count = number(), count <= UInt64(data.count - position) else { return nil }
      defer { position += Int(count) }
      return data.subdata(in: position..<position + Int(count))
    }

    mutating func text() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }

    mutating func optionalText() -> String?? {
      guard let mark = number(), let text = text() else { return nil }
      return .some(mark == 0 ? nil : text)
    }

    mutating func date() -> Date? {
      guard let seconds = number().map({ Double(bitPattern: $0) }), seconds.isFinite else { return nil }
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
  }
}
#endif
