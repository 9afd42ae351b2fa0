/// Reads the name of an ICC profile, such as “Display P3”.
enum ICCDescription {
  /// Returns the profile's description, or nil if there is none or the profile is invalid.
  static func read(_ profile: some Collection<UInt8>) -> String? {
    let reader = TIFFReader(headless: Array(profile), isLittleEndian: false)
    guard let count = reader.number(at: 128, size: 4) else { return nil }
    for index in 0..<min(count, 100) {
      let entry = 132 + 12 * index
      guard let name = reader.number(at: entry, size: 4), let offset = reader.number(at: entry + 4, size: 4),
        let size = reader.number(at: entry + 8, size: 4)
      else { return nil }
      guard name == 0x6465_7363 else { continue }  // desc
      guard size >= 12, offset <= reader.bytes.count - size else { return nil }
      return text(reader, offset, size)
    }
    return nil
  }

  private static func text(_ reader: TIFFReader, _ offset: Int, _ size: Int) -> String? {
    let end = offset + size
    switch reader.number(at: offset, size: 4) {
    case 0x6465_7363:  // desc: ASCII with its length
      guard let length = reader.number(at: offset + 8, size: 4), length <= end - offset - 12 else {
        return nil
      }
      return MetadataText.decode(reader.bytes[(offset + 12)..<(offset + 12 + length)].prefix { $0 != 0 })
    case 0x6D6C_7563:  // mluc: UTF-16 in several languages, of which the first is taken
      guard size >= 28, let length = reader.number(at: offset + 20, size: 4),
        let place = reader.number(at: offset + 24, size: 4), place <= size, length <= size - place
      else { return nil }
      return MetadataText.utf16(
        reader.bytes[(offset + place)..<(offset + place + length)], isLittleEndian: false)
    default: return nil
    }
  }
}
