import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecLZWTests {
  private func shades(_ indices: [UInt8]) -> [UInt8] { indices.flatMap { [$0, $0, $0] } }

  @Test(arguments: 1...8, LZWFixture.FullTable.allCases)
  func `codes of all sizes are decoded`(codeSize: Int, whenFull: LZWFixture.FullTable) {
    // Enough pixels to fill the table several times.
    let indices = LZWFixture.noise(150 * 140, colors: 1 << codeSize)
    let codes = LZWFixture.codes(indices, codeSize: codeSize, whenFull: whenFull)
    let file = LZWFixture.file(indices, width: 150, codeSize: codeSize, codes: codes)
    for cut in [Cut.onePiece, .pieces(of: 1), .random(seed: 1)] {
      let decoding = decode(file, cut: cut)
      let isExact = decoding.pixels == shades(indices)
      #expect(decoding.error == nil && decoding.damage.isEmpty && decoding.isComplete && isExact)
    }
  }

  @Test func `a string longer than a row, and one that is used as it is added`() {
    let indices = [UInt8](repeating: 7, count: 3 * 2_000)
    let decoding = decode(LZWFixture.file(indices, width: 3, codeSize: 3))
    #expect(decoding.error == nil && decoding.pixels == shades(indices))
  }

  @Test func `what browsers accept is accepted`() {
    let indices = LZWFixture.noise(40 * 30)
    let codes = LZWFixture.codes(indices, codeSize: 8)
    let complete = LZWFixture.file(indices, width: 40, codeSize: 8)
    // The first byte of the data after the pixels is not a block.
    let files: [(String, Data)] = [
      (
        "no end code",
        LZWFixture.file(
          indices, width: 40, codeSize: 8, codes: LZWFixture.codes(indices, codeSize: 8, hasEnd: false))
      ),
      (
        "no clear code at the start",
        LZWFixture.file(
          indices, width: 40, codeSize: 8,
          codes: LZWFixture.codes(indices, codeSize: 8, startsWithClear: false))
      ),
      ("no trailer", LZWFixture.file(indices, width: 40, codeSize: 8, hasTrailer: false)),
      ("no end of the blocks and no trailer", complete.dropLast(2)),
      ("no end of the blocks", complete.dropLast(2) + [0x3B]),
      (
        "data after the pixels",
        LZWFixture.file(indices, width: 40, codeSize: 8, codes: codes + [1, 2, 3, 4])
      ),
      ("data after the trailer", complete + Data("more".utf8)),
    ]
    for (name, file) in files {
      let decoding = decode(file, cut: .random(seed: 3))
      #expect(decoding.error == nil && decoding.damage.isEmpty && decoding.isComplete, "\(name)")
      let isExact = decoding.pixels == shades(indices)
      #expect(isExact, "\(name)")
    }
    let unknown = decode(complete.dropLast() + [0x77, 1, 2])
    #expect(unknown.error == nil && unknown.isComplete && unknown.damage.map(\.kind) == [.other])
  }

  @Test func `a code that the table does not contain is damage, and decoding goes on`() {
    // Clear, the indices 1 and 2, then a code far beyond the table, and the end.
    let file = LZWFixture.file(
      [1, 2, 0, 0, 0, 0], width: 3, codeSize: 3, codes: bits([8, 1, 2, 15, 3, 4, 9]))
    let decoding = decode(file)
    #expect(decoding.rowCount == 2 && decoding.isComplete)
    #expect(decoding.damage.map(\.kind) == [.pixels] && decoding.error?.code == .corrupt)
    #expect(decoding.pixels == shades([1, 2, 2, 2, 3, 4]))
    // After a clear code, only single indices are valid.
    let early = decode(LZWFixture.file([1, 2, 3], width: 3, codeSize: 3, codes: bits([8, 12, 1, 2, 3, 9])))
    #expect(early.pixels == shades([1, 2, 3]) && early.damage.map(\.kind) == [.pixels])
  }

  /// Returns codes of four bits.
  private func bits(_ codes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: codes.count, by: 2).map {
      codes[$0] | ($0 + 1 < codes.count ? codes[$0 + 1] << 4 : 0)
    }
  }

  @Test func `pixels that end too early give the rows before, and an error`() {
    let file = LZWFixture.file(
      [UInt8](repeating: 0, count: 12), width: 3, codeSize: 3, codes: bits([8, 1, 2, 3, 4, 5, 6, 9]))
    let decoding = decode(file)
    #expect(decoding.error?.code == .truncated && decoding.rowCount == 2)
    #expect(decoding.pixels == shades([1, 2, 3, 4, 5, 6]))
  }

  @Test func `an impossible size of codes is an error, an unusual one is read`() {
    let indices = [UInt8](repeating: 1, count: 12)
    #expect(decode(LZWFixture.file(indices, width: 3, codeSize: 12, codes: [0])).error?.code == .corrupt)
    #expect(decode(LZWFixture.file(indices, width: 3, codeSize: 255, codes: [0])).error?.code == .corrupt)
    let unusual = decode(LZWFixture.file(indices, width: 3, codeSize: 10))
    #expect(unusual.pixels == shades(indices) && unusual.damage.isEmpty && unusual.error == nil)
    // A code of 12 bits that clears the table, one of each for the indices 1, 2 and 256 + 3, and the end.
    let tooLarge = decode(
      LZWFixture.file(
        [1, 2, 3], width: 3, codeSize: 11,
        codes: [0x00, 0x18, 0x00, 0x02, 0x30, 0x10, 0x01, 0x08]))
    #expect(tooLarge.pixels == shades([1, 2, 3]) && tooLarge.damage.map(\.kind) == [.pixels])
    _ = decode(LZWFixture.file(indices, width: 3, codeSize: 0, codes: [0x55, 0xAA, 0x12]))
  }

  @Test func `a file without a frame is an error`() {
    let start = LZWFixture.file([1, 2, 3], width: 3, codeSize: 3).prefix(13 + 768)
    #expect(decode(start + [0x3B]).error?.code == .corrupt)
    #expect(decode(start + [0x77]).error?.code == .corrupt)
    #expect(decode(start).error?.code == .truncated)
  }

  @Test func `missing rows of an interlaced frame show the rows above them`() {
    let form = GIFFixture(isInterlaced: true)
    let data = form.data()
    // The pixels come last, and each takes about a byte.
    let decoding = decode(data.dropLast(130))
    #expect(decoding.error?.code == .truncated && decoding.rowCount == 16)
    let row = { (y: Int) in Array(decoding.pixels[(y * 60)..<(y * 60 + 60)]) }
    #expect(row(15) == row(14) && row(0) != row(2))
  }
}
