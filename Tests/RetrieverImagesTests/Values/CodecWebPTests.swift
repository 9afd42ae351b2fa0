import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecWebPTests {
  private static let forms: [(format: RowFormat, isLossless: Bool)] = [
    (.rgb8, false), (.rgb8, true), (.rgba8, false), (.rgba8, true),
  ]

  @Test func `an image is the same or nearly the same after encoding and decoding`() throws {
    for (format, isLossless) in Self.forms {
      let bitmap = drawnBitmap(width: 67, height: 53, format: format)
      let decoding = decode(try WebPEncoder.encode(bitmap, quality: 0.9, isLossless: isLossless))
      #expect(decoding.error == nil && decoding.isComplete && decoding.layout?.format == format)
      if isLossless {
        let isExact = difference(decoding.pixels, bitmap.pixels).maximum == 0
        // Transparent pixels may have any color.
        #expect(isExact || format == .rgba8)
      } else {
        #expect(difference(decoding.pixels, bitmap.pixels).mean < 4)
      }
    }
  }

  @Test func `pieces of any size give the same rows`() throws {
    var files = [try WebPFixture.animation()]
    for (format, isLossless) in Self.forms {
      let bitmap = drawnBitmap(width: 67, height: 53, format: format)
      files.append(try WebPEncoder.encode(bitmap, quality: 0.9, isLossless: isLossless))
    }
    for data in files {
      let complete = decode(data)
      #expect(complete.error == nil && complete.rowCount > 0)
      for size in [1, 7, 300] {
        let decoding = decode(data, cut: .pieces(of: size))
        #expect(decoding.pixels == complete.pixels && decoding.error == nil)
        #expect(decoding.finalHeader == complete.finalHeader)
      }
      for seed in 0..<5 as Range<UInt64> {
        #expect(decode(data, cut: .random(seed: seed)).pixels == complete.pixels)
      }
    }
  }

  /// Returns a lossless file in which all pixels have the same color, so that they need no bits.
  private func plainFile(width: Int, height: Int, red: UInt64, green: UInt64, blue: UInt64) -> Data {
    var bits: UInt64 = 0
    var count: UInt64 = 0
    func add(_ value: UInt64, _ size: UInt64) {
      bits |= value << count
      count += size
    }
    add(UInt64(width - 1), 14)
    add(UInt64(height - 1), 14)
    add(0, 4)  // no alpha, version 0
    add(0, 3)  // no transform, no cache, one set of codes
    // Each code has a single symbol of one bit: green, red, blue, alpha, distance.
    for symbol in [green, red, blue, 0, 0] { add(1 | symbol << 3, 4) }
    let payload = [0x2F] + (0..<7).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    return WebPFixture.file(WebPFixture.chunk("VP8L", payload))
  }

  @Test func `a lossless file of 28 bytes is read`() {
    let file = plainFile(width: 3, height: 2, red: 1, green: 0, blue: 1)
    #expect(file.count == 28)
    for cut in [Cut.onePiece, .pieces(of: 1)] {
      let decoding = decode(file, cut: cut)
      #expect(decoding.error == nil && decoding.isComplete, "\(decoding.error?.description ?? "")")
      #expect(decoding.layout?.size == PixelSize(width: 3, height: 2))
      #expect(decoding.pixels == Array(repeatElement([1, 0, 1], count: 6).joined()))
    }
  }

  @Test func `the first frame of an animation is drawn on its canvas`() throws {
    let decoding = decode(try WebPFixture.animation())
    #expect(decoding.header?.size == PixelSize(width: 50, height: 40))
    #expect(decoding.finalHeader?.frameCount == 2 && decoding.header?.hasAlpha == true)
    #expect(decoding.rowCount == 40 && decoding.isComplete)
    #expect(decoding.pixels[..<(4 * 50 * 4)].allSatisfy { $0 == 0 })
    let drawn = drawnBitmap(width: 30, height: 20, format: .rgba8).pixels
    let start = (14 * 50 + 6) * 4
    let row = Array(decoding.pixels[start..<(start + 120)])
    #expect(difference(row, Array(drawn[(10 * 120)..<(11 * 120)])).mean < 8)
    #expect(decode(try WebPFixture.animation(), limits: ImageLimits(frames: 1)).error?.code == .tooLarge)
  }

  @Test(arguments: [0x02, 0] as [UInt8])
  func `chunks outside of a frame are not part of it`(flags: UInt8) throws {
    let features = WebPFixture.features(flags: flags, width: 30, height: 20)
    let still = try WebPFixture.pixels(drawnBitmap(width: 30, height: 20), isLossless: true)
    let frame = { WebPFixture.frame(left: 0, top: 0, width: 30, height: 20, pixels: $0) }
    let other = WebPFixture.chunk("PRIV", [1, 2, 3])
    let exif = WebPFixture.chunk("EXIF", EXIFFixture.tiff(orientation: 6, isLittleEndian: true))
    for cut in [Cut.onePiece, .pieces(of: 1)] {
      let empty = decode(WebPFixture.file(features + frame(other) + still), cut: cut)
      #expect(empty.error?.description == "The WebP image is damaged: its first frame has no pixels.")
      #expect(empty.rowCount == 0)
      // What a frame holds besides its pixels belongs to no image.
      let nested = decode(WebPFixture.file(features + frame(exif + frame(other) + still + exif)), cut: cut)
      #expect(nested.error == nil && nested.rowCount == 20 && nested.finalHeader?.orientation == .up)
      #expect(nested.finalHeader?.frameCount == 1)
    }
  }

  @Test func `a frame after the pixels of a still image has no effect`() throws {
    let still = try WebPFixture.pixels(drawnBitmap(width: 30, height: 20), isLossless: true)
    let features = WebPFixture.features(flags: 0, width: 30, height: 20)
    let plain = decode(WebPFixture.file(features + still))
    let long = decode(WebPFixture.file(features + still + WebPFixture.chunk("ANMF", [1, 2, 3])))
    #expect(long.error == nil && long.pixels == plain.pixels && long.rowCount == 20)
  }

  @Test func orientationAndProfileAreRead() throws {
    let bitmap = drawnBitmap(width: 31, height: 20)
    let pixels = try WebPFixture.pixels(bitmap, isLossless: false)
    let exif = WebPFixture.chunk("EXIF", EXIFFixture.tiff(orientation: 6, isLittleEndian: true))
    let profile = WebPFixture.chunk("ICCP", [1, 2, 3])
    let features = WebPFixture.features(flags: 0x28, width: 31, height: 20)
    for size in [1, 40, 10_000] {
      let decoding = decode(WebPFixture.file(features + profile + pixels + exif), cut: .pieces(of: size))
      #expect(decoding.error == nil && decoding.rowCount == 20)
      #expect(decoding.header?.orientation == .right && decoding.header?.profile == Data([1, 2, 3]))
    }
    let without = decode(WebPFixture.file(features + profile + pixels))
    #expect(without.header?.orientation == .up && without.rowCount == 20)
  }

  @Test func `a truncated file gives its rows and then an error`() throws {
    for (format, isLossless) in Self.forms {
      var bitmap = drawnBitmap(width: 90, height: 80, format: format)
      var random = SeededGenerator(seed: 1)
      for index in bitmap.pixels.indices { bitmap.pixels[index] ^= UInt8.random(in: 0..<4, using: &random) }
      let data = try WebPEncoder.encode(bitmap, quality: 0.9, isLossless: isLossless)
      let complete = decode(data)
      var maximum = 0
      for length in stride(from: 0, to: data.count - 40, by: 13 + data.count / 60) {
        let decoding = decode(data.prefix(length), cut: .random(seed: UInt64(length)))
        #expect(decoding.error?.code == .truncated)
        let isStart = decoding.pixels == Array(complete.pixels.prefix(decoding.pixels.count))
        #expect(isStart)
        maximum = max(maximum, decoding.rowCount)
      }
      #expect(maximum > 0, "\(format), lossless: \(isLossless), \(data.count) bytes")
    }
  }

  @Test func changedFilesNeverTrap() throws {
    var files = [try WebPFixture.animation()]
    for (format, isLossless) in Self.forms {
      files.append(
        try WebPEncoder.encode(
          drawnBitmap(width: 40, height: 30, format: format), quality: 0.9, isLossless: isLossless))
    }
    for seed in 0..<1_000 as Range<UInt64> {
      let data = mutated(files[Int(seed) % files.count], seed: seed)
      let limits = ImageLimits(pixels: 1_000_000)
      _ = decode(data, cut: seed.isMultiple(of: 2) ? .onePiece : .random(seed: seed), limits: limits)
    }
  }

  @Test func `sizes that are too large are rejected when the header is read`() throws {
    let features = WebPFixture.features(flags: 0, width: 1 << 24, height: 1 << 24)
    let decoding = decode(WebPFixture.file(features))
    #expect(decoding.error?.description.contains("16777216 by 16777216") == true)
    let data = try WebPEncoder.encode(drawnBitmap(width: 100, height: 100), quality: 0.5, isLossless: true)
    #expect(decode(data, limits: ImageLimits(pixels: 9_999)).error?.code == .tooLarge)
    #expect(decode(data, limits: ImageLimits(memory: 69_999)).error?.code == .tooLarge)
    #expect(decode(data, limits: ImageLimits(pixels: 10_000, memory: 70_000)).error == nil)
  }
}
