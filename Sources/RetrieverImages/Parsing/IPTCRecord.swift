/// The texts of an IPTC-IIM record, which news agencies and older photo editors write.
struct IPTCRecord {
  /// The data sets that this library uses, in the application record (number 2).
  enum Field: UInt8 {
    case title = 5
    case keyword = 25
    case day = 55
    case time = 60
    case author = 80
    case copyright = 116
    case caption = 120
  }

  /// The maximum number of values of one field.
  static let maximumValues = 1_000

  private var values: [Field: [String]] = [:]

  /// Reads a record up to its end or up to its first invalid byte.
  init(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    var offset = 0
    while offset + 5 <= bytes.count, bytes[offset] == 0x1C {
      let (record, field) = (bytes[offset + 1], Field(rawValue: bytes[offset + 2]))
      let length = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
      offset += 5
      // A length of more than 15 bits announces a longer length field, which no text needs.
      guard length < 0x8000, length <= bytes.count - offset else { return }
      if record == 2, let field, values[field, default: []].count < Self.maximumValues,
        let text = MetadataText.decode(bytes[offset..<offset + length])
      {
        values[field, default: []].append(text)
      }
      offset += length
    }
  }

  /// Finds the IPTC record in the resources of Photoshop: the APP13 segment of a JPEG after its signature.
  init?(photoshop bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    var offset = 0
    while offset + 12 <= bytes.count, bytes[offset..<offset + 4].elementsEqual("8BIM".utf8) {
      let identifier = Int(bytes[offset + 4]) << 8 | Int(bytes[offset + 5])
      // A name with its length, padded to an even number of bytes.
      let name = (Int(bytes[offset + 6]) + 2) & ~1
      offset += 6 + name
      guard offset + 4 <= bytes.count else { return nil }
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      offset += 4
      guard length <= bytes.count - offset else { return nil }
      if identifier == 0x0404 {
        self.init(bytes[offset..<offset + length])
        return
      }
      offset += (length + 1) & ~1
    }
    return nil
  }

  /// The day and the time of the creation in the form of ISO 8601, such as `2001-02-03T04:05:06+0700`.
  var creationDate: String? {
    guard let day = self[.day].first, day.utf8.count == 8 else { return nil }
    let date = "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))"
    guard let time = self[.time].first, time.utf8.count >= 6 else { return date }
    return date
      + "T\(time.prefix(2)):\(time.dropFirst(2).prefix(2)):\(time.dropFirst(4).prefix(2))\(time.dropFirst(6))"
  }

  /// Returns the values of a field in the order of the record.
  subscript(field: Field) -> [String] { values[field] ?? [] }
}
