import CImageCodecs
import Foundation
import Testing

@testable import RetrieverImages

/// Compares our own JPEG decoder with libjpeg.
@Suite(.timeLimit(.minutes(5))) struct CodecJPEGBaselineTests {
  @Test func `every sample equals that of libjpeg`() throws {
    for seed in 0..<500 as Range<UInt64> {
      let sample = try JPEGSample(seed: seed)
      let eighths = [1, 2, 4, 8][Int(seed % 4)] as UInt32
      let theirs = JPEGReading(sample.data, eighths: eighths, byLibjpeg: true)
      for cut in [Cut.onePiece, .pieces(of: 1), .random(seed: seed)] {
        let ours = JPEGReading(sample.data, eighths: eighths, byLibjpeg: false, cut: cut)
        let isSame = ours == theirs
        #expect(isSame && ours.message == nil, "\(sample), at \(eighths)/8")
      }
    }
  }

  @Test(arguments: [UInt8(0), 60], [false, true])
  func `an image of 12 megapixels equals that of libjpeg`(noise: UInt8, isGrey: Bool) throws {
    let size = PixelSize(width: 4_000, height: 3_000)
    let format = isGrey ? RowFormat.grey8 : .rgb8
    // The same rows are repeated, because drawing takes longer than everything that is tested here.
    let strip = PixelSize(width: 4_000, height: 40)
    var random = SeededGenerator(seed: 1)
    var rows = drawnPixels(size: strip, format: format)
    for index in rows.indices where noise > 0 { rows[index] ^= UInt8.random(in: 0...noise, using: &random) }
    var pixels: [UInt8] = []
    for _ in 0..<75 { pixels += rows }
    var form = codec_jpeg_encoding()
    form.quality = 85
    form.halves_chroma = true
    let data = try JPEGEncoder.encode(pixels, size: size, format: format, as: form)
    let isSame =
      JPEGReading(data, eighths: 4, byLibjpeg: false, cut: .pieces(of: 60_000))
      == JPEGReading(data, eighths: 4, byLibjpeg: true)
    #expect(isSame)
  }

  @Test func `a truncated file gives the same rows as libjpeg`() throws {
    for seed in 0..<150 as Range<UInt64> {
      let sample = try JPEGSample(seed: seed)
      let eighths = [1, 2, 4, 8][Int(seed % 4)] as UInt32
      for part in 1...4 {
        let data = sample.data.prefix(sample.data.count - sample.data.count * part / 7)
        let isSame =
          JPEGReading(data, eighths: eighths, byLibjpeg: false, cut: .random(seed: seed))
          == JPEGReading(data, eighths: eighths, byLibjpeg: true)
        #expect(isSame, "\(sample), cut to \(data.count) bytes, at \(eighths)/8")
      }
    }
  }

  /// A wrong restart marker: the one after the next, a later one, an earlier one, or another marker.
  @Test(arguments: [0xD4, 0xD5, 0xD7, 0xD2, 0xD1, 0xBF, 0xC0, 0xD9] as [UInt8])
  func `an unexpected restart marker is handled as in libjpeg`(code: UInt8) throws {
    var data = try JPEGFixture.form(.rgb8, width: 70, height: 60, restartInterval: 3)
    data[try restartMarkers(in: data)[3] + 1] = code
    for eighths in [2, 4, 8] as [UInt32] {
      let ours = JPEGReading(data, eighths: eighths, byLibjpeg: false)
      let theirs = JPEGReading(data, eighths: eighths, byLibjpeg: true)
      let isSame = ours == theirs
      #expect(isSame, "\(ours.message ?? "no message") instead of \(theirs.message ?? "none")")
      #expect(ours.message?.contains("Corrupt JPEG data") == true && ours.rows > 0)
    }
  }

  @Test func `a missing segment between restart markers is reported`() throws {
    let data = try JPEGFixture.form(.rgb8, width: 70, height: 60, restartInterval: 3)
    let marks = try restartMarkers(in: data)
    let shorter = data.prefix(marks[2] + 8) + data.suffix(from: marks[3])
    let ours = JPEGReading(Data(shorter), eighths: 4, byLibjpeg: false)
    #expect(ours.message == "Corrupt JPEG data: premature end of data segment")
    let isSame = ours == JPEGReading(Data(shorter), eighths: 4, byLibjpeg: true)
    #expect(isSame)
  }

  @Test func `unused bytes are reported unless they are few`() throws {
    let data = try JPEGFixture.form(.rgb8, width: 70, height: 60, restartInterval: 3)
    let complete = JPEGReading(data, eighths: 4, byLibjpeg: false)
    let mark = try restartMarkers(in: data)[2]
    for count in [1, 7, 8, 300] {
      let longer = Data(data.prefix(mark) + Data(repeating: 0x55, count: count) + data.suffix(from: mark))
      let reading = JPEGReading(longer, eighths: 4, byLibjpeg: false, cut: .pieces(of: 50))
      #expect(
        reading.message
          == (count < 8 ? nil : "Corrupt JPEG data: \(count) extraneous bytes before marker 0xd2"))
      let isSame = reading.pixels == complete.pixels
      #expect(isSame)
    }
  }

  @Test func `an invalid Huffman code is reported`() throws {
    var data = try JPEGFixture.form(.grey8, width: 70, height: 60)
    let start = try scanStart(in: data)
    // Sixteen ones, with stuffed zeros, are not a valid code.
    for (index, byte) in [0xFF, 0, 0xFF, 0, 0xFF, 0].enumerated() { data[start + 30 + index] = UInt8(byte) }
    let reading = JPEGReading(data, eighths: 4, byLibjpeg: false)
    #expect(reading.message == "Corrupt JPEG data: bad Huffman code")
    #expect(reading.rows == 30)
  }

  /// Any number of 0xFF bytes may come before a marker. libjpeg also accepts them before a stuffed zero.
  @Test func `fill bytes do not change the pixels`() throws {
    let data = try JPEGFixture.form(.rgb8, width: 70, height: 60, restartInterval: 2)
    var filled = Data()
    for (index, byte) in data.enumerated() {
      let isInScan = index >= (try scanStart(in: data))
      if isInScan, byte == 0xFF { filled += [0xFF, 0xFF, 0xFF] }
      filled.append(byte)
    }
    for cut in [Cut.onePiece, .pieces(of: 1), .pieces(of: 9)] {
      let isSame =
        JPEGReading(filled, eighths: 4, byLibjpeg: false, cut: cut)
        == JPEGReading(data, eighths: 4, byLibjpeg: true)
      #expect(isSame)
    }
  }

  @Test func damagedFilesFailWhereLibjpegFails() throws {
    for seed in 0..<600 as Range<UInt64> {
      let data = mutated(try JPEGSample(seed: seed).data, seed: seed)
      let eighths = [1, 2, 4, 8][Int(seed % 4)] as UInt32
      let ours = JPEGReading(data, eighths: eighths, byLibjpeg: false, cut: .random(seed: seed))
      let theirs = JPEGReading(data, eighths: eighths, byLibjpeg: true)
      // The pixels from damaged coefficients may differ, and so may the kind of damage that is found first.
      #expect(ours.isFailed == theirs.isFailed && ours.width == theirs.width, "seed \(seed)")
      if ours.isFailed { #expect(ours.message == theirs.message) }
    }
  }

  private func restartMarkers(in data: Data) throws -> [Int] {
    let start = try scanStart(in: data)
    let marks = (start..<data.count - 1).filter { data[$0] == 0xFF && (0xD0...0xD7).contains(data[$0 + 1]) }
    try #require(marks.count > 5)
    return marks
  }

  private func scanStart(in data: Data) throws -> Int {
    let mark = try #require(data.indices.dropLast().first { data[$0] == 0xFF && data[$0 + 1] == 0xDA })
    return mark + 2 + Int(data[mark + 2]) * 256 + Int(data[mark + 3])
  }
}
