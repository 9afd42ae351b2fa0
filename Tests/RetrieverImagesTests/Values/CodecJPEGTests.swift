import CImageCodecs
import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecJPEGTests {
  @Test(arguments: [RowFormat.grey8, .rgb8, .cmyk8])
  func `an image is nearly the same after encoding and decoding`(format: RowFormat) throws {
    let decoding = decode(try JPEGFixture.form(format))
    #expect(decoding.error == nil)
    #expect(decoding.layout?.format == format)
    let drawn = drawnPixels(size: PixelSize(width: 67, height: 53), format: format)
    let (maximum, mean) = difference(decoding.pixels, drawn)
    #expect(mean < 2.5 && maximum < 64)
  }

  @Test func `inks are stored inverted, also without Adobe's marker`() throws {
    let data = try JPEGFixture.form(.cmyk8)
    let marker = try #require(data.range(of: Data([0xFF, 0xEE, 0, 14])))
    var plain = data
    plain.removeSubrange(marker.lowerBound..<marker.lowerBound + 16)
    // Without the marker, the first three channels are not luma and chroma.
    let drawn = decode(data)
    let decoding = decode(plain)
    #expect(decoding.error == nil && decoding.rowCount == drawn.rowCount)
    let blacks = stride(from: 3, to: drawn.pixels.count, by: 4)
    #expect(blacks.allSatisfy { decoding.pixels[$0] == drawn.pixels[$0] })
  }

  @Test func `a progressive image has the same rows as a baseline image`() throws {
    let baseline = decode(try JPEGFixture.baseline())
    let progressive = decode(try JPEGFixture.progressive())
    #expect(baseline.header?.isProgressive == false && progressive.header?.isProgressive == true)
    #expect(baseline.pixels.count == 67 * 53 * 3 && baseline.pixels == progressive.pixels)
    #expect(progressive.isComplete && baseline.isComplete)
  }

  @Test(arguments: [false, true]) func `pieces of any size give the same rows`(isProgressive: Bool) throws {
    let data = try isProgressive ? JPEGFixture.progressive() : JPEGFixture.baseline()
    let complete = decode(data)
    #expect(complete.error == nil && complete.rowCount == 53)
    for size in [1, 2, 7, 100] {
      #expect(decode(data, cut: .pieces(of: size)).isSame(as: complete))
    }
    for seed in 0..<10 as Range<UInt64> {
      #expect(decode(data, cut: .random(seed: seed)).isSame(as: complete))
    }
  }

  @Test func `restart markers do not change the pixels`() throws {
    let plain = decode(try JPEGFixture.form(.rgb8))
    let restarting = decode(try JPEGFixture.form(.rgb8, restartInterval: 2), cut: .pieces(of: 3))
    #expect(restarting.error == nil && plain.pixels == restarting.pixels)
  }

  @Test(arguments: [
    (wanted: 67, width: 67), (34, 34), (35, 67), (17, 34), (16, 34), (15, 17), (9, 17), (1, 17), (500, 67),
  ])
  func `the smallest sufficient scale with fast code is used`(wanted: Int, width: Int) throws {
    let decoding = decode(
      try JPEGFixture.baseline(), wanted: PixelSize(width: wanted, height: 1))
    #expect(decoding.error == nil)
    #expect(decoding.layout?.size.width == width)
    #expect(decoding.rowCount == decoding.layout?.size.height)
  }

  @Test func `bytes after the end of the image do not change the scale`() throws {
    // Few bytes per pixel: with the bytes after the end, there are many.
    let data = try JPEGFixture.baseline(width: 640, height: 480)
    let small = decode(data, wanted: PixelSize(width: 80, height: 60))
    #expect(small.layout?.size.width == 160)
    for cut in [Cut.onePiece, .pieces(of: 1_000)] {
      let longer = decode(
        data + Data(repeating: 7, count: 200_000), cut: cut, wanted: PixelSize(width: 80, height: 60))
      #expect(longer.isSame(as: small))
    }
  }

  @Test(
    arguments: [
      (JPEGFixture.progressive, 34), ({ try JPEGFixture.form(.cmyk8, width: $0, height: $1) }, 34),
      ({ try JPEGFixture.form(.grey8, width: $0, height: $1) }, 17),
    ] as [(@Sendable (Int, Int) throws -> Data, Int)])
  func `an image that libjpeg decodes is scaled to a half at most`(
    make: @Sendable (Int, Int) throws -> Data, width: Int
  ) throws {
    let decoding = decode(try make(67, 53), wanted: PixelSize(width: 1, height: 1))
    #expect(decoding.error == nil && decoding.layout?.size.width == width)
  }

  @Test func `at a quarter, fine patterns are as bright as their light`() throws {
    let size = PixelSize(width: 64, height: 64)
    func gray(_ value: (Int, Int) -> UInt8) throws -> [UInt8] {
      let pixels = (0..<64 * 64).map { value($0 % 64, $0 / 64) }
      var form = codec_jpeg_encoding()
      form.quality = 100
      let data = try JPEGEncoder.encode(pixels, size: size, format: .grey8, as: form)
      return decode(data, wanted: PixelSize(width: 12, height: 12)).pixels
    }
    // Half of the light of white is 188 in sRGB; the mean of the samples is 128.
    let squares = try gray { ($0 + $1).isMultiple(of: 2) ? 255 : 0 }
    #expect(squares.count == 16 * 16 && squares.allSatisfy { abs(Int($0) - 188) <= 4 })
    let stripes = try gray { x, _ in x.isMultiple(of: 2) ? 200 : 100 }
    #expect(stripes.allSatisfy { abs(Int($0) - 160) <= 3 })
    // What is visible at a quarter keeps its samples.
    let large = try gray { x, _ in x / 16 % 2 == 0 ? 240 : 20 }
    #expect(difference(large, (0..<256).map { $0 % 16 / 4 % 2 == 0 ? 240 : 20 }).maximum <= 2)
  }

  @Test(arguments: [false, true])
  func `a truncated file gives its rows and then an error`(isProgressive: Bool) throws {
    let data = try isProgressive ? JPEGFixture.progressive() : JPEGFixture.baseline()
    let complete = decode(data)
    var fewest = Int.max
    for length in stride(from: data.count - 3, through: 0, by: -7) {
      let decoding = decode(data.prefix(length), cut: .random(seed: UInt64(length)))
      #expect(decoding.error?.code == .truncated)
      #expect(decoding.rowCount <= fewest || isProgressive)
      if !isProgressive { #expect(complete.pixels.starts(with: decoding.pixels)) }
      fewest = min(fewest, decoding.rowCount)
    }
    #expect(fewest == 0)
    #expect(decode(data.prefix(data.count - 40)).rowCount > 0)
  }

  @Test(arguments: [false, true])
  func `a file that lacks only its end marker is complete`(isProgressive: Bool) throws {
    let data = try isProgressive ? JPEGFixture.progressive() : JPEGFixture.baseline()
    let decoding = decode(data.dropLast(2))
    #expect(decoding.error == nil && decoding.isComplete)
    #expect(decoding.pixels == decode(data).pixels)
  }

  @Test func `damaged data gives rows and then an error`() throws {
    var data = try JPEGFixture.form(.rgb8, restartInterval: 2)
    // A restart marker out of order: libjpeg reports a warning and continues.
    let marks = data.indices.dropLast().filter { data[$0] == 0xFF && data[$0 + 1] == 0xD3 }
    let mark = try #require(marks.first)
    data[mark + 1] = 0xD5
    let decoding = decode(data)
    #expect(decoding.error?.code == .corrupt)
    #expect(decoding.rowCount == 53)
    #expect(decoding.error?.description.contains("Corrupt JPEG data") == true)
  }

  @Test func changedFilesNeverTrap() throws {
    let files = [
      try JPEGFixture.baseline(), try JPEGFixture.progressive(),
      try JPEGFixture.form(.cmyk8, restartInterval: 3),
      try JPEGFixture.form(.grey8),
    ]
    let limits = ImageLimits(pixels: 1_000_000)
    for seed in 0..<600 as Range<UInt64> {
      let data = mutated(files[Int(seed) % files.count], seed: seed)
      _ = decode(data, cut: seed.isMultiple(of: 2) ? .onePiece : .random(seed: seed), limits: limits)
    }
  }

  @Test func `a progressive image can be shown before it is complete`() throws {
    let data = try JPEGFixture.progressive()
    let complete = decode(data)
    let consumer = RecordingConsumer()
    let decoder = makeImageDecoder(consumer: consumer, limits: ImageLimits())
    var shown: [Double] = []
    var offset = 0
    while offset < data.count {
      try feed(Data(data[offset..<min(offset + 40, data.count)]), cut: .onePiece, to: decoder)
      offset += 40
      let viewer = RecordingConsumer()
      guard try decoder.snapshot(into: viewer) else { continue }
      #expect(viewer.rowCount == 53)
      shown.append(difference(viewer.pixels, complete.pixels).mean)
    }
    try decoder.finish()
    #expect(consumer.pixels == complete.pixels)
    let first = try #require(shown.first)
    let last = try #require(shown.last)
    #expect(shown.count > 5 && last < first)
  }

  @Test func `a failed snapshot does not affect the decoding`() throws {
    let data = try JPEGFixture.progressive()
    let consumer = RecordingConsumer()
    let decoder = makeImageDecoder(consumer: consumer, limits: ImageLimits())
    try feed(data.prefix(data.count * 3 / 4), cut: .onePiece, to: decoder)
    #expect(throws: ImageError(.cancelled, "stopped")) {
      try decoder.snapshot(into: RecordingConsumer(stopsAtRow: 5))
    }
    try feed(Data(data.dropFirst(data.count * 3 / 4)), cut: .onePiece, to: decoder)
    try decoder.finish()
    #expect(consumer.pixels == decode(data).pixels)
  }

  @Test func `a baseline image has no snapshot`() throws {
    let decoder = makeImageDecoder(consumer: RecordingConsumer(), limits: ImageLimits())
    try feed(try JPEGFixture.baseline().prefix(800), cut: .onePiece, to: decoder)
    let isShown = try decoder.snapshot(into: RecordingConsumer())
    #expect(!isShown)
  }

  @Test func `too many scans are rejected`() throws {
    // Repeats the last scan before the end marker.
    let data = try JPEGFixture.progressive(width: 16, height: 16)
    let starts = data.indices.dropLast().filter { data[$0] == 0xFF && data[$0 + 1] == 0xDA }
    let start = try #require(starts.last)
    let scan = data[start..<(data.endIndex - 2)]
    let bomb =
      data.prefix(upTo: start) + (0..<600).reduce(into: Data()) { all, _ in all += scan } + data.suffix(2)
    #expect(decode(bomb).error?.code == .tooLarge)
  }

  @Test func `an error from the consumer ends the decoding permanently`() throws {
    let consumer = RecordingConsumer(stopsAtRow: 10)
    let decoder = makeImageDecoder(consumer: consumer, limits: ImageLimits())
    let data = try JPEGFixture.baseline()
    #expect(throws: ImageError(.cancelled, "stopped")) { try feed(data, cut: .pieces(of: 50), to: decoder) }
    #expect(throws: ImageError(.cancelled, "stopped")) { try decoder.finish() }
    #expect(consumer.rowCount == 10)
  }

  @Test func `only a limited number of segments is kept`() throws {
    let data = try JPEGFixture.baseline()
    let turned = JPEGFixture.adding(
      Array("Exif\0\0".utf8) + EXIFFixture.tiff(orientation: 6, isLittleEndian: true), marker: 0xE1, to: data)
    // libjpeg walks over all kept segments to add another. A million of them would take hours.
    for (count, isFound) in [(2_000, true), (2_100, false)] {
      let empty = (0..<count).reduce(into: Data()) { all, _ in all += [0xFF, 0xE1, 0, 2] }
      let decoding = decode(turned.prefix(2) + empty + turned.dropFirst(2), cut: .pieces(of: 1_000))
      #expect(decoding.error == nil && decoding.rowCount == 53)
      #expect(decoding.header?.orientation == (isFound ? .right : .up))
    }
  }
}
