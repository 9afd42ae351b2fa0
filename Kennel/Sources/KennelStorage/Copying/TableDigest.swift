/// The number of rows of a table, and a digest of their values. The order of the rows does not matter, because two databases sort
/// differently. A pure value.
package struct TableDigest: Sendable, Hashable {
  package private(set) var count = 0
  /// The sum of the hashes of the rows.
  private var sum = SIMD4<UInt64>()

  package init() {}

  mutating func add(_ row: [SQLValue]) {
    count += 1
    let hash = Sodium.sha256(Self.bytes(of: row))
    for index in 0..<4 {
      let word = hash[(8 * index)..<(8 * index + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      sum[index] &+= word
    }
  }

  /// Returns bytes that are different for different rows.
  private static func bytes(of row: [SQLValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ kind: UInt8, _ number: Int64) {
      bytes.append(kind)
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    for value in row {
      switch value {
      case .null: bytes.append(0)
      case .integer(let number): append(1, number)
      case .text(let text):
        append(2, Int64(text.utf8.count))
        bytes += text.utf8
      case .blob(let blob):
        append(3, Int64(blob.count))
        bytes += blob
      }
    }
    return bytes
  }
}
