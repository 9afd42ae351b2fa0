import Foundation
import Testing

@testable import RetrieverImages

/// The copy of an image is turned exactly as the original was.
@Suite(.timeLimit(.minutes(5))) struct StrippedOrientationTests {
  private func expectOrientation(
    _ orientation: ImageOrientation, of data: Data, _ comment: Comment
  ) throws {
    let copy = try StrippedImage(data: data)
    #expect(copy.removed.contains(.exif), comment)
    let result = try copy.data()
    #expect(try ImageHeader.read(data, limits: ImageLimits()).orientation == orientation, comment)
    #expect(try ImageHeader.read(result, limits: ImageLimits()).orientation == orientation, comment)
    #expect(try ImageMetadata(data: data).storedOrientation == orientation, comment)
    #expect(try ImageMetadata(data: result).storedOrientation == orientation, comment)
    #expect(try StrippedImage(data: result).removed.isEmpty, comment)
  }

  @Test func `of several Exif segments of a JPEG, only the first one counts`() throws {
    let turned = JPEGFixture.withEXIF(
      TIFFFixture.camera(orientation: 6).data(), try JPEGFixture.baseline())
    var plain = TIFFFixture()
    plain.main = [(0x0110, .text("K-1"))]
    // Each segment is inserted before the others.
    try expectOrientation(.up, of: JPEGFixture.withEXIF(plain.data(), turned), "without orientation")
    try expectOrientation(.up, of: JPEGFixture.withEXIF(Array("no TIFF data".utf8), turned), "not TIFF")
    let other = TIFFFixture.camera(orientation: 3).data()
    try expectOrientation(.down, of: JPEGFixture.withEXIF(other, turned), "two orientations")
    let minimal = try #require(MinimalEXIF.tiff(.left))
    try expectOrientation(.left, of: JPEGFixture.withEXIF(minimal, turned), "nothing but the orientation")
    let second = JPEGFixture.withEXIF(minimal, try JPEGFixture.baseline())
    try expectOrientation(.up, of: JPEGFixture.withEXIF(plain.data(), second), "the second is minimal")
  }

  @Test func `EXIF data of a WebP counts if it precedes the pixels or is declared`() throws {
    let pixels = try WebPFixture.pixels(drawnBitmap(width: 31, height: 20), isLossless: false)
    func exif(_ orientation: Int) -> [UInt8] {
      WebPFixture.chunk("EXIF", TIFFFixture.camera(orientation: orientation).data())
    }
    func file(_ flags: UInt8, _ chunks: [UInt8]) -> Data {
      WebPFixture.file(WebPFixture.features(flags: flags, width: 31, height: 20) + chunks)
    }
    try expectOrientation(.up, of: file(0, pixels + exif(6)), "after the pixels, not declared")
    try expectOrientation(.right, of: file(0x08, pixels + exif(6)), "after the pixels, declared")
    try expectOrientation(.right, of: file(0, exif(6) + pixels), "before the pixels, not declared")
    try expectOrientation(.right, of: file(0x08, exif(6) + pixels + exif(3)), "two, before and after")
    try expectOrientation(.right, of: file(0, exif(6) + pixels + exif(3)), "two, not declared")
    let empty = WebPFixture.chunk("EXIF", [1, 2])
    try expectOrientation(.up, of: file(0x08, pixels + empty + exif(6)), "the first one is invalid")
    try expectOrientation(.up, of: WebPFixture.file(pixels + exif(6)), "without VP8X")
  }

  @Test(arguments: [1, 3, 6])
  func `an orientation before the pixels of a PNG counts, and not the one after them`(after: Int) throws {
    var form = PNGFixture()
    form.chunks = [("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(XMPFixture.packet.utf8))]
    let plain = form.data()
    let exif = PNGFixture.chunk("eXIf", TIFFFixture.camera(orientation: after).data())
    try expectOrientation(.left, of: plain.dropLast(12) + Data(exif) + plain.suffix(12), "XMP before")
  }

  @Test func `the orientation of an animated WebP is ignored, and stays for other decoders`() throws {
    let data = try WebPFixture.turnedAnimation(orientation: 6)
    try expectOrientation(.up, of: data, "camera data")
    let tiff = try #require(MinimalEXIF.tiff(.right))
    let minimal = try WebPFixture.turnedAnimation(tiff)
    #expect(try StrippedImage(data: data).data() == minimal)
    #expect(try StrippedImage(data: minimal).removed.isEmpty)
    #expect(try StrippedImage(data: minimal).data() == minimal)
  }

  @Test func `a list of orientations is not an orientation`() throws {
    var tiff = TIFFFixture.camera(orientation: 6).data()
    // The count of the value, after its tag and its type.
    let entry = try #require(Data(tiff).range(of: Data([0x12, 0x01, 3, 0, 1, 0, 0, 0])))
    tiff[entry.upperBound - 4] = 2
    let jpeg = JPEGFixture.withEXIF(tiff, try JPEGFixture.baseline())
    try expectOrientation(.up, of: jpeg, "two values")
  }
}
