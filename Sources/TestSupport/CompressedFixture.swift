import Foundation

/// Valid and invalid compressed bodies, created without a compression library.
public enum CompressedFixture {
  /// The text that `gzip`, `brotli` and `zstandard` contain.
  public static let text = String(repeating: "the quick brown dog jumps over the lazy fox. ", count: 40)

  /// The text as a gzip file (one stored block).
  public static var gzip: Data { gzip(Data(text.utf8)) }

  /// The text compressed with Brotli.
  public static let brotli = decoded("GwcHiIyUbuYi0IOlupBeExSNgHxDC4MNOHBIIG8kv0GnFc5mx+NEmaRgI5xKqz/CCgw=")

  /// The text compressed with Zstandard.
  public static let zstandard = decoded(
    "KLUv/QRYvQEAxAJ0aGUgcXVpY2sgYnJvd24gZG9nIGp1bXBzIG92ZXIgdGhlIGxhenkgZm94LgIA1EL1AUOYZaB395Q=")

  /// Returns the bytes (fewer than 65,536) as a gzip file with one stored block.
  public static func gzip(_ bytes: Data) -> Data {
    let count = UInt16(truncatingIfNeeded: bytes.count)
    var file = header + [1] + littleEndian(count) + littleEndian(~count)
    file += bytes
    file += littleEndian(checksum(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    return file
  }

  /// A gzip file that cannot be decoded: the type of its first block does not exist.
  public static var corruptGzip: Data { header + Data(repeating: 0xff, count: 200) }

  /// Returns an incomplete gzip file that decodes to about `size` zero bytes. The file is about 1/159 as large.
  public static func gzipBomb(size: Int) -> Data {
    // One block with fixed codes. 00 is the byte zero. Then "258 bytes from a distance of 1" repeats: 11000101 and
    // 00000. Eight of these are 13 bytes, which repeat.
    var bits: [UInt8] = [1, 1, 0]
    bits += [0, 0, 1, 1, 0, 0, 0, 0]
    let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    while bits.count % 8 != 0 { bits += match }
    let period = (0..<8).flatMap { _ in match }
    let repeats = size / (258 * 8)
    var file = header + pack(bits)
    let packed = pack(period)
    file.reserveCapacity(file.count + packed.count * repeats)
    for _ in 0..<repeats { file += packed }
    return file
  }

  private static let header = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

  private static func pack(_ bits: [UInt8]) -> Data {
    var bytes = Data(repeating: 0, count: bits.count / 8)
    for (index, bit) in bits.enumerated() { bytes[index / 8] |= bit << (index % 8) }
    return bytes
  }

  private static func littleEndian(_ value: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: value.littleEndian) { Data($0) }
  }

  private static func checksum(_ bytes: Data) -> UInt32 {
    var crc: UInt32 = 0xffff_ffff
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xedb8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private static func decoded(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
