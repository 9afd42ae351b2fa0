/// The placeholders of statements.
enum Placeholders {
  /// Returns a statement with `$1`, `$2` and so on for `?1`, `?2` and so on, and for each `?` without a number. Question marks in
  /// texts and names that are quoted stay.
  static func numbered(_ sql: String) -> String {
    guard sql.utf8.contains(UInt8(ascii: "?")) else { return sql }
    var result: [UInt8] = []
    var quote: UInt8?
    var count = 0
    let bytes = Array(sql.utf8)
    for (index, byte) in bytes.enumerated() {
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if byte == UInt8(ascii: "?") {
        result.append(UInt8(ascii: "$"))
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
          count += 1
          result += "\(count)".utf8
        }
        continue
      }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
