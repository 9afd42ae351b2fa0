import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecPNGTests {
  /// All combinations of color type, depth and interlacing.
  static let forms: [PNGFixture] = PNGFixture.ColorType.allCases.flatMap { type in
    type.depths.flatMap { depth in
      [false, true].map { PNGFixture(colorType: type, depth: depth, isInterlaced: $0) }
    }
  }

  /// Returns the expected samples in the format of the rows.
  private func expected(_ form: PNGFixture) -> (format: RowFormat, bytes: [UInt8]) {
    var bytes: [UInt8] = []
    func append(_ value: Int) {
      if form.depth == 16 {
        withUnsafeBytes(of: UInt16(value)) { bytes += $0 }
      } else {
        bytes.append(UInt8(value * 255 / ((1 << form.depth) - 1)))
      }
    }
    for y in 0..<form.height {
      for x in 0..<form.width {
        switch form.colorType {
        case .palette: bytes += PNGFixture.color(form.sample(x, y, 0))
        case .greyAlpha:
          for channel in [0, 0, 0, 1] { append(form.sample(x, y, channel)) }
        default:
          for channel in 0..<form.colorType.channels { append(form.sample(x, y, channel)) }
        }
      }
    }
    let isDeep = form.depth == 16
    let format: RowFormat =
      switch form.colorType {
      case .grey: isDeep ? .grey16 : .grey8
      case .rgb, .palette: isDeep ? .rgb16 : .rgb8
      case .greyAlpha, .rgba: isDeep ? .rgba16 : .rgba8
      }
    return (format, bytes)
  }

  @Test func everyColorTypeAndDepthIsReadExactly() {
    for form in Self.forms {
      let decoding = decode(form.data())
      let (format, bytes) = expected(form)
      #expect(decoding.error == nil && decoding.isComplete)
      #expect(decoding.layout?.format == format)
      #expect(decoding.header?.hasAlpha == format.hasAlpha)
      #expect(decoding.header?.isProgressive == form.isInterlaced)
      let isExact = decoding.pixels == bytes
      #expect(isExact, "\(form.colorType) of \(form.depth) bits, interlaced: \(form.isInterlaced)")
    }
  }

  @Test func `pieces of any size give the same rows`() {
    for form in Self.forms {
      let data = form.data()
      let complete = decode(data)
      for size in [1, 5, 64] { #expect(decode(data, cut: .pieces(of: size)).isSame(as: complete)) }
      for seed in 0..<4 as Range<UInt64> {
        #expect(decode(data, cut: .random(seed: seed)).isSame(as: complete))
      }
    }
  }

  @Test func aTransparentColorBecomesAlpha() throws {
    var form = PNGFixture(colorType: .palette, depth: 4)
    form.chunks = [("tRNS", [0, 128])]
    let decoding = decode(form.data())
    #expect(decoding.layout?.format == .rgba8 && decoding.header?.hasAlpha == true)
    let alphas = stride(from: 3, to: decoding.pixels.count, by: 4).map { decoding.pixels[$0] }
    let wanted = (0..<form.height).flatMap { y in
      (0..<form.width).map { x in [0: 0, 1: 128][form.sample(x, y, 0)] ?? 255 }
    }
    #expect(alphas == wanted.map { UInt8($0) })
    form = PNGFixture(colorType: .grey, depth: 8)
    form.chunks = [("tRNS", [0, UInt8(form.sample(0, 0, 0))])]
    let grey = decode(form.data())
    #expect(grey.layout?.format == .rgba8 && grey.pixels[3] == 0 && grey.pixels[7] == 255)
  }

  @Test(arguments: [RowFormat.rgb8, .rgba8])
  func `an image is the same after encoding and decoding`(format: RowFormat) throws {
    let bitmap = drawnBitmap(width: 67, height: 53, format: format)
    let decoding = decode(try PNGEncoder.encode(bitmap))
    #expect(decoding.error == nil && decoding.layout?.format == format)
    let isExact = decoding.pixels == bitmap.pixels
    #expect(isExact)
  }

  @Test func `a truncated file gives its rows and then an error`() throws {
    let data = try PNGEncoder.encode(drawnBitmap(width: 67, height: 53))
    let complete = decode(data)
    var counts: Set<Int> = []
    for length in 0..<(data.count - 40) where length.isMultiple(of: 3) {
      let decoding = decode(data.prefix(length), cut: .random(seed: UInt64(length)))
      #expect(decoding.error?.code == .truncated)
      #expect(complete.pixels.starts(with: decoding.pixels))
      counts.insert(decoding.rowCount)
    }
    #expect(counts.count > 10)
    let interlaced = PNGFixture(width: 40, height: 40, isInterlaced: true).data()
    for length in stride(from: 0, to: interlaced.count - 20, by: 11) {
      #expect(decode(interlaced.prefix(length)).error?.code == .truncated)
    }
    #expect(decode(interlaced.prefix(interlaced.count / 2)).rowCount == 40)
  }

  @Test func `a file that lacks only its end chunk is complete`() throws {
    let data = try PNGEncoder.encode(drawnBitmap(width: 67, height: 53))
    let decoding = decode(data.dropLast(12))
    #expect(decoding.error == nil && decoding.isComplete && decoding.pixels == decode(data).pixels)
  }

  @Test func `an end chunk before the last row is an error`() {
    var data = [UInt8](PNGFixture().data().prefix(33))
    // An invalid start of a zlib stream, which libpng treats as the end of the pixels.
    data += PNGFixture.chunk("IDAT", [0, 0xE7, 9, 32, 1]) + PNGFixture.chunk("IEND", [])
    let decoding = decode(Data(data))
    #expect(decoding.error != nil && !decoding.isComplete)
  }

  @Test func `small interlaced images are complete`() {
    for width in 1...9 {
      for height in 1...9 {
        let form = PNGFixture(width: width, height: height, colorType: .grey, isInterlaced: true)
        let decoding = decode(form.data().dropLast(12), cut: .pieces(of: 5))
        let (_, bytes) = expected(form)
        #expect(decoding.error == nil && decoding.pixels == bytes)
      }
    }
  }

  @Test func aWrongChecksumIsCorrupt() {
    var data = PNGFixture().data()
    data[data.count - 13] ^= 1
    let decoding = decode(data)
    #expect(decoding.error?.code == .corrupt)
    #expect(decoding.rowCount == 11)
  }

  @Test func changedFilesNeverTrap() {
    let files = Self.forms.map { $0.data() }
    for seed in 0..<1_000 as Range<UInt64> {
      let data = mutated(files[Int(seed) % files.count], seed: seed)
      _ = decode(data, cut: seed.isMultiple(of: 2) ? .onePiece : .random(seed: seed))
    }
  }

  @Test func `an interlaced image can be shown before it is complete`() throws {
    let data = PNGFixture(width: 40, height: 40, isInterlaced: true).data()
    let consumer = RecordingConsumer()
    let decoder = makeImageDecoder(consumer: consumer, limits: ImageLimits())
    try feed(data.prefix(data.count / 2), cut: .onePiece, to: decoder)
    let viewer = RecordingConsumer()
    let isShown = try decoder.snapshot(into: viewer)
    #expect(isShown && viewer.rowCount == 40 && consumer.rowCount == 0)
    try feed(Data(data.dropFirst(data.count / 2)), cut: .onePiece, to: decoder)
    try decoder.finish()
    #expect(consumer.pixels == decode(data).pixels)
  }

  @Test func `an error from the consumer ends the decoding`() {
    let consumer = RecordingConsumer(stopsAtRow: 4)
    let decoder = makeImageDecoder(consumer: consumer, limits: ImageLimits())
    #expect(throws: ImageError(.cancelled, "stopped")) {
      try feed(PNGFixture().data(), cut: .pieces(of: 9), to: decoder)
    }
    #expect(consumer.rowCount == 4)
  }

  @Test func theOrientationIsRead() {
    var form = PNGFixture()
    form.chunks = [("eXIf", EXIFFixture.tiff(orientation: 8, isLittleEndian: false))]
    #expect(decode(form.data()).header?.orientation == .left)
  }

  @Test func `a gamma without a profile becomes a profile unless it is that of sRGB`() throws {
    var form = PNGFixture()
    form.chunks = [("gAMA", PNGFixture.big(100_000))]
    let profile = try #require(decode(form.data()).header?.profile)
    let color = try #require(ColorProfile.make(profile, for: .rgb8))
    guard case .matrix(let matrix) = color.conversion else {
      Issue.record("not a matrix")
      return
    }
    #expect(abs(matrix.curves[1][128] - 128 / 255) < 0.001)
    form.chunks = [("gAMA", PNGFixture.big(45_455))]
    #expect(decode(form.data()).header?.profile == nil)
    form.chunks = [("sRGB", [0]), ("gAMA", PNGFixture.big(100_000))]
    #expect(decode(form.data()).header?.profile == nil)
  }

  @Test func `data after the end is ignored`() {
    var file = PNGFixture(width: 7, height: 6).data()
    // A chunk with a wrong checksum.
    file += PNGFixture.chunk("IDAT", [1, 2, 3]).dropLast(4) + [0, 0, 0, 0]
    for size in [1, 50, 100_000] {
      let decoding = decode(file, cut: .pieces(of: size))
      #expect(decoding.error == nil && decoding.rowCount == 6)
    }
  }

  @Test func `sizes that are too large are rejected when the header is read`() {
    var data = [UInt8](PNGFixture().data().prefix(8))
    data += PNGFixture.chunk("IHDR", PNGFixture.big(50_000) + PNGFixture.big(50_000) + [8, 6, 0, 0, 1])
    data += PNGFixture.chunk("IDAT", [0x78, 0x01])
    #expect(decode(Data(data)).error?.description.contains("50000 by 50000") == true)
    let interlaced = PNGFixture(width: 100, height: 100, depth: 16, isInterlaced: true)
    #expect(decode(interlaced.data(), limits: ImageLimits(memory: 59_999)).error?.code == .tooLarge)
    #expect(decode(interlaced.data(), limits: ImageLimits(memory: 60_000)).error == nil)
  }

  @Test func `damage after the last row is ignored for pieces of any size`() throws {
    let file = try #require(
      Data(
        base64Encoded: """
          iVBORw0KGgoAAAANSUhEUgAAAAcAAAAGAQAAAAAndbnbAAAABlBMVEUA/wAH/gN5evVPAAAAEUlEQVR4AQEYAOf/AQABAAEAAQACAPXg8zIAtAAS\
          SURBVAEAAeADVnSnAgAA4AGqLjc3NwIAAKoUhAMiZ4GvqgAAAABJRU5ErkJggpkp
          """))
    for cut in [Cut.onePiece, .pieces(of: 1), .pieces(of: 7), .pieces(of: 70)] {
      let decoding = decode(file, cut: cut)
      #expect(decoding.error == nil && decoding.isComplete && decoding.rowCount == 6)
    }
  }

  @Test func `pixels copied from before the first pixel are an error`() throws {
    // Seven by six pixels of 16 bits, all of them copied from before the first pixel.
    let file = try #require(
      Data(
        base64Encoded: """
          iVBORw0KGgoAAAANSUhEUgAAAAcAAAAGEAAAAAB69QfpAAAANElEQVR4ARptZW1vcnkKAAAADRmQSUVORK5CYII=
          """))
    for cut in [Cut.onePiece, .pieces(of: 1)] {
      let decoding = decode(file, cut: cut)
      #expect(decoding.error?.code == .corrupt && decoding.rowCount == 0)
    }
  }

  @Test func `data after the last row is not inflated`() {
    let fixture = PNGFixture(width: 5, height: 3)
    let rows = [UInt8](repeating: 0, count: 3 * 16)
    func stored(_ bytes: [UInt8]) -> [UInt8] {
      let (low, high) = (UInt8(bytes.count & 255), UInt8(bytes.count >> 8))
      return [0, low, high, ~low, ~high] + bytes
    }
    let more = stored([UInt8](repeating: 0, count: 65_535))
    // Invalid data, far after the rows.
    let stream = [0x78, 0x01] + stored(rows) + more + more + more + [0xFF, 0xFF]
    let header = PNGFixture.big(5) + PNGFixture.big(3) + [8, 2, 0, 0, 0]
    var file = Data(fixture.data().prefix(8))
    for (name, data) in [("IHDR", header), ("IDAT", stream), ("IEND", [])] {
      file += PNGFixture.chunk(name, data)
    }
    for cut in [Cut.onePiece, .pieces(of: 100)] {
      let decoding = decode(file, cut: cut)
      #expect(decoding.error == nil)
      #expect(decoding.isComplete && decoding.rowCount == 3)
    }
  }
}
