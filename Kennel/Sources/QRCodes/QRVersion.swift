/// A version of QR codes with its blocks at error correction level M (ISO/IEC 18004, tables 7, 9 and E.1).
struct QRVersion: Sendable, Hashable {
  /// Blocks with the same number of data codewords.
  struct Blocks: Sendable, Hashable {
    var count: Int
    var dataCount: Int
  }

  var number: Int
  /// The number of error correction codewords of each block.
  var correctionCount: Int
  var blocks: [Blocks]
  /// The rows and columns of the centres of alignment patterns.
  var alignment: [Int]

  static let all = [
    QRVersion(1, 10, [Blocks(count: 1, dataCount: 16)], []),
    QRVersion(2, 16, [Blocks(count: 1, dataCount: 28)], [6, 18]),
    QRVersion(3, 26, [Blocks(count: 1, dataCount: 44)], [6, 22]),
    QRVersion(4, 18, [Blocks(count: 2, dataCount: 32)], [6, 26]),
    QRVersion(5, 24, [Blocks(count: 2, dataCount: 43)], [6, 30]),
    QRVersion(6, 16, [Blocks(count: 4, dataCount: 27)], [6, 34]),
    QRVersion(7, 18, [Blocks(count: 4, dataCount: 31)], [6, 22, 38]),
    QRVersion(8, 22, [Blocks(count: 2, dataCount: 38), Blocks(count: 2, dataCount: 39)], [6, 24, 42]),
    QRVersion(9, 22, [Blocks(count: 3, dataCount: 36), Blocks(count: 2, dataCount: 37)], [6, 26, 46]),
    QRVersion(10, 26, [Blocks(count: 4, dataCount: 43), Blocks(count: 1, dataCount: 44)], [6, 28, 50]),
  ]

  private init(_ number: Int, _ correctionCount: Int, _ blocks: [Blocks], _ alignment: [Int]) {
    self.number = number
    self.correctionCount = correctionCount
    self.blocks = blocks
    self.alignment = alignment
  }

  /// The number of modules on each side.
  var size: Int { 17 + 4 * number }

  /// The number of data codewords in all blocks.
  var dataCount: Int { blocks.reduce(0) { $0 + $1.count * $1.dataCount } }

  /// The number of bits that hold the number of bytes.
  private var countBits: Int { number < 10 ? 8 : 16 }

  /// The number of bytes that fit, after four bits for the mode and the number of bytes.
  var byteCapacity: Int { (dataCount * 8 - 4 - countBits) / 8 }

  /// Returns the data codewords of bytes: the mode, the number of bytes, the bytes, and padding.
  func dataCodewords(of bytes: [UInt8]) -> [UInt8] {
    var bits = QRBits()
    bits.append(0b0100, count: 4)
    bits.append(bytes.count, count: countBits)
    for byte in bytes { bits.append(Int(byte), count: 8) }
    // The terminator is up to four zero bits; then the last codeword is filled with zero bits.
    bits.append(0, count: min(4, dataCount * 8 - bits.count))
    bits.append(0, count: (8 - bits.count % 8) % 8)
    var codewords = bits.bytes
    var pad: UInt8 = 0xEC
    while codewords.count < dataCount {
      codewords.append(pad)
      pad ^= 0xEC ^ 0x11
    }
    return codewords
  }

  /// Splits data codewords into blocks, adds the error correction codewords, and interleaves all blocks.
  func interleaved(_ data: [UInt8]) -> [UInt8] {
    let code = ReedSolomon(correctionCount: correctionCount)
    var parts: [(data: ArraySlice<UInt8>, correction: [UInt8])] = []
    var start = 0
    for group in blocks {
      for _ in 0..<group.count {
        let part = data[start..<start + group.dataCount]
        parts.append((part, code.correction(of: part)))
        start += group.dataCount
      }
    }
    var result: [UInt8] = []
    for index in 0..<(blocks.map(\.dataCount).max() ?? 0) {
      for part in parts where index < part.data.count {
        result.append(part.data[part.data.startIndex + index])
      }
    }
    for index in 0..<correctionCount { result += parts.map { $0.correction[index] } }
    return result
  }
}

/// Collects bits, the highest bit of a number first.
struct QRBits: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  mutating func append(_ number: Int, count bitCount: Int) {
    for bit in stride(from: bitCount - 1, through: 0, by: -1) {
      if count % 8 == 0 { bytes.append(0) }
      if number >> bit & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
      count += 1
    }
  }
}
