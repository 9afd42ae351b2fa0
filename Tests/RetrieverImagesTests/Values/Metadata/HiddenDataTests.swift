import Foundation
import Testing

@testable import RetrieverImages

/// Data that no decoder uses, in places that a copy without metadata could keep, and copies that decoders show as the
/// original.
@Suite(.timeLimit(.minutes(5))) struct HiddenDataTests {
  private let secret = Array("a secret".utf8)

  private func strip(_ data: Data) throws -> Data { try StrippedImage(data: data).data() }

  /// Expects that the copy shows the same image, and says nothing of the secret.
  private func expectClean(_ data: Data, _ name: Comment = "") throws {
    let stripped = try StrippedImage(data: data)
    let copy = try stripped.data()
    #expect(copy.range(of: Data(secret)) == nil && !stripped.removed.isEmpty, name)
    let (before, after) = (decode(data), decode(copy))
    #expect(before.error == nil && after.error == nil && before.rowCount > 0, name)
    #expect(before.pixels == after.pixels, name)
    func profile(_ decoding: Decoding) -> Data? {
      decoding.header?.profile.flatMap { data in ICCHeader.statedSize(of: data).map { data.prefix($0) } }
    }
    #expect(profile(before) == profile(after), name)
    #expect(before.finalHeader?.orientation == after.finalHeader?.orientation, name)
    #expect(try StrippedImage(data: copy).removed.isEmpty, name)
  }

  // MARK: - PNG

  private func png(_ chunks: [(String, [UInt8])], after: [(String, [UInt8])] = []) -> Data {
    var form = PNGFixture()
    form.chunks = chunks
    return form.data().dropLast(12) + after.flatMap { PNGFixture.chunk($0.0, $0.1) }
      + PNGFixture.chunk("IEND", [])
  }

  private func profile(_ name: String) -> [UInt8] {
    Array("\(name)\0\0".utf8) + PNGFixture.deflated(FullFixture.profile())
  }

  @Test func `chunks of a PNG that are longer than their meaning are left out`() throws {
    for (name, count) in [
      ("gAMA", 4), ("cHRM", 32), ("sRGB", 1), ("sBIT", 3), ("bKGD", 6), ("pHYs", 9), ("cICP", 4),
      ("mDCV", 24),
      ("cLLI", 8), ("sTER", 1), ("tRNS", 6), ("acTL", 8), ("fdAT", 4), ("fcTL", 26), ("sPLT", 0), ("PLTE", 0),
    ] {
      try expectClean(png([(name, [UInt8](repeating: 0, count: count) + secret)]), "\(name)")
    }
  }

  @Test func `a PNG keeps the color profiles that libpng reads, and nothing else of their chunks`() throws {
    let plain = png([("iCCP", profile("first"))])
    #expect(try strip(plain) == plain)
    let data = png([("iCCP", profile("first"))], after: [("iCCP", profile("a secret"))])
    #expect(try strip(data) == plain)
    try expectClean(data)
    #expect(decode(data).header?.profile == decode(plain).header?.profile)
    let late = try ImageMetadata(data: png([], after: [("iCCP", profile("late"))]))
    #expect(late.colorProfileName == nil)
    let name = Array("name\0\0".utf8)
    let icc = FullFixture.profile()
    let stream = PNGFixture.deflated(icc + secret)
    let invalid: [[UInt8]] = [
      name + PNGFixture.deflated(secret),
      name + PNGFixture.deflated(secret) + [UInt8](repeating: 9, count: 100),
      name + PNGFixture.deflated(icc) + secret, name + stream, name + stream.dropLast(2), name + [1, 2, 3],
      secret,
    ]
    for data in invalid {
      try expectClean(png([("iCCP", data)]))
      try expectClean(png([("iCCP", data), ("gAMA", PNGFixture.big(100_000))]))
      try expectClean(png([("gAMA", PNGFixture.big(100_000)), ("iCCP", data), ("iCCP", profile("second"))]))
    }
    #expect(decode(try strip(png([("iCCP", name + stream)]))).header?.profile == Data(icc))
  }

  @Test func `a PNG whose critical chunk is unknown is not copied`() {
    #expect {
      try strip(png([("GPSX", secret)]))
    } throws: { error in
      "\(error)" == "The image uses an unsupported feature: the chunk GPSX."
    }
  }

  @Test func `a PNG without an end gets one`() throws {
    let complete = png([])
    #expect(try strip(complete.dropLast(12)) == complete)
  }

  // MARK: - JPEG

  @Test func `an invalid color profile does not stay in a JPEG`() throws {
    let signature = Array("ICC_PROFILE\0".utf8)
    let plain = try JPEGFixture.baseline()
    let icc = FullFixture.profile()
    let correct = JPEGFixture.adding(signature + [1, 1] + icc, marker: 0xE2, to: plain)
    #expect(try StrippedImage(data: correct).removed.isEmpty)
    for (payload, expected) in [
      ([1, 1] + secret, plain), ([1, 2] + icc + secret, plain), ([1, 1] + icc + secret, correct),
    ] {
      let data = JPEGFixture.adding(signature + payload, marker: 0xE2, to: plain)
      #expect(try strip(data) == strip(expected))
      try expectClean(data)
    }
  }

  @Test func `a large color profile is split again when it is cut`() throws {
    var icc = FullFixture.profile()
    icc += [UInt8](repeating: 7, count: 100_000)
    icc.replaceSubrange(0..<4, with: PNGFixture.big(icc.count))
    var data = try JPEGFixture.baseline()
    let parts = [Array(icc[60_000...]) + secret, Array(icc[..<60_000])]
    for (index, part) in parts.enumerated() {
      let payload = Array("ICC_PROFILE\0".utf8) + [UInt8(2 - index), 2] + part
      data = JPEGFixture.adding(payload, marker: 0xE2, to: data)
    }
    try expectClean(data)
    #expect(try decode(strip(data)).header?.profile == Data(icc))
  }

  @Test func `segments of a JPEG that the decoder does not read do not count`() throws {
    let payload = Array("ICC_PROFILE\0".utf8) + [1, 1] + FullFixture.profile()
    let late = JPEGFixture.withEXIF(
      TIFFFixture.camera(orientation: 6).data(),
      JPEGFixture.adding(payload, marker: 0xE2, to: try JPEGFixture.baseline()))
    for (count, isRead) in [(2_046, true), (2_048, false)] {
      let filler = Data((0..<count).flatMap { _ in [0xFF, 0xE1, 0, 3, 0x78] as [UInt8] })
      let data = late.prefix(2) + filler + late.dropFirst(2)
      try expectClean(data)
      let metadata = try ImageMetadata(data: data)
      #expect((metadata.orientation == .right) == isRead && (metadata.colorProfileName != nil) == isRead)
      #expect((decode(data).header?.orientation == .right) == isRead)
    }
  }

  @Test func `the description of a gain map has numbers only`() throws {
    let packet = GainMapFixture.ultraHDR.replacingOccurrences(
      of: "hdrgm:Version=", with: "hdrgm:Owner=\"JaneDoe\" hdrgm:Version=")
    let copy = try strip(GainMapFixture(packet).data)
    #expect(copy.range(of: Data("JaneDoe".utf8)) == nil)
    #expect(
      try ImageMetadata(data: copy).gainMap?.parameters
        == ImageMetadata(data: GainMapFixture().data).gainMap?.parameters)
  }

  @Test func `a gain map that is damaged is left out`() throws {
    let fixture = try GainMapFixture()
    let place = try #require(fixture.data.range(of: Data(PNGFixture.big(fixture.map.count))))
    var data = fixture.data
    data.replaceSubrange(place, with: PNGFixture.big(fixture.map.count - 1))
    let copy = try strip(data)
    #expect(decode(copy).pixels == decode(data).pixels && decode(copy).error == nil)
    #expect(try ImageMetadata(data: copy).gainMap == nil && copy.count < data.count - fixture.map.count)
  }

  // MARK: - GIF

  @Test func `an invalid color profile does not stay in a GIF`() throws {
    let gif = GIFFixture().data()
    func adding(_ profile: [UInt8]) -> Data {
      var blocks: [UInt8] = []
      for start in stride(from: 0, to: profile.count, by: 255) {
        let block = profile[start..<min(start + 255, profile.count)]
        blocks += [UInt8(block.count)] + block
      }
      let name = [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8)
      return gif.prefix(397) + Data(name + blocks + [0]) + gif.dropFirst(404)
    }
    #expect(try strip(adding(secret)) == strip(gif))
    #expect(try strip(adding(FullFixture.profile() + secret)) == strip(gif))
    #expect(try strip(adding(FullFixture.profile())) == adding(FullFixture.profile()))
  }

  @Test func `a short graphic control of a GIF has no meaning`() throws {
    let gif = GIFFixture(transparent: 3).data()
    // The control block follows a comment of 7 bytes.
    let data = gif.prefix(412) + Data([0x21, 0xF9, 1, 0, 0]) + gif.dropFirst(412)
    #expect(decode(data).pixels == decode(gif).pixels)
    #expect(try strip(data) == strip(gif))
  }

  // MARK: - HEIC and AVIF

  @Test func `properties of a HEIC have nothing but their meaning`() throws {
    for property in [
      HEIFFixture.full("ispe", HEIFFixture.big(64, 4) + HEIFFixture.big(64, 4) + secret),
      HEIFFixture.box("irot", [1] + secret), HEIFFixture.box("colr", Array("prof".utf8) + secret),
      HEIFFixture.box("colr", Array("abcd".utf8) + secret),
      HEIFFixture.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 6, 0x80] + secret),
      HEIFFixture.profile(FullFixture.profile() + secret),
    ] {
      var form = HEIFFixture()
      form.items[0].optionalProperties = [property]
      try expectClean(form.data(), "\(String(decoding: property[4..<12], as: UTF8.self))")
    }
    var form = HEIFFixture(properties: [HEIFFixture.profile(FullFixture.profile() + secret)])
    form.addAlpha(.grey)
    form.items[1].properties[2] = HEIFFixture.full(
      "auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8) + [0] + secret)
    try expectClean(form.data())
    #expect(decode(try strip(form.data())).header?.profile == Data(FullFixture.profile()))
  }

  @Test func `the alpha that is shown stays, not one that cannot be decoded`() throws {
    var form = HEIFFixture()
    form.addAlpha(.grey)
    form.addAlpha(.grey)
    form.items[1].properties.append(HEIFFixture.box("lsel", [0, 0]))
    form.describe(by: HEIFFixture.xmp(XMPFixture.packet))
    let data = form.data()
    #expect(decode(data).header?.hasAlpha == true)
    try expectClean(data)
    #expect(decode(try strip(data)).header?.hasAlpha == true)
  }

  @Test func `a grid without a size has that of its description`() throws {
    var form = HEIFFixture.phone()
    form.items[form.primary - 1].properties.removeFirst()
    let metadata = try ImageMetadata(data: form.data())
    #expect(metadata.pixelWidth == 120 && metadata.pixelHeight == 100)
    #expect(decode(form.data()).header?.size == PixelSize(width: 120, height: 100))
  }
}
