import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct MetadataReadingTests {
  @Test(arguments: [true, false])
  func `everything a camera writes is read in both byte orders`(isLittleEndian: Bool) throws {
    let tiff = TIFFFixture.camera(isLittleEndian: isLittleEndian).data()
    let metadata = try ImageMetadata(data: JPEGFixture.withEXIF(tiff, try JPEGFixture.baseline()))
    #expect(metadata.format == .jpeg && metadata.pixelWidth == 67 && metadata.pixelHeight == 53)
    #expect(metadata.orientation == .right)
    #expect(metadata.cameraMake == "Kennel" && metadata.cameraModel == "K-1")
    #expect(metadata.cameraSerialNumber == "SN-123" && metadata.ownerName == "Ada's camera")
    #expect(metadata.lensMake == "Lenses Ltd" && metadata.lensModel == "26 mm f/2.8")
    #expect(metadata.lensSerialNumber == "LN-9")
    #expect(metadata.exposureTime == 1 / 250 && metadata.fNumber == 2.8 && metadata.isoSpeed == 400)
    #expect(
      metadata.focalLength == 5.7 && metadata.focalLengthIn35mmFilm == 26 && metadata.flashFired == true)
    #expect(metadata.description == "A dog at the sea" && metadata.software == "Firmware 1.0")
    #expect(metadata.artist == "Ada" && metadata.copyright == "© Ada")
    #expect(metadata.resolution == ImageMetadata.Resolution(horizontal: 72, vertical: 72))
    #expect(metadata.captureDate?.description == "2026-11-26T16:00:01.25+01:00")
    #expect(metadata.captureDate?.date == Date(timeIntervalSince1970: 1_795_705_201.25))
    let location = try #require(metadata.location)
    #expect(abs(location.latitude - 52.51) < 1e-9 && abs(location.longitude + 13.405) < 1e-9)
    #expect(location.altitude == -34.5)
    #expect(location.timestamp?.description == "2026-11-26T15:00:01.5Z")
  }

  @Test func `XMP takes precedence for texts, and only properties of the image itself are read`() throws {
    let data = JPEGFixture.withXMP(
      XMPFixture.packet, JPEGFixture.withEXIF(TIFFFixture.camera().data(), try JPEGFixture.baseline()))
    let metadata = try ImageMetadata(data: data)
    #expect(metadata.title == "A dog & a cat" && metadata.keywords == ["dog", "sea"])
    #expect(metadata.artist == "Ada; Grace 🐕" && metadata.rating == 4)
    #expect(metadata.description == "A dog at the sea", "a nested description is not the image's")
    #expect(metadata.software == "Firmware 1.0")
    let alone = try ImageMetadata(data: JPEGFixture.withXMP(XMPFixture.packet, try JPEGFixture.baseline()))
    #expect(alone.software == "Editor <2>" && alone.description == nil)
    #expect(
      XMPPacket(XMPFixture.packet.utf8).values(XMPPacket.Namespace.dublinCore, "format") == ["image/<jpeg>"])
  }

  @Test func `a packet that defines entities or is nested deeply is harmless`() {
    let bomb = """
      <!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
      xmlns:dc="http://purl.org/dc/elements/1.1/" dc:title="&b;"/></rdf:RDF>
      """
    #expect(XMPPacket(bomb.utf8).value(XMPPacket.Namespace.dublinCore, "title") == "&b;")
    #expect(XMPPacket(String(repeating: "<a>", count: 100_000).utf8).items.isEmpty)
  }

  @Test func `every format has its places for metadata`() throws {
    for data in try FullFixture.all() {
      let metadata = try ImageMetadata(data: data)
      #expect(metadata.title == "A dog & a cat", "\(metadata.format)")
      guard metadata.format != .gif else { continue }
      #expect(metadata.cameraModel == "K-1" && metadata.orientation == .right, "\(metadata.format)")
      #expect(metadata.location != nil && metadata.colorProfileName == "RGB built-in", "\(metadata.format)")
    }
    let gif = try ImageMetadata(data: FullFixture.gif())
    #expect(gif.comments == ["Hi!"] && gif.pixelWidth == 20 && gif.pixelHeight == 16)
    let png = try ImageMetadata(data: FullFixture.png())
    #expect(png.modificationDate?.description == "2026-11-26T16:00:01Z")
    let jpeg = try ImageMetadata(data: FullFixture.jpeg())
    #expect(jpeg.comments == ["a secret comment"])
  }

  @Test func `a GIF whose screen is smaller than its first frame has the size of the decoded image`() throws {
    let empty = GIFFixture(screenWidth: 0, screenHeight: 0, left: 2, top: 3)
    let small = GIFFixture(screenWidth: 30, screenHeight: 5, frameCount: 2)
    let forms = [(empty, PixelSize(width: 22, height: 19)), (small, PixelSize(width: 30, height: 16))]
    for (form, size) in forms {
      let complete = form.data()
      // The shorter one ends within a frame.
      for data in [complete, complete.dropLast(50)] {
        let metadata = try ImageMetadata(data: data)
        #expect(PixelSize(width: metadata.pixelWidth, height: metadata.pixelHeight) == size)
        #expect(try ImageHeader.read(data, limits: ImageLimits()).size == size)
      }
    }
  }

  @Test func `the extension of an XMP packet is joined from its parts`() throws {
    let identifier = String(repeating: "A1B2", count: 8)
    let head = #"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description "#
    let main =
      head + #"xmlns:n="http://ns.adobe.com/xmp/note/" n:HasExtendedXMP="\#(identifier)"/></rdf:RDF>"#
    let more = Array(
      (head + #"xmlns:dc="http://purl.org/dc/elements/1.1/" dc:title="long"/></rdf:RDF>"#).utf8)
    func part(_ range: Range<Int>) -> [UInt8] {
      JPEGApplication.extendedXMP.signature + Array(identifier.utf8) + PNGFixture.big(more.count)
        + PNGFixture.big(range.lowerBound) + more[range]
    }
    var data = JPEGFixture.withXMP(main, try JPEGFixture.baseline())
    data = JPEGFixture.adding(part(0..<60), marker: 0xE1, to: data)
    data = JPEGFixture.adding(part(60..<more.count), marker: 0xE1, to: data)
    #expect(try ImageMetadata(data: data).title == "long")
  }

  @Test func `a file on a disk is read without its pixels`() async throws {
    let folder = try TemporaryDirectory()
    for (index, data) in try FullFixture.all().enumerated() {
      let file = try folder.write(data, to: "\(index)")
      #expect(try await ImageMetadata(contentsOf: file) == ImageMetadata(data: data))
    }
    // A file with a hole of 1 GiB in its pixels.
    let file = try folder.write(
      FullFixture.png().prefix(33) + PNGFixture.big(1 << 30) + Array("IDAT".utf8), to: "large.png")
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 41 + (1 << 30) + 4)
    try handle.seekToEnd()
    try handle.write(
      contentsOf: PNGFixture.chunk("tEXt", Array("Title\0Large".utf8)) + PNGFixture.chunk("IEND", []))
    try handle.close()
    #expect(try await ImageMetadata(contentsOf: file).title == "Large")
  }

  @Test func `errors say why`() async throws {
    #expect(throws: ImageError(.truncated, "The image data is empty.")) { try ImageMetadata(data: Data()) }
    #expect(throws: ImageError.self) { try ImageMetadata(data: Data("no image at all".utf8)) }
    let folder = try TemporaryDirectory()
    await #expect(
      throws: ImageError(.unreadable, "Could not read the file nothing: No such file or directory.")
    ) { try await ImageMetadata(contentsOf: folder.file("nothing")) }
    let jpeg = try JPEGFixture.baseline()
    let error = #expect(throws: ImageError.self) { try ImageMetadata(data: jpeg.prefix(40)) }
    #expect(error?.code == .truncated)
  }

  @Test func `damaged and truncated files do not crash`() throws {
    for data in try FullFixture.all() + [try GainMapFixture().data] {
      for seed in 0..<400 as Range<UInt64> { _ = try? ImageMetadata(data: mutated(data, seed: seed)) }
      for length in stride(from: 0, to: data.count, by: 7) {
        _ = try? ImageMetadata(data: data.prefix(length))
      }
    }
  }

  @Test func `directories that refer to themselves and values outside of the data do not exist`() throws {
    var tiff = TIFFFixture()
    tiff.main = [(0x8769, .long(8)), (0x8825, .long(8)), (0x010F, .text("Kennel"))]
    let values = EXIFValues(try #require(TIFFReader(tiff.data())))
    #expect(values.make == "Kennel" && values.location == nil)
    var bytes = tiff.data()
    // The count of the text becomes the largest number.
    bytes.replaceSubrange(38..<42, with: [255, 255, 255, 255])
    #expect(EXIFValues(try #require(TIFFReader(bytes))).make == nil)
  }

  @Test func `the seconds and the coordinates of satellites are not changed by fractions`() throws {
    var tiff = TIFFFixture()
    tiff.gps = [
      (1, .text("S")), (2, .rational([(33, 1), (51, 1), (2412, 100)])), (3, .text("E")),
      (4, .rational([(151, 1), (12, 1), (3354, 100)])), (7, .rational([(17, 1), (17, 1), (5_865, 100)])),
      (29, .text("2020:06:05")),
    ]
    let reader = try #require(TIFFReader(tiff.data()))
    let location = try #require(EXIFValues(reader).location)
    #expect(location.latitude == -33.8567 && location.longitude == 151.209316667)
    #expect(location.timestamp?.description == "2020-06-05T17:17:58.65Z")
  }

  @Test func `the time of an image is that of the most exact record`() throws {
    func png(_ chunks: [(String, String)]) throws -> String? {
      var form = PNGFixture()
      form.chunks = chunks.map { ($0.0, Array($0.1.utf8)) }
      return try ImageMetadata(data: form.data()).captureDate?.description
    }
    let message = ("tEXt", "Creation Time\0Fri, 5 Jun 2020 10:11:12 +0200")
    #expect(try png([message]) == "2020-06-05T10:11:12+02:00")
    #expect(try png([("tEXt", "Creation Time\02020-06-05")]) == "2020-06-05")
    func packet(_ attributes: String) -> (String, String) {
      let names =
        #"xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/""#
      let start = "XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf="
      return (
        "iTXt", start + "\"\(XMPPacket.rdf)\"><rdf:Description \(names) \(attributes)/></rdf:RDF></x:xmpmeta>"
      )
    }
    let day = #"photoshop:DateCreated="1950-01-01""#
    #expect(try png([packet(day + #" xmp:CreateDate="1950-01-01T12:00:00""#)]) == "1950-01-01T12:00:00")
    // The time of the scan is that of another day.
    #expect(try png([packet(day + #" xmp:CreateDate="2024-05-05T12:00:00""#)]) == "1950-01-01")
  }

  @Test func `times are read in all their forms`() {
    typealias Timestamp = ImageMetadata.Timestamp
    #expect(Timestamp("2026:11:26 16:00:01")?.description == "2026-11-26T16:00:01")
    #expect(Timestamp("2026:11:26 16:00:01")?.date == nil)
    #expect(Timestamp("2024-02-29")?.description == "2024-02-29")
    #expect(Timestamp("2024-02-29")?.isDateOnly == true)
    #expect(Timestamp("2024-02-29 12:00")?.isDateOnly == false)
    #expect(Timestamp("2026-11-26T16:00:01.5-03:30")?.description == "2026-11-26T16:00:01.5-03:30")
    #expect(Timestamp("2026-11-26T16:00Z")?.date == Date(timeIntervalSince1970: 1_795_708_800))
    for invalid in ["", "0000:00:00 00:00:00", "2026:13:01 00:00:00", "2025-02-29", "    :  :     :  :  "] {
      #expect(Timestamp(invalid) == nil, "\(invalid)")
    }
    for (text, time) in [
      ("Fri, 5 Jun 2020 10:11:12 +0200", "2020-06-05T10:11:12+02:00"),
      ("5 jun 2020 10:11 GMT", "2020-06-05T10:11:00Z"), ("5 Jun 2020 10:11:12 EST", "2020-06-05T10:11:12"),
    ] { #expect(Timestamp(message: text)?.description == time) }
    for invalid in [
      "", "5 Jun 2020", "5 Dog 2020 10:11:12 GMT", "5 Jun 2020 10 GMT", "5 Jun 2020 1:2:3:4 GMT",
    ] {
      #expect(Timestamp(message: invalid) == nil, "\(invalid)")
    }
    let berlin = TimeZone(secondsFromGMT: 3_600)
    #expect(berlin.map { Timestamp("1970:01:01 01:00:00")?.date(in: $0) } == Date(timeIntervalSince1970: 0))
  }
}
