import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecMetadataTests {
  @Test(arguments: ImageOrientation.allCases, [true, false])
  func `every orientation is read in both byte orders`(orientation: ImageOrientation, isLittleEndian: Bool)
    throws
  {
    for type in [3, 4] {
      let tiff = EXIFFixture.tiff(
        orientation: orientation.rawValue, isLittleEndian: isLittleEndian, type: type)
      let data = JPEGFixture.adding(
        Array("Exif\0\0".utf8) + tiff, marker: 0xE1, to: try JPEGFixture.baseline())
      #expect(decode(data, cut: .pieces(of: 11)).header?.orientation == orientation)
    }
  }

  @Test func `invalid EXIF data means upright`() throws {
    let tiff = EXIFFixture.tiff(orientation: 6, isLittleEndian: true)
    for seed in 0..<2_000 as Range<UInt64> {
      _ = [UInt8](mutated(Data(tiff), seed: seed)).withUnsafeBytes { EXIFOrientation.read($0) }
    }
    for length in 0..<tiff.count {
      _ = Array(tiff.prefix(length)).withUnsafeBytes { EXIFOrientation.read($0) }
    }
    let nine = EXIFFixture.tiff(orientation: 9, isLittleEndian: false)
    #expect(nine.withUnsafeBytes { EXIFOrientation.read($0) } == nil)
    let data = JPEGFixture.adding(Array("Exif\0\0".utf8) + nine, marker: 0xE1, to: try JPEGFixture.baseline())
    #expect(decode(data).header?.orientation == .up)
  }

  @Test func `the segments of a profile are joined in their order`() throws {
    let signature = Array("ICC_PROFILE\0".utf8)
    var data = try JPEGFixture.baseline()
    // Each segment is inserted before the previous one.
    data = JPEGFixture.adding(signature + [2, 3] + [4, 5], marker: 0xE2, to: data)
    data = JPEGFixture.adding(signature + [1, 3] + [1, 2, 3], marker: 0xE2, to: data)
    data = JPEGFixture.adding(signature + [3, 3] + [6], marker: 0xE2, to: data)
    #expect(decode(data).header?.profile == Data([1, 2, 3, 4, 5, 6]))
    let doubled = JPEGFixture.adding(signature + [3, 3] + [6], marker: 0xE2, to: data)
    #expect(decode(doubled).header?.profile == nil)
  }
}
