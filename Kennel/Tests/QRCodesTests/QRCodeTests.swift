import Testing

@testable import QRCodes

@Suite struct QRCodeTests {
  /// Reads a code as a scanner does: the format, the mask, the codewords, the blocks and the bytes.
  private func read(_ code: QRCode) throws -> String {
    let number = (code.size - 17) / 4
    let version = try #require(QRVersion.all.first { $0.number == number })
    let mask = try #require(self.mask(of: code))
    let reserved = QRGrid(version: version).isReserved
    var bits: [Bool] = []
    for (column, row) in QRGrid.path(size: code.size) where !reserved[row * code.size + column] {
      bits.append(code.isDark(column, row) != mask.inverts(column, row))
    }
    let sizes = version.blocks.flatMap { [Int](repeating: $0.dataCount, count: $0.count) }
    let total = sizes.reduce(0, +) + sizes.count * version.correctionCount
    #expect(bits.count - total * 8 == (2...6 ~= number ? 7 : 0))
    var codewords = (0..<total).map { index in
      bits[index * 8..<index * 8 + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }[...]
    var blocks = [[UInt8]](repeating: [], count: sizes.count)
    for index in 0..<(sizes.max() ?? 0) {
      for block in sizes.indices where index < sizes[block] { blocks[block].append(codewords.removeFirst()) }
    }
    let data = blocks.flatMap { $0 }
    for _ in 0..<version.correctionCount {
      for block in sizes.indices { blocks[block].append(codewords.removeFirst()) }
    }
    for block in blocks { #expect(syndromes(of: block, version.correctionCount).allSatisfy { $0 == 0 }) }
    return text(in: data, countBits: number < 10 ? 8 : 16)
  }

  /// The values of a block's polynomial at the roots of the generator polynomial. They are 0 if the block has no error.
  private func syndromes(of block: [UInt8], _ count: Int) -> [UInt8] {
    var root: UInt8 = 1
    return (0..<count).map { _ in
      defer { root = GaloisField.product(root, 2) }
      return block.reduce(0) { GaloisField.product($0, root) ^ $1 }
    }
  }

  private func mask(of code: QRCode) -> QRMask? {
    var first = 0
    for row in [0, 1, 2, 3, 4, 5, 7, 8] where code.isDark(8, row) { first |= 1 << (row > 6 ? row - 1 : row) }
    for (bit, column) in zip(8..., [7, 5, 4, 3, 2, 1, 0]) where code.isDark(column, 8) { first |= 1 << bit }
    return QRMask.allCases.first { QRGrid.formatBits(mask: $0) == first }
  }

  private func text(in data: [UInt8], countBits: Int) -> String {
    let bits = data.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
    func number(_ range: Range<Int>) -> Int { bits[range].reduce(0) { $0 << 1 | Int($1) } }
    #expect(number(0..<4) == 0b0100)
    let count = number(4..<4 + countBits)
    return String(
      decoding: (0..<count).map { index in
        let start = 4 + countBits + index * 8
        return UInt8(number(start..<start + 8))
      }, as: UTF8.self)
  }

  @Test func `a code of each length can be read`() throws {
    var sizes: Set<Int> = []
    for count in 0...QRCode.maximumByteCount {
      let text = String((0..<count).map { Character(Unicode.Scalar(UInt8(0x21 + $0 * 7 % 90))) })
      let code = try #require(QRCode(text))
      #expect(try read(code) == text)
      sizes.insert(code.size)
    }
    #expect(sizes == Set((1...10).map { 17 + 4 * $0 }))
    #expect(QRCode.maximumByteCount == 213)
  }

  @Test func `a text that is too long has no code`() {
    #expect(QRCode(String(repeating: "x", count: 214)) == nil)
    #expect(QRCode("https://dogs.example/join/" + String(repeating: "ä", count: 100)) == nil)
  }

  @Test func `the smallest version with room is used`() throws {
    // The numbers of bytes at level M in table 7 of the standard.
    let capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213]
    #expect(QRVersion.all.map(\.byteCapacity) == capacities)
    for (index, capacity) in capacities.enumerated() {
      #expect(QRCode(String(repeating: "x", count: capacity))?.size == 21 + 4 * index)
    }
  }

  @Test func `error correction codewords equal those of a published example`() {
    // “HELLO WORLD” in alphanumeric mode, version 1-M.
    let data: [UInt8] = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
    let correction = ReedSolomon(correctionCount: 10).correction(of: data[...])
    #expect(correction == [196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
  }

  @Test func `the bits of the format and the version equal those of the standard`() {
    // Tables C.1 and D.1.
    #expect(QRGrid.formatBits(mask: .checkerboard) == 0x5412)
    #expect(QRGrid.formatBits(mask: .fields) == 0x40CE)
    #expect(QRGrid.formatBits(mask: .meadow) == 0x4AA0)
    #expect(QRGrid.versionBits(7) == 0x07C94)
    #expect(QRGrid.versionBits(10) == 0x0A4D3)
  }

  @Test func `the patterns are where scanners expect them`() throws {
    for count in [1, 50, 120, 200] {
      let code = try #require(QRCode(String(repeating: "q", count: count)))
      let size = code.size
      for (left, top) in [(0, 0), (size - 7, 0), (0, size - 7)] {
        for y in 0..<7 {
          for x in 0..<7 {
            let isRing = x == 0 || x == 6 || y == 0 || y == 6
            let isCentre = 2...4 ~= x && 2...4 ~= y
            #expect(code.isDark(left + x, top + y) == (isRing || isCentre))
          }
        }
      }
      for index in 8..<size - 8 {
        #expect(code.isDark(index, 6) == (index % 2 == 0))
        #expect(code.isDark(6, index) == (index % 2 == 0))
      }
      // The dark module, and both copies of the format.
      #expect(code.isDark(8, size - 8))
      for bit in 0..<7 {
        #expect(code.isDark(8, [0, 1, 2, 3, 4, 5, 7][bit]) == code.isDark(size - 1 - bit, 8))
      }
    }
  }

  @Test func `the mask with the lowest penalty is used`() throws {
    let text = "http://192.168.178.20:8080/join/Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE"
    let code = try #require(QRCode(text))
    let version = try #require(QRVersion.all.first { $0.size == code.size })
    let codewords = version.interleaved(version.dataCodewords(of: Array(text.utf8)))
    let penalties = QRMask.allCases.map { mask in
      var grid = QRGrid(version: version)
      grid.place(codewords, mask: mask)
      grid.drawFormat(mask: mask)
      return grid.penalty
    }
    #expect(mask(of: code) == QRMask.allCases[try #require(penalties.firstIndex(of: penalties.min() ?? 0))])
  }

  @Test func `a blank grid has the penalty that the standard describes`() {
    // A run of each row and column: 21 − 2 points each. Blocks: 20 × 20 × 3. No dark module: 10 × 10.
    #expect(QRGrid(blank: 21).penalty == 42 * 19 + 400 * 3 + 100)
  }

  @Test func `the lines and the path show the modules`() throws {
    let code = try #require(QRCode("http://localhost:8080/join/x"))
    let edge = QRCode.quietZone
    let lines = code.lines
    #expect(lines.count == (code.size + 2 * edge + 1) / 2)
    #expect(lines.allSatisfy { $0.count == code.size + 2 * edge })
    let rows = lines.flatMap { line in
      [line.map { "█▀".contains($0) }, line.map { "█▄".contains($0) }]
    }
    var fromPath: Set<[Int]> = []
    for match in code.pathData.matches(of: /M(\d+) (\d+)h(\d+)v1h-\d+z/) {
      let (column, row, width) = (Int(match.1) ?? 0, Int(match.2) ?? 0, Int(match.3) ?? 0)
      for offset in 0..<width { fromPath.insert([column + offset, row]) }
    }
    for row in 0..<code.size {
      for column in 0..<code.size {
        #expect(rows[row + edge][column + edge] == code.isDark(column, row))
        #expect(fromPath.contains([column, row]) == code.isDark(column, row))
      }
    }
  }
}
