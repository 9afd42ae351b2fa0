import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct GainMapTests {
  @Test(arguments: [(true, true), (true, false), (false, true)])
  func `an Ultra HDR gain map is found by its index or its container`(hasIndex: Bool, hasContainer: Bool)
    throws
  {
    let fixture = try GainMapFixture(hasIndex: hasIndex, hasContainer: hasContainer)
    let map = try #require(try ImageMetadata(data: fixture.data).gainMap)
    #expect(map.kind == .ultraHDR && map.data == fixture.map && map.headroom == nil)
    #expect(map.pixelWidth == 20 && map.pixelHeight == 16)
    let parameters = try #require(map.parameters)
    #expect(parameters.version == "1.0" && !parameters.baseImageIsHDR)
    #expect(parameters.minimum == [0] && parameters.maximum == [2.5] && parameters.gamma == [1, 1.1, 1.2])
    #expect(parameters.offsetSDR == [1 / 64] && parameters.offsetHDR == [1 / 64])
    #expect(parameters.capacityMinimum == 0 && parameters.capacityMaximum == 2.5)
  }

  @Test func `another image in the same file is not a gain map`() throws {
    let fixture = try GainMapFixture(XMPFixture.packet)
    #expect(try ImageMetadata(data: fixture.data).gainMap == nil)
    let stripped = try StrippedImage(data: fixture.data)
    #expect(stripped.removed.contains(.otherData))
    #expect(try decode(stripped.data()).pixels == decode(fixture.data).pixels)
    #expect(stripped.byteCount < fixture.data.count - fixture.map.count)
  }

  @Test func `an index that refers to the first image itself is ignored`() throws {
    let fixture = try GainMapFixture(hasContainer: false)
    var data = fixture.data
    let index = try #require(data.range(of: Data("MPF\0".utf8)))
    // A comment after the index looks like a gain map, and the index refers to it.
    let end = index.lowerBound - 4 + MultiPictureIndex.segmentSize
    let comment = [0xFF, 0xFE] + BigEndian.bytes(fixture.map.count + 2, 2) + Array(fixture.map)
    data.insert(contentsOf: comment, at: end)
    let entry = index.upperBound + 50 + 16
    data.replaceSubrange(entry + 8..<entry + 12, with: BigEndian.bytes(end + 4 - index.upperBound, 4))
    #expect(try ImageMetadata(data: data).gainMap == nil)
    let result = try StrippedImage(data: data).data()
    #expect(decode(result).pixels == decode(data).pixels)
  }

  @Test func `stripping keeps a gain map and its values, and corrects its place`() throws {
    for (hasIndex, hasContainer) in [(true, true), (true, false), (false, true)] {
      let fixture = try GainMapFixture(hasIndex: hasIndex, hasContainer: hasContainer)
      let original = try #require(try ImageMetadata(data: fixture.data).gainMap)
      let result = try StrippedImage(data: fixture.data).data()
      let metadata = try ImageMetadata(data: result)
      let map = try #require(metadata.gainMap)
      #expect(map.parameters == original.parameters && map.kind == original.kind)
      #expect(decode(map.data).pixels == decode(original.data).pixels)
      #expect(decode(result).pixels == decode(fixture.data).pixels)
      #expect(result.suffix(map.data.count) == map.data, "the map is at the end")
      #expect(result.range(of: Data("secret".utf8)) == nil)
      #expect(metadata.cameraModel == nil && metadata.orientation == .right)
      // The container directory, which older programs use, has the new length.
      let packet = try MetadataRecords.read(DataSource(result)).xmp
      #expect(packet?.items.last?["Length"] == (hasContainer ? "\(map.data.count)" : nil))
      let again = try StrippedImage(data: result)
      #expect(try again.data() == result && again.removed.isEmpty)
    }
  }

  @Test func `Apple's gain map keeps the headroom of the maker note`() throws {
    var note = TIFFFixture(isLittleEndian: false)
    note.main = [(33, .signedRational([(12, 10)])), (48, .signedRational([(1, 100)]))]
    // The offsets of the note count from its signature, which is 6 bytes longer than a TIFF header.
    var directory = Array(note.data().dropFirst(8))
    for entry in [10, 22] { directory[entry + 3] += 6 }
    var exif = TIFFFixture.camera()
    exif.photo.append((0x927C, .bytes(Array("Apple iOS\0\0\u{1}MM".utf8) + directory)))
    let fixture = try GainMapFixture(GainMapFixture.apple, hasContainer: false, exif: exif)
    let map = try #require(try ImageMetadata(data: fixture.data).gainMap)
    #expect(map.kind == .apple && map.parameters == nil)
    let headroom = try #require(map.headroom)
    #expect(abs(headroom - 4.9246) < 0.001, "2 to the power of 2.3")
    let result = try StrippedImage(data: fixture.data).data()
    let kept = try #require(try ImageMetadata(data: result).gainMap)
    #expect(kept.kind == .apple && kept.headroom == headroom)
    #expect(result.range(of: Data("Apple iOS".utf8)) == nil)
  }

  @Test func `of the packet of a gain map, only properties that describe the map stay`() throws {
    let descriptions = (0..<8).map { part in
      let values = (0..<500).map { " a:N\(1_000 + part * 500 + $0)=\"1\"" }.joined()
      return "<rdf:Description xmlns:a=\"\(XMPPacket.Namespace.appleGainMap)\"\(values)/>"
    }
    let packet =
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"\(XMPPacket.rdf)\">"
      + descriptions.joined() + "</rdf:RDF></x:xmpmeta>"
    let fixture = try GainMapFixture(packet, hasContainer: false)
    #expect(try ImageMetadata(data: fixture.data).gainMap?.kind == .apple)
    let stripped = try StrippedImage(data: fixture.data)
    let result = try stripped.data()
    #expect(stripped.removed.contains(.xmp))
    #expect(result.range(of: Data("N1000".utf8)) == nil)
    #expect(decode(result).pixels == decode(fixture.data).pixels)
    let bytes = [UInt8](result)
    let last = bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 }
    let start = try #require(last)
    let map = Data(bytes[start...])
    let segments = try JPEGSegments(DataSource(map))
    #expect(segments.scan != nil && !segments.hasUnknownBytes)
    #expect(decode(map).error == nil && decode(map).pixels == decode(fixture.map).pixels)
  }

  @Test func `the largest packet fits into a segment`() {
    let packet = String(repeating: " ", count: 65_504)
    #expect(JPEGWriting.xmp(packet).prefix(4) == [0xFF, 0xE1, 0xFF, 0xFF])
  }

  @Test func `the binary form of ISO 21496-1 is read`() throws {
    func big(_ value: Int) -> [UInt8] { PNGFixture.big(value) }
    let numbers = [64, 0, 192, -64, 160, 64, 1, 2]
    let common: [UInt8] = [0, 0, 0, 0, 0x08] + numbers.flatMap { big($0) }
    let parameters = try #require(GainMap.Parameters(iso: common))
    #expect(parameters.capacityMinimum == 0 && parameters.capacityMaximum == 3)
    #expect(parameters.minimum == [-1] && parameters.maximum == [2.5] && parameters.gamma == [1])
    #expect(parameters.offsetSDR == [1 / 64] && parameters.offsetHDR == [2 / 64])
    var separate: [UInt8] = [0, 0, 0, 0, 0x80] + big(3) + big(1) + big(0) + big(1)
    let channel = [0, 1, 5, 2, 1, 1, 1, 4, 1, 8]
    for _ in 0..<3 { separate += channel.flatMap { big($0) } }
    let reversed = try #require(GainMap.Parameters(iso: separate))
    #expect(reversed.baseImageIsHDR && reversed.capacityMaximum == 3 && reversed.maximum == [2.5, 2.5, 2.5])
    #expect(reversed.offsetSDR == [0.125, 0.125, 0.125] && reversed.offsetHDR == [0.25, 0.25, 0.25])
    for length in 0..<separate.count { #expect(GainMap.Parameters(iso: separate.prefix(length)) == nil) }
  }
}
