import Foundation
import Testing

@testable import RetrieverImages

@Suite struct PNGOrientationTests {
  private static let tiff = EXIFFixture.tiff(orientation: 6, isLittleEndian: true)

  private static var rawProfile: [UInt8] {
    let bytes = Array("Exif\0\0".utf8) + tiff
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return Array("\nexif\n      \(bytes.count)\n\(digits.prefix(72))\n\(digits.dropFirst(72))\n".utf8)
  }

  private static let packet = Array(XMPFixture.packet.utf8)

  private func png(_ chunks: [(name: String, data: [UInt8])]) -> Data {
    var form = PNGFixture()
    form.chunks = chunks
    return form.data()
  }

  /// Returns the file with a chunk between the pixels and IEND.
  private func png(last name: String, _ data: [UInt8]) -> Data {
    let plain = PNGFixture().data()
    return plain.dropLast(12) + Data(PNGFixture.chunk(name, data)) + plain.suffix(12)
  }

  private static let places: [(name: String, data: [UInt8], orientation: ImageOrientation)] = [
    ("eXIf", tiff, .right),
    ("tEXt", Array("Raw profile type exif\0".utf8) + rawProfile, .right),
    ("zTXt", Array("Raw profile type exif\0\0".utf8) + PNGFixture.deflated(rawProfile), .right),
    ("zTXt", Array("Raw profile type APP1\0\0".utf8) + PNGFixture.deflated(rawProfile), .right),
    ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + packet, .left),
    ("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0en\0XMP\0".utf8) + PNGFixture.deflated(packet), .left),
  ]

  @Test(arguments: places.indices) func `each place is read before the pixels, in pieces of any size`(
    index: Int
  ) {
    let place = Self.places[index]
    let data = png([(place.name, place.data)])
    for cut in [Cut.onePiece, .pieces(of: 1), .pieces(of: 7)] {
      #expect(decode(data, cut: cut).header?.orientation == place.orientation)
    }
    #expect(UIImage(data: data)?.size == CGSize(width: 11, height: 13))
  }

  @Test(arguments: places.indices) func `each place is read after the pixels of a complete file`(index: Int)
    throws
  {
    let place = Self.places[index]
    let image = try #require(UIImage(data: png(last: place.name, place.data)))
    let expected = try #require(UIImage(data: png([(place.name, place.data)])))
    #expect(image.imageOrientation == expected.imageOrientation && image.size == expected.size)
    #expect(try image.bitmap().pixels == expected.bitmap().pixels)
    let target = ThumbnailTarget(width: 5, height: 9)
    let thumbnails = try [image, expected].map { try $0.decoded(to: target, flag: CancellationFlag()) }
    #expect(try thumbnails[0].bitmap().pixels == thumbnails[1].bitmap().pixels)
  }

  @Test func `what follows the pixels is known at the end of the file, however it is cut`() {
    let data = png(last: "eXIf", Self.tiff)
    for cut in [Cut.onePiece, .pieces(of: 1), .pieces(of: 50)] {
      let result = decode(data, cut: cut)
      #expect(result.header?.orientation == .up && result.finalHeader?.orientation == .right)
    }
    // An orientation before the pixels takes precedence.
    var both = PNGFixture()
    both.chunks = [("eXIf", EXIFFixture.tiff(orientation: 3, isLittleEndian: true))]
    let plain = both.data()
    let file = plain.dropLast(12) + Data(PNGFixture.chunk("eXIf", Self.tiff)) + plain.suffix(12)
    #expect(decode(file).finalHeader?.orientation == .down)
  }

  @Test func `damage in the pixels hides what follows them, however it is cut`() {
    var data = png(last: "eXIf", Self.tiff)
    let pixels = data.range(of: Data("IDAT".utf8))?.upperBound ?? 0
    data[pixels] ^= 0xFF
    for cut in [Cut.onePiece, .pieces(of: 1), .pieces(of: 50)] {
      let result = decode(data, cut: cut)
      #expect(result.error != nil && result.finalHeader?.orientation == .up)
    }
  }

  @Test(arguments: ImageOrientation.allCases)
  func `thumbnails are turned when the orientation follows the pixels`(orientation: ImageOrientation) throws {
    let exif = EXIFFixture.tiff(orientation: orientation.rawValue, isLittleEndian: true)
    let data = png(last: "eXIf", exif)
    for target in [
      nil, ThumbnailTarget(width: 8, height: 8), ThumbnailTarget(width: 6, height: 4, mode: .stretch),
      ThumbnailTarget(width: 6, height: 4, mode: .fill(focus: ThumbnailTarget.Focus(x: 0, y: 0))),
    ] {
      let expected = ThumbnailDecoder(targets: [target], limits: ImageLimits(), orientation: orientation)
      try data.withBytes { (bytes) throws(ImageError) in try expected.feed(bytes) }
      let decoder = ThumbnailDecoder(targets: [target], limits: ImageLimits())
      for byte in data {
        try Data([byte]).withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
      }
      let images = try (expected.finish(), decoder.finish())
      #expect(expected.lateOrientation == nil)
      if let late = decoder.lateOrientation {
        #expect(late == orientation && target != nil, "another size or part")
      } else {
        #expect(images.0[0].pixels == images.1[0].pixels && images.0[0].size == images.1[0].size)
      }
    }
  }

  @Test func `EXIF data takes precedence over ImageMagick's profile, and that over XMP`() {
    let upright = EXIFFixture.tiff(orientation: 1, isLittleEndian: false)
    let chunks = [Self.places[4], Self.places[2]].map { (name: $0.name, data: $0.data) }
    #expect(decode(png(chunks)).header?.orientation == .right)
    #expect(decode(png(chunks + [("eXIf", upright)])).header?.orientation == .up)
    #expect(UIImage(data: png(chunks + [("eXIf", upright)]))?.imageOrientation == .up)
  }

  @Test func `many texts before the orientation do not hide it`() {
    let texts = (0..<50).map { (name: "tEXt", data: Array("date:\($0)\0today".utf8)) }
    #expect(decode(png(texts + [("eXIf", Self.tiff)])).header?.orientation == .right)
  }

  @Test func `damaged and huge texts mean upright`() {
    let bomb = PNGFixture.deflated([UInt8](repeating: 0x20, count: PNGText.maximumBytes + 1))
    for data in [
      [], Array("Raw profile type exif\0\0".utf8) + bomb, Array("Raw profile type exif\0\0x".utf8),
    ] {
      #expect(decode(png([("zTXt", data)])).header?.orientation == .up)
    }
    for text in [
      "", "\nexif\n", "\nexif\n 99999999999999999999\n00", "\nexif\n 4\n4949zz00\n", "exif\n4\n49\n",
    ] {
      #expect(ImageMagickProfile.decode(text.utf8) == nil, "\(text)")
    }
    #expect(ImageMagickProfile.decode("\nexif\n  2\n4 9\n4A".utf8) == [0x49, 0x4A])
  }
}
