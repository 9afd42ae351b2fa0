import Foundation
import Testing

@testable import RetrieverImages

/// The boxes of HEIF files: everything up to the coded tiles.
struct HEIFContainerTests {
  private static let expected = decode(HEIFFixture.phone().data())

  private static let arrangements: [(name: String, fixture: HEIFFixture)] = {
    var list: [(String, HEIFFixture)] = []
    func add(_ name: String, _ change: (inout HEIFFixture) -> Void) {
      var fixture = HEIFFixture.phone()
      change(&fixture)
      list.append((name, fixture))
    }
    add("locations of version 2") { $0.locationVersion = 2 }
    add("the description last") { $0.isMetaLast = true }
    add("data in three parts") { $0.parts = 3 }
    add("data in three parts before the description") {
      $0.parts = 3
      $0.isMetaLast = true
    }
    add("boxes with long sizes") { $0.hasOpenSizes = true }
    add("a last box without a size") {
      $0.hasOpenSizes = true
      $0.isMetaLast = true
    }
    add("the grid with the pixels") { $0.items[4].isInMeta = false }
    add("locations of version 0") {
      $0.locationVersion = 0
      $0.items[4].isInMeta = false
    }
    add("tiles in the description") { fixture in
      for index in fixture.items.indices { fixture.items[index].isInMeta = true }
    }
    add("a shared tile") {
      $0.items[3].data = []
      $0.references[0].to = [1, 2, 3, 1]
      $0.items[3] = HEIFFixture.Item(type: "Exif", data: [0, 0, 0, 0])
    }
    return list
  }()

  @Test(arguments: arrangements.map(\.name))
  func `all arrangements of a file give the same pixels`(_ name: String) throws {
    let fixture = try #require(Self.arrangements.first { $0.name == name }).fixture
    for cut in [Cut.onePiece, .pieces(of: 1), .random(seed: 7)] {
      let result = decode(fixture.data(), cut: cut)
      #expect(result.isSame(as: Self.expected), "\(name) \(cut): \(String(describing: result.error))")
    }
  }

  @Test func `a size of a box that is too small or too large is an error`() {
    for size in [1, 7, 0xFFFF_FFFF] {
      var bytes = [UInt8](HEIFFixture.phone().data())
      // The size of the first box in the description, which begins after the brands.
      let place = 24 + 12
      bytes.replaceSubrange(place..<place + 4, with: HEIFFixture.big(size, 4))
      #expect(decode(Data(bytes)).error?.code == .corrupt, "\(size)")
    }
  }

  @Test func `limits are checked before memory is allocated`() {
    let huge = HEIFFixture(width: 60_000, height: 60_000).data()
    #expect(decode(huge).error?.code == .tooLarge)
    let data = HEIFFixture.phone().data()
    #expect(decode(data, limits: ImageLimits(pixels: 11_999)).error?.code == .tooLarge)
    #expect(decode(data, limits: ImageLimits(pixels: 12_000)).error == nil)
    #expect(decode(data, limits: ImageLimits(memory: 10_000)).error?.code == .tooLarge)
    #expect(decode(data, limits: ImageLimits(bytes: 600)).error?.code == .tooLarge)
    let description = HEIFFixture.big(0x7FFF_FFFF, 4) + Array("meta".utf8)
    #expect(decode(data.prefix(24) + description).error?.code == .tooLarge)
  }

  @Test func `the limit of the description applies to one without a size`() {
    let start = HEIFFixture.phone().data().prefix(24) + HEIFFixture.big(0, 4) + Array("meta".utf8)
    let limit = HEIFDecoder.maximumMetaSize
    #expect(decode(start + Data(count: limit)).error?.code != .tooLarge)
    for cut in [Cut.onePiece, .pieces(of: 10_000)] {
      let error = decode(start + Data(count: limit + 1), cut: cut).error
      #expect(error?.code == .tooLarge)
      #expect(error?.description.contains("the maximum is \(limit) bytes") == true)
    }
  }

  @Test func `coded pixels that are larger than the file declares are refused`() {
    for tile in [HEIFFixture.Tile.gradient, .gradientAV1] {
      #expect(decode(HEIFFixture(tile, width: 64, height: 64).data()).error == nil)
      let small = decode(HEIFFixture(tile, width: 48, height: 48).data())
      #expect(small.error == nil || small.error?.code == .corrupt)
      #expect(decode(HEIFFixture(tile, width: 65, height: 64).data()).error?.code == .corrupt)
    }
    let oversized = decode(HEIFFixture(.oversized).data()).error
    #expect(oversized?.code == .corrupt)
    #expect(oversized?.description.contains("sizes are inconsistent") == true)
    #expect(decode(HEIFFixture(width: 1, height: 1).data()).error == nil)
  }

  @Test func `grids that do not match their tiles are errors`() {
    for (width, height) in [(64, 100), (129, 100), (120, 64), (120, 129)] {
      let fixture = HEIFFixture(
        grid: [.red, .red, .red, .red], columns: 2, width: width, height: height)
      #expect(decode(fixture.data()).error?.code == .corrupt, "\(width) \(height)")
    }
    for tiles in [[1, 2, 3], [1, 2, 3, 4, 1], [1, 2, 3, 5], [1, 2, 3, 99]] {
      var fixture = HEIFFixture.phone()
      fixture.references[0].to = tiles
      let code = decode(fixture.data()).error?.code
      #expect(code == .corrupt || code == .unsupported, "\(tiles)")
    }
    var mixed = HEIFFixture.phone()
    mixed.items[2].properties[1] = HEIFFixture.size(32, 64)
    #expect(decode(mixed.data()).error?.code == .corrupt)
  }

  @Test(arguments: ["iovl", "iden", "jpeg", "vvc1"])
  func `unsupported kinds of images are named`(_ type: String) {
    var fixture = HEIFFixture()
    fixture.items[0].type = type
    let error = decode(fixture.data()).error
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains(type) == true)
  }

  @Test func `unsupported features are named, and only those that matter`() {
    let unknown = HEIFFixture.full("abcd", [1, 2, 3])
    let error = decode(HEIFFixture(properties: [unknown]).data()).error
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains("abcd") == true)
    #expect(decode(HEIFFixture(properties: [HEIFFixture.full("pixi", [3, 8, 8, 8])]).data()).error == nil)
    var external = HEIFFixture()
    external.dataReference = 1
    #expect(decode(external.data()).error?.code == .unsupported)
    var nested = HEIFFixture()
    nested.constructionMethod = 2
    #expect(decode(nested.data()).error?.code == .unsupported)
  }

  @Test func `tables that repeat large data take no memory for each repetition`() {
    // A grid whose description is the complete file, 5,000 times.
    var fixture = HEIFFixture.phone()
    fixture.items[4].isInMeta = false
    fixture.parts = 1
    let bytes = [UInt8](fixture.data())
    guard let meta = bytes.indices.first(where: { bytes[$0...].starts(with: "meta".utf8) }) else { return }
    let extents = (0..<5_000).flatMap { _ in HEIFFixture.big(0, 4) + HEIFFixture.big(40_000, 4) }
    let table = HEIFFixture.full(
      "iloc",
      [0x44, 0] + HEIFFixture.big(1, 2) + HEIFFixture.big(5, 2) + HEIFFixture.big(0, 4)
        + HEIFFixture.big(5_000, 2)
        + extents, version: 1)
    // The first table counts.
    let size = bytes[(meta - 4)..<meta].reduce(0) { $0 << 8 | Int($1) } + table.count
    let changed =
      bytes[..<(meta - 4)] + HEIFFixture.big(size, 4) + bytes[meta..<(meta + 8)] + table
      + bytes[(meta + 8)...]
    let code = decode(Data(changed)).error?.code
    #expect(code == .corrupt || code == .tooLarge)
  }

  @Test func `parameter sets that are too large are refused`() {
    var fixture = HEIFFixture()
    var configuration = fixture.items[0].properties[0]
    configuration += [UInt8](repeating: 0, count: 70_000)
    configuration.replaceSubrange(0..<4, with: HEIFFixture.big(configuration.count, 4))
    fixture.items[0].properties[0] = configuration
    #expect(decode(fixture.data()).error?.code == .tooLarge)
  }

  @Test func `a sequence without a still image is named as unsupported`() {
    let start = HEIFFixture.box("ftyp", Array("avis".utf8) + [0, 0, 0, 0] + Array("avis".utf8))
    let file =
      start + HEIFFixture.box("moov", [0, 0, 0, 8, 1, 2, 3, 4]) + HEIFFixture.box("mdat", [1, 2, 3])
    for cut in [Cut.onePiece, .pieces(of: 1)] {
      let error = decode(Data(file), cut: cut).error
      #expect(error?.code == .unsupported)
      #expect(error?.description.contains("sequence") == true)
    }
    #expect(decode(Data(start)).error?.code == .truncated)
  }

  @Test func `an image without data is an error`() {
    for tile in [HEIFFixture.Tile.red, .redAV1] {
      var fixture = HEIFFixture(tile)
      fixture.items[0].data = []
      #expect(decode(fixture.data()).error?.code == .corrupt)
      fixture.items[0].data = [0]
      #expect(decode(fixture.data()).error?.code == .corrupt)
    }
  }

  @Test func `data outside of the file is an error`() {
    var bytes = [UInt8](HEIFFixture().data())
    guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: "iloc".utf8) }) else { return }
    // The offset of the first item, as the table begins with 8 bytes, and the item with 8.
    bytes.replaceSubrange(place + 20..<place + 24, with: [0xFF, 0xFF, 0xFF, 0xF0])
    #expect(decode(Data(bytes)).error?.code == .corrupt)
  }

  @Test func `rotations and mirrorings are combined in their order`() {
    // Follows two pixels of a picture through each step.
    func corners(_ orientation: ImageOrientation) -> [UInt8] {
      let size = PixelSize(width: 2, height: 2)
      let pixels: [UInt8] = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
      return Bitmap(size: size, format: .rgb8, pixels: pixels).upright(from: orientation).pixels
    }
    func apply(_ order: [Int], to pixels: [UInt8]) -> [UInt8] {
      order.flatMap { pixels[(3 * $0)..<(3 * $0 + 3)] }
    }
    for orientation in ImageOrientation.allCases {
      let before = corners(orientation)
      let left = apply([1, 3, 0, 2], to: before)
      #expect(corners(orientation.rotated(quarterTurnsLeft: 1)) == left)
      #expect(corners(orientation.mirrored(swapsSides: true)) == apply([1, 0, 3, 2], to: before))
      #expect(corners(orientation.mirrored(swapsSides: false)) == apply([2, 3, 0, 1], to: before))
    }
  }

  @Test func `the first bytes name the format`() {
    func verdict(_ brands: [String], count: Int = .max) -> ImageSniffer.Verdict {
      var fixture = HEIFFixture()
      fixture.brands = brands
      return [UInt8](fixture.data().prefix(count)).withUnsafeBytes { ImageSniffer.format(of: $0) }
    }
    #expect(verdict(["heic"]) == .format(.heic))
    #expect(verdict(["heix", "mif1"], count: 12) == .format(.heic))
    #expect(verdict(["mif1", "miaf", "heic"]) == .format(.heic))
    #expect(verdict(["mif1", "avif"]) == .format(.avif))
    #expect(verdict(["avis", "msf1"]) == .format(.avif))
    #expect(verdict(["mif1", "heic"], count: 20) == .needsMoreBytes)
    #expect(verdict(["mif1", "abcd"]) == .format(.heic) && verdict(["tmap", "avif"]) == .format(.avif))
    #expect(verdict(["isom", "heic"]) == .unknown)
    #expect(verdict(["mp42", "isom"]) == .unknown)
  }
}
