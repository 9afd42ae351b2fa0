/// A value of a parameter or a column.
package enum PostgresValue: Sendable, Hashable {
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  case boolean(Bool)
  case null
}

/// A row of a result. Columns are numbered from 0.
package struct PostgresRow: Sendable, Hashable {
  /// All values as PostgreSQL writes them, one after the other.
  private var bytes: [UInt8] = []
  /// The end of each value; nil for NULL.
  private var ends: [Int?] = []

  init() {}

  mutating func append(_ value: UnsafeRawBufferPointer?) {
    guard let value else {
      ends.append(nil)
      return
    }
    bytes += value
    ends.append(bytes.count)
  }

  /// The number of bytes of the values.
  var size: Int { bytes.count }

  /// The number of columns.
  package var count: Int { ends.count }

  /// Whether a column is NULL. A column that does not exist is NULL.
  package func isNull(_ column: Int) -> Bool { raw(column) == nil }

  /// The text of a column; empty for NULL.
  package func text(_ column: Int) -> String { raw(column).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// The number in a column; 0 for NULL, and for values that are not integers or out of range.
  package func integer(_ column: Int) -> Int64 {
    guard let raw = raw(column) else { return 0 }
    // A boolean is written as t or f.
    if raw.elementsEqual("t".utf8) { return 1 }
    return Int64(String(decoding: raw, as: UTF8.self)) ?? 0
  }

  /// The number in a column; 0 for NULL and for values that are not numbers.
  package func real(_ column: Int) -> Double { Double(text(column)) ?? 0 }

  /// Whether a column is true.
  package func boolean(_ column: Int) -> Bool { raw(column)?.elementsEqual("t".utf8) ?? false }

  /// The bytes of a column of type `bytea`; empty for NULL and for other types.
  package func blob(_ column: Int) -> [UInt8] {
    guard let raw = raw(column), raw.count % 2 == 0, raw.starts(with: #"\x"#.utf8) else { return [] }
    let digits = raw.dropFirst(2)
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 2)
    var index = digits.startIndex
    while index < digits.endIndex {
      guard let high = Self.digit(digits[index]), let low = Self.digit(digits[index + 1]) else { return [] }
      result.append(high << 4 | low)
      index += 2
    }
    return result
  }

  private func raw(_ column: Int) -> ArraySlice<UInt8>? {
    guard ends.indices.contains(column), let end = ends[column] else { return nil }
    let start = ends[..<column].last { $0 != nil } ?? 0
    return bytes[(start ?? 0)..<end]
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 97...102: byte - 87
    case 65...70: byte - 55
    default: nil
    }
  }
}
