import Foundation

@testable import RetrieverImages

/// Builds TIFF data with EXIF and GPS directories.
struct TIFFFixture {
  enum Value {
    case text(String)
    case bytes([UInt8])
    case short(Int)
    case long(Int)
    case rational([(Int, Int)])
    case signedRational([(Int, Int)])
  }

  var isLittleEndian = true
  var main: [(tag: Int, value: Value)] = []
  var photo: [(tag: Int, value: Value)] = []
  var gps: [(tag: Int, value: Value)] = []

  func number(_ value: Int, _ size: Int) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isLittleEndian ? bytes : bytes.reversed()
  }

  func data() -> [UInt8] {
    let mainCount = main.count + (photo.isEmpty ? 0 : 1) + (gps.isEmpty ? 0 : 1)
    let photoStart = 8 + size(of: main, count: mainCount)
    let gpsStart = photoStart + (photo.isEmpty ? 0 : size(of: photo, count: photo.count))
    var all = main
    if !photo.isEmpty { all.append((0x8769, .long(photoStart))) }
    if !gps.isEmpty { all.append((0x8825, .long(gpsStart))) }
    var bytes = Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
    bytes += directory(all, at: 8)
    if !photo.isEmpty { bytes += directory(photo, at: photoStart) }
    if !gps.isEmpty { bytes += directory(gps, at: gpsStart) }
    return bytes
  }

  private func encoded(_ value: Value) -> (type: Int, count: Int, bytes: [UInt8]) {
    switch value {
    case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
    case .bytes(let bytes): (7, bytes.count, bytes)
    case .short(let number): (3, 1, self.number(number, 2))
    case .long(let number): (4, 1, self.number(number, 4))
    case .rational(let numbers): (5, numbers.count, numbers.flatMap { number($0.0, 4) + number($0.1, 4) })
    case .signedRational(let numbers):
      (10, numbers.count, numbers.flatMap { number($0.0, 4) + number($0.1, 4) })
    }
  }

  private func size(of entries: [(tag: Int, value: Value)], count: Int) -> Int {
    let outside = entries.map { encoded($0.value).bytes.count }.filter { $0 > 4 }.map { ($0 + 1) & ~1 }
    return 6 + 12 * count + outside.reduce(0, +)
  }

  private func directory(_ entries: [(tag: Int, value: Value)], at start: Int) -> [UInt8] {
    var head = number(entries.count, 2)
    var outside: [UInt8] = []
    for entry in entries {
      let (type, count, bytes) = encoded(entry.value)
      head += number(entry.tag, 2) + number(type, 2) + number(count, 4)
      if bytes.count <= 4 {
        head += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
      } else {
        head += number(start + 6 + 12 * entries.count + outside.count, 4)
        outside += bytes + (bytes.count.isMultiple(of: 2) ? [] : [0])
      }
    }
    return head + number(0, 4) + outside
  }

  /// What a camera writes.
  static func camera(orientation: Int = 6, isLittleEndian: Bool = true) -> TIFFFixture {
    var tiff = TIFFFixture(isLittleEndian: isLittleEndian)
    tiff.main = [
      (0x010E, .text("A dog at the sea")), (0x010F, .text("Kennel")), (0x0110, .text("K-1")),
      (0x0112, .short(orientation)), (0x011A, .rational([(72, 1)])), (0x011B, .rational([(72, 1)])),
      (0x0128, .short(2)), (0x0131, .text("Firmware 1.0")), (0x013B, .text("Ada")), (0x8298, .text("© Ada")),
    ]
    tiff.photo = [
      (0x829A, .rational([(1, 250)])), (0x829D, .rational([(28, 10)])), (0x8827, .short(400)),
      (0x9003, .text("2026:11:26 16:00:01")), (0x9011, .text("+01:00")), (0x9209, .short(0x19)),
      (0x920A, .rational([(5_700, 1_000)])), (0x9291, .text("25")), (0xA405, .short(26)),
      (0xA430, .text("Ada's camera")), (0xA431, .text("SN-123")), (0xA433, .text("Lenses Ltd")),
      (0xA434, .text("26 mm f/2.8")), (0xA435, .text("LN-9")),
    ]
    tiff.gps = [
      (1, .text("N")), (2, .rational([(52, 1), (30, 1), (36, 1)])), (3, .text("W")),
      (4, .rational([(13, 1), (24, 1), (18, 1)])), (5, .bytes([1])), (6, .rational([(345, 10)])),
      (7, .rational([(15, 1), (0, 1), (15, 10)])), (29, .text("2026:11:26")),
    ]
    return tiff
  }
}

enum XMPFixture {
  static let packet = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/">
     <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
        xmlns:m="http://ns.adobe.com/xap/1.0/mm/" xmp:Rating="4" xmp:CreatorTool='Editor &lt;2&gt;' tiff:Orientation="8">
       <!-- <dc:title>not this</dc:title> -->
       <dc:title><rdf:Alt><rdf:li xml:lang="de">Ein Hund</rdf:li><rdf:li xml:lang="x-default">A dog &amp; a cat</rdf:li></rdf:Alt></dc:title>
       <dc:subject><rdf:Bag><rdf:li>dog</rdf:li><rdf:li>sea</rdf:li><rdf:li>dog</rdf:li></rdf:Bag></dc:subject>
       <dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Grace &#x1F415;</rdf:li></rdf:Seq></dc:creator>
       <m:History><rdf:Seq><rdf:li rdf:parseType="Resource"><dc:description>nested</dc:description></rdf:li></rdf:Seq></m:History>
       <dc:format><![CDATA[image/<jpeg>]]></dc:format>
      </rdf:Description>
     </rdf:RDF>
    </x:xmpmeta>
    """
}

extension JPEGFixture {
  static func withEXIF(_ tiff: [UInt8], _ jpeg: Data) -> Data {
    adding(Array("Exif\0\0".utf8) + tiff, marker: 0xE1, to: jpeg)
  }

  static func withXMP(_ packet: String, _ jpeg: Data) -> Data {
    adding(JPEGApplication.xmp.signature + Array(packet.utf8), marker: 0xE1, to: jpeg)
  }
}

/// Files with everything that can be removed.
enum FullFixture {
  static func profile() -> [UInt8] {
    Array(ColorProfile.data(exponent: 1.8, chromaticities: nil, of: .rgb) ?? Data())
  }

  static func jpeg(isProgressive: Bool = false) throws -> Data {
    var data = isProgressive ? try JPEGFixture.progressive() : try JPEGFixture.baseline()
    data = JPEGFixture.adding(Array("a secret comment".utf8), marker: 0xFE, to: data)
    data = JPEGFixture.adding(
      Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, 10, 0x1C, 2, 120, 0, 5]
        + Array("a dog".utf8), marker: 0xED, to: data)
    data = JPEGFixture.adding(Array("ICC_PROFILE\0".utf8) + [1, 1] + profile(), marker: 0xE2, to: data)
    data = JPEGFixture.adding(Array("Unknown data".utf8), marker: 0xE9, to: data)
    data = JPEGFixture.withXMP(XMPFixture.packet, data)
    return JPEGFixture.withEXIF(TIFFFixture.camera().data(), data) + Data("after the end".utf8)
  }

  static func png(orientation: Int = 6) -> Data {
    var form = PNGFixture()
    form.chunks = [
      ("iCCP", Array("profile\0\0".utf8) + PNGFixture.deflated(profile())),
      ("tEXt", Array("Title\0A dog".utf8)),
      ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(XMPFixture.packet.utf8)),
      ("pHYs", PNGFixture.big(2_835) + PNGFixture.big(2_835) + [1]),
      ("tIME", [0x07, 0xEA, 11, 26, 16, 0, 1]),
      ("eXIf", TIFFFixture.camera(orientation: orientation).data()), ("prIv", [1, 2, 3]),
    ]
    return form.data() + Data("after the end".utf8)
  }

  static func webp() throws -> Data {
    let pixels = try WebPFixture.pixels(drawnBitmap(width: 31, height: 20), isLossless: false)
    return WebPFixture.file(
      WebPFixture.features(flags: 0x2C, width: 31, height: 20) + WebPFixture.chunk("ICCP", profile()) + pixels
        + WebPFixture.chunk("EXIF", TIFFFixture.camera().data())
        + WebPFixture.chunk("XMP ", Array(XMPFixture.packet.utf8)) + WebPFixture.chunk("PRIV", [1, 2, 3]))
  }

  static func gif() -> Data {
    // The fixture has a comment after its color table, at byte 13 + 384.
    let gif = GIFFixture(frameCount: 3).data()
    let trailer = [1] + (0...255).reversed().map { UInt8($0) } + [0]
    let packet = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + Array(XMPFixture.packet.utf8) + trailer
    let loop: [UInt8] = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    return gif.prefix(397) + Data(packet + loop) + gif.dropFirst(397) + Data("after the end".utf8)
  }

  /// A HEIC or AVIF as a phone writes it, with everything that can be removed.
  static func heifForm(_ tile: HEIFFixture.Tile = .gradient, isInMeta: Bool = false) -> HEIFFixture {
    var form = HEIFFixture(
      tile, properties: [HEIFFixture.profile(profile()), HEIFFixture.rotation(quarterTurnsLeft: 3)])
    form.items[0].optionalProperties = [
      HEIFFixture.full("udes", Array("en\0A dog\0secret\0".utf8)),
      HEIFFixture.full("prIv", Array("secret".utf8)),
    ]
    form.describe(by: HEIFFixture.exif(TIFFFixture.camera(orientation: 3).data()))
    form.describe(by: HEIFFixture.xmp(XMPFixture.packet))
    // A thumbnail with a description of its own, and an item of an unknown kind.
    form.items.append(HEIFFixture(tile).items[0])
    form.references.append(("thmb", form.items.count, [1]))
    form.describe(form.items.count, by: HEIFFixture.xmp("<secret/>"))
    form.items.append(HEIFFixture.Item(type: "uri ", data: Array("Unknown data".utf8)))
    if isInMeta { for index in form.items.indices { form.items[index].isInMeta = true } }
    form.unusedData = Array("a secret between the pixels".utf8)
    form.lastBoxes =
      HEIFFixture.box("uuid", Array("0123456789abcdefsecret".utf8))
      + HEIFFixture.box("free", Array("secret".utf8)) + Array("end".utf8)
    return form
  }

  static func all() throws -> [Data] {
    [
      try jpeg(), try jpeg(isProgressive: true), png(), try webp(), gif(), heifForm().data(),
      heifForm(.gradientAV1).data(), heifForm(isInMeta: true).data(),
    ]
  }
}

/// A JPEG with a gain map, as phones write it.
struct GainMapFixture {
  static let ultraHDR =
    #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="secret" hdrgm:Version="1.0" hdrgm:GainMapMax="2.5" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2.5" hdrgm:OffsetSDR="0.015625" hdrgm:BaseRenditionIsHDR="False"><hdrgm:Gamma><rdf:Seq><rdf:li>1</rdf:li><rdf:li>1.1</rdf:li><rdf:li>1.2</rdf:li></rdf:Seq></hdrgm:Gamma></rdf:Description></rdf:RDF></x:xmpmeta>"#
  static let apple =
    #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap" HDRGainMap:HDRGainMapVersion="65536"/></rdf:RDF></x:xmpmeta>"#

  static func primaryPacket(length: Int) -> String {
    JPEGGainMap.primaryPacket(version: "1.0", length: length).replacingOccurrences(
      of: "<rdf:Description ",
      with: "<rdf:Description xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:source=\"secret\" ")
  }

  var map: Data
  var data: Data

  /// - Parameter packet: The packet of the map.
  init(
    _ packet: String = ultraHDR, hasIndex: Bool = true, hasContainer: Bool = true,
    exif: TIFFFixture = .camera()
  )
    throws
  {
    let jpeg = try JPEGFixture.form(.grey8, width: 20, height: 16)
    map = JPEGFixture.adding(Array("secret".utf8), marker: 0xFE, to: JPEGFixture.withXMP(packet, jpeg))
    var first = JPEGFixture.adding(Array("secret".utf8), marker: 0xFE, to: try JPEGFixture.baseline())
    let size = MultiPictureIndex.segmentSize
    if hasIndex {
      // The index follows SOI, and everything else is inserted before it.
      first = JPEGFixture.adding([UInt8](repeating: 0, count: size - 4), marker: 0xE2, to: first)
    }
    if hasContainer { first = JPEGFixture.withXMP(Self.primaryPacket(length: map.count), first) }
    let before = first.count
    first = JPEGFixture.withEXIF(exif.data(), first)
    if hasIndex {
      var position = 2 + first.count - before
      if hasContainer { position += 33 + Self.primaryPacket(length: map.count).utf8.count }
      let segment = try MultiPictureIndex.segment(first: first.count, second: map.count, position: position)
      first.replaceSubrange(position..<position + size, with: segment)
    }
    data = first + map
  }
}
