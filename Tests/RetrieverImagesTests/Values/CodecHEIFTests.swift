import Foundation
import Testing

@testable import RetrieverImages

/// The pixels of HEIC and AVIF images.
@Suite(.timeLimit(.minutes(5)))
struct CodecHEIFTests {
  private func sample(_ result: Decoding, _ x: Int, _ y: Int) -> [Int] {
    guard let layout = result.layout else { return [] }
    let start = (y * layout.size.width + x) * layout.format.channels
    return result.pixels.dropFirst(start).prefix(layout.format.channels).map { Int($0) }
  }

  private func isNear(_ sample: [Int], _ expected: [Int]) -> Bool {
    sample.count == expected.count && zip(sample, expected).allSatisfy { abs($0 - $1) <= 8 }
  }

  @Test(arguments: [ImageFormat.heic, .avif])
  func `the tiles of a grid are at their places, and the last ones are cut off`(_ format: ImageFormat) {
    let red = format == .heic ? HEIFFixture.Tile.red : .redAV1
    let gradient = format == .heic ? HEIFFixture.Tile.gradient : .gradientAV1
    let fixture = HEIFFixture(
      grid: [red, gradient, gradient, red], columns: 2, width: 120, height: 100)
    let result = decode(fixture.data())
    #expect(result.error == nil)
    #expect(result.layout == RowLayout(size: PixelSize(width: 120, height: 100), format: .rgb8))
    #expect(result.header?.format == format)
    #expect(isNear(sample(result, 0, 0), [200, 40, 30]))
    #expect(isNear(sample(result, 63, 63), [200, 40, 30]))
    #expect(isNear(sample(result, 64 + 10, 20), [50, 90, 190]))
    #expect(isNear(sample(result, 119, 40), [185, 150, 145]))
    #expect(isNear(sample(result, 30, 64 + 30), [110, 120, 170]))
    #expect(isNear(sample(result, 119, 99), [200, 40, 30]))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the result does not depend on the pieces`(_ seed: UInt64) {
    var transparent = HEIFFixture(.gradient)
    transparent.addAlpha(.grey)
    for data in [HEIFFixture.phone().data(), transparent.data(), HEIFFixture(.redAV1).data()] {
      let complete = decode(data)
      #expect(complete.error == nil)
      #expect(decode(data, cut: .pieces(of: 1)).isSame(as: complete))
      #expect(decode(data, cut: .random(seed: seed)).isSame(as: complete))
    }
  }

  @Test func `rows are delivered when the tiles of their row are there`() throws {
    let fixture = HEIFFixture.phone()
    let data = fixture.data()
    let lastRow = fixture.items[2].data.count + fixture.items[3].data.count
    let consumer = RecordingConsumer()
    let decoder = makeImageDecoder(consumer: consumer, limits: ImageLimits())
    try feed(data.prefix(data.count - lastRow - 1), cut: .onePiece, to: decoder)
    #expect(consumer.rowCount == 0)
    try feed(data.dropFirst(data.count - lastRow - 1).prefix(1).asData, cut: .onePiece, to: decoder)
    #expect(consumer.rowCount == 64)
    #expect(!decoder.isComplete)
    try feed(data.suffix(lastRow).asData, cut: .onePiece, to: decoder)
    #expect(consumer.rowCount == 100)
    #expect(decoder.isComplete)
  }

  @Test func `a truncated file gives the rows that are there and an error`() {
    let data = HEIFFixture.phone().data()
    let complete = decode(data)
    for count in stride(from: 13, to: data.count, by: 7) {
      let result = decode(data.prefix(count))
      #expect(result.error?.code == .truncated, "\(count)")
      #expect(result.pixels.count <= complete.pixels.count)
      let isBeginning = complete.pixels.starts(with: result.pixels)
      #expect(isBeginning, "\(count)")
    }
    #expect(decode(data.dropLast(1)).rowCount == 64)
  }

  @Test func `a damaged tile gives the rows above it and an error`() {
    var fixture = HEIFFixture.phone()
    fixture.items[3].data = [0, 0, 0, 200, 1]
    let result = decode(fixture.data())
    #expect(result.error?.code == .corrupt)
    #expect(result.rowCount == 64)
  }

  @Test func `the error does not depend on the order in which damaged tiles arrive`() {
    // The first tile of the grid is the second one in the file.
    var fixture = HEIFFixture.phone()
    fixture.references[0].to = [2, 1, 3, 4]
    fixture.items[0].data = [0, 0, 0, 200, 1]
    fixture.items[1] = HEIFFixture(.oversized).items[0]
    var transparent = HEIFFixture(.gradient)
    transparent.addAlpha(.grey)
    // The alpha is before the colors in the file.
    transparent.items.swapAt(0, 1)
    transparent.primary = 2
    transparent.references = [("auxl", 1, [2])]
    transparent.items[0].data = [0, 0, 0, 200, 1]
    transparent.items[1] = HEIFFixture(.oversized).items[0]
    for data in [fixture.data(), transparent.data()] {
      let complete = decode(data)
      #expect(complete.error?.code == .corrupt && complete.rowCount == 0)
      #expect(complete.error?.description.contains("sizes are inconsistent") == true)
      for cut in [Cut.pieces(of: 1), .pieces(of: 7), .random(seed: 1)] {
        #expect(decode(data, cut: cut).isSame(as: complete), "\(cut)")
      }
    }
  }

  @Test(arguments: [HEIFFixture.phone().data(), HEIFFixture(.gradientAV1).data()])
  func `a file with random damage never ends the process, in any pieces`(_ data: Data) {
    let limits = ImageLimits(pixels: 100_000, memory: 8 << 20)
    for seed in 0..<400 as Range<UInt64> {
      let damaged = mutated(data, seed: seed)
      let complete = decode(damaged, limits: limits)
      let pieces = decode(damaged, cut: .random(seed: seed), limits: limits)
      #expect(complete.error?.code == pieces.error?.code, "\(seed)")
      let isSame = complete.pixels == pieces.pixels
      #expect(isSame, "\(seed)")
    }
  }

  @Test func `only the tiles of a crop are decoded`() throws {
    var fixture = HEIFFixture(
      grid: [.red, .gradient, .red, .red, .red, .red], columns: 3, width: 192, height: 128)
    let target = ThumbnailTarget(
      width: 20, height: 20, mode: .fill(focus: ThumbnailTarget.Focus(x: 1, y: 0.5)))
    // The crop is 128 × 128 pixels at the right, so the first column is not needed.
    fixture.items[0].data = [1]
    fixture.items[3].data = [1]
    let decoder = ThumbnailDecoder(targets: [target], limits: ImageLimits())
    try fixture.data().withUnsafeBytes { try decoder.feed($0) }
    #expect(try decoder.finish().first?.size == CGSize(width: 20, height: 20))
    #expect(decode(fixture.data()).error?.code == .corrupt)
  }

  @Test func `the size is known before the pixels arrive, with rotation and crop`() throws {
    let turned = HEIFFixture.phone(properties: [HEIFFixture.rotation(quarterTurnsLeft: 3)]).data()
    let image = try UIImage(validating: turned.prefix(turned.count - 200))
    #expect(image.format == .heic)
    #expect(image.size == CGSize(width: 100, height: 120))
    let cropped = HEIFFixture.phone(properties: [HEIFFixture.crop(width: 50, height: 40, fromMiddle: 5, -10)])
    let complete = decode(HEIFFixture.phone().data())
    let result = decode(cropped.data())
    #expect(result.layout?.size == PixelSize(width: 50, height: 40))
    #expect(sample(result, 0, 0) == sample(complete, 40, 20))
    #expect(sample(result, 49, 39) == sample(complete, 89, 59))
    let outside = HEIFFixture.phone(properties: [HEIFFixture.crop(width: 50, height: 40, fromMiddle: 50, 0)])
    #expect(decode(outside.data()).error?.code == .corrupt)
  }

  @Test func `alpha is applied, and colors are divided by it if they are premultiplied`() {
    for (red, grey) in [(HEIFFixture.Tile.red, HEIFFixture.Tile.grey), (HEIFFixture.Tile.redAV1, .greyAV1)] {
      var fixture = HEIFFixture(red)
      fixture.addAlpha(grey)
      let straight = decode(fixture.data())
      #expect(straight.error == nil)
      #expect(straight.header?.hasAlpha == true)
      #expect(straight.layout?.format == .rgba8)
      #expect(isNear(sample(straight, 30, 30), [200, 40, 30, 128]))
      fixture = HEIFFixture(red)
      fixture.addAlpha(grey, isPremultiplied: true)
      #expect(isNear(sample(decode(fixture.data()), 30, 30), [255, 80, 60, 128]))
    }
  }

  @Test func `a monochrome picture gives gray rows`() {
    for tile in [HEIFFixture.Tile.grey, .greyAV1] {
      let result = decode(HEIFFixture(tile).data())
      #expect(result.layout?.format == .grey8)
      #expect(isNear(sample(result, 1, 1), [128]))
    }
  }

  @Test func `a monochrome picture with alpha has the colors that the file states`() throws {
    let grey = try #require(ColorProfile.data(exponent: 1, chromaticities: nil, of: .grey))
    let colors = try #require(ColorProfile.data(exponent: 1, chromaticities: nil, of: .rgb))
    let linear = HEIFFixture.colors(primaries: 1, transfer: 8, matrix: 6)
    for tile in [HEIFFixture.Tile.grey, .greyAV1] {
      // Some encoders keep a profile for RGB.
      for property in [linear, HEIFFixture.profile([UInt8](grey)), HEIFFixture.profile([UInt8](colors))] {
        var fixture = HEIFFixture(tile, properties: [property])
        fixture.addAlpha(tile)
        let bitmap = try #require(UIImage(data: fixture.data())).bitmap()
        #expect(bitmap.format == .rgba8)
        // Half of the light has the sample 188.
        #expect(isNear(bitmap.pixels.prefix(4).map { Int($0) }, [188, 188, 188, 128]))
      }
    }
  }

  @Test func `unsupported matrix coefficients are named`() {
    let colors = HEIFFixture.colors(primaries: 1, transfer: 13, matrix: 14)
    let error = decode(HEIFFixture(properties: [colors]).data()).error
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains("14") == true)
  }

  @Test func `a missing library is named`() {
    #expect(
      CodedTile.missingLibrary(named: "HEIC").description
        == "This is a HEIC image; install libde265-0 to decode it.")
    #expect(
      CodedTile.missingLibrary(named: "AVIF").description.hasPrefix("This is an AVIF image; install libdav1d")
    )
  }
}

extension Data {
  /// The same bytes, with indices from 0 on.
  fileprivate var asData: Data { Data(self) }
}
