import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct StrippingTests {
  private static let secrets = [
    "secret", "Ada", "SN-123", "Kennel", "A dog", "xmpmeta", "8BIM", "Photoshop", "Unknown data", "Title",
    "PRIV",
    "prIv", "Hi!", "XMP", "after the end", "+01:00",
  ]

  private func strip(_ data: Data) throws -> Data { try StrippedImage(data: data).data() }

  private func contains(_ data: Data, _ text: String) -> Bool { data.range(of: Data(text.utf8)) != nil }

  @Test func `nothing but the pixels, the profile and the orientation remains`() throws {
    for data in try FullFixture.all() {
      let result = try strip(data)
      let format = try ImageMetadata(data: data).format
      for secret in Self.secrets { #expect(!contains(result, secret), "\(format): \(secret)") }
      let (before, after) = (decode(data), decode(result))
      #expect(after.error == nil && before.pixels == after.pixels, "\(format)")
      #expect(after.header?.profile == before.header?.profile, "\(format)")
      #expect(UIImage(data: result)?.imageOrientation == UIImage(data: data)?.imageOrientation, "\(format)")
      #expect(try strip(result) == result, "\(format): a second time, there is nothing to remove")
      #expect(try StrippedImage(data: result).removed.isEmpty, "\(format)")
      let metadata = try ImageMetadata(data: result)
      #expect(metadata.location == nil && metadata.captureDate == nil && metadata.title == nil, "\(format)")
    }
  }

  @Test func `the kinds of records that were removed are listed`() throws {
    #expect(
      try StrippedImage(data: FullFixture.jpeg()).removed == [
        .exif, .location, .xmp, .iptc, .comment, .otherData,
      ])
    #expect(
      try StrippedImage(data: FullFixture.png()).removed == [
        .exif, .location, .xmp, .text, .time, .otherData,
      ])
    #expect(try StrippedImage(data: FullFixture.webp()).removed == [.exif, .location, .xmp, .otherData])
    #expect(try StrippedImage(data: FullFixture.gif()).removed == [.xmp, .comment, .otherData])
    #expect(
      try StrippedImage(data: FullFixture.heifForm().data()).removed == [
        .exif, .location, .xmp, .text, .thumbnail, .otherData,
      ])
    #expect(try StrippedImage(data: JPEGFixture.baseline()).removed == [])
  }

  @Test func `files without metadata are copied unchanged`() throws {
    let plain = try WebPFixture.file(WebPFixture.pixels(drawnBitmap(width: 9, height: 8), isLossless: true))
    for data in [
      try JPEGFixture.baseline(), try JPEGFixture.progressive(), PNGFixture().data(), plain,
      try WebPFixture.animation(), HEIFFixture.phone().data(), HEIFFixture(.redAV1).data(),
    ] {
      #expect(try strip(data) == data)
    }
  }

  @Test(arguments: ImageOrientation.allCases)
  func `each orientation is kept`(orientation: ImageOrientation) throws {
    let tiff = TIFFFixture.camera(orientation: orientation.rawValue).data()
    let pixels = try WebPFixture.pixels(drawnBitmap(width: 31, height: 20), isLossless: false)
    let webp = WebPFixture.file(
      WebPFixture.features(flags: 0x08, width: 31, height: 20) + pixels + WebPFixture.chunk("EXIF", tiff))
    let files = [
      JPEGFixture.withEXIF(tiff, try JPEGFixture.baseline()), webp,
      FullFixture.png(orientation: orientation.rawValue),
    ]
    for data in files {
      let result = try strip(data)
      #expect(try ImageHeader.read(result, limits: ImageLimits()).orientation == orientation)
      #expect(contains(result, "MM\0*") == (orientation != .up), "an upright image needs no EXIF data")
    }
  }

  @Test func `comments between the scans and unknown chunks in a frame are removed`() throws {
    let progressive = try JPEGFixture.progressive()
    let marker = try #require(progressive.dropFirst(700).range(of: Data([0xFF, 0xC4])))
    let data =
      progressive[..<marker.lowerBound] + Data([0xFF, 0xFE, 0, 8] + Array("secret".utf8))
      + progressive[marker.lowerBound...]
    #expect(try strip(data) == progressive)
    let still = try WebPFixture.pixels(drawnBitmap(width: 30, height: 20), isLossless: true)
    func file(_ more: [UInt8]) -> Data {
      WebPFixture.file(
        WebPFixture.features(flags: 0x02, width: 30, height: 20)
          + WebPFixture.chunk("ANIM", [0, 0, 0, 0, 0, 0])
          + WebPFixture.frame(left: 0, top: 0, width: 30, height: 20, pixels: still + more))
    }
    #expect(try strip(file(WebPFixture.chunk("PRIV", [1, 2, 3]))) == file([]))
  }

  @Test
  func `what decoders tolerate is tolerated: bytes between the segments of a JPEG, a GIF without its end`()
    throws
  {
    let jpeg = JPEGFixture.withEXIF(TIFFFixture.camera().data(), try JPEGFixture.baseline())
    for marker: UInt8 in [0xDB, 0xC0, 0xDA] {
      let place = try #require(jpeg.range(of: Data([0xFF, marker]))).lowerBound
      let data =
        jpeg[..<place] + Data([1, 0xFF, 0, 0xFF, 0] + Array("secret".utf8) + [0xFF]) + jpeg[place...]
      #expect(try ImageMetadata(data: data).cameraModel == "K-1")
      let result = try strip(data)
      #expect(try result == strip(jpeg) || result.count == strip(jpeg).count + 1, "with a fill byte")
      #expect(!contains(result, "secret") && decode(result).pixels == decode(jpeg).pixels)
      #expect(try StrippedImage(data: data).removed == [.exif, .location, .otherData])
    }
    let gif = GIFFixture().data()
    let plain = try strip(gif)
    #expect(try strip(gif.dropLast()) == plain)
    let unknown = try StrippedImage(data: gif.dropLast() + Data("unknown".utf8))
    #expect(try unknown.data() == plain && unknown.removed.contains(.otherData))
    #expect(throws: ImageError.self) { try StrippedImage(data: gif.prefix(gif.count / 2)) }
  }

  @Test func `bytes after the fields of a VP8X chunk are removed`() throws {
    let pixels = try WebPFixture.pixels(drawnBitmap(width: 31, height: 20), isLossless: false)
    let features = WebPFixture.features(flags: 0, width: 31, height: 20)
    let plain = WebPFixture.file(features + pixels)
    for secret in ["secret", "secrets"] {
      let long = WebPFixture.chunk("VP8X", Array(features.dropFirst(8)) + Array(secret.utf8))
      let data = WebPFixture.file(long + pixels)
      #expect(decode(data).error == nil && decode(data).pixels == decode(plain).pixels)
      #expect(try strip(data) == plain)
      #expect(try StrippedImage(data: data).removed == [.otherData])
    }
    #expect(try strip(plain) == plain)
  }

  @Test func `data behind what decoders read of a part is removed`() throws {
    let secret = Array("secret".utf8)
    let still = [UInt8](try strip(GIFFixture().data()))
    let repetition = [0x21, 0xFF, 0x0B] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    let gif = Array(still[..<397] + repetition + [0x21, 0xF9, 4, 0, 5, 0, 0, 0] + still[397...])
    for (block, size) in [([0x21, 0xF9, 0x04], 8), ([0x21, 0xFF, 0x0B] + Array("NETSCAPE".utf8), 19)] {
      let start = try #require(gif.indices.first { gif[$0...].starts(with: block) })
      var long = gif
      long.insert(contentsOf: [6] + secret, at: start + size - 1)
      #expect(decode(Data(long)).pixels == decode(Data(gif)).pixels)
      #expect(try [UInt8](strip(Data(long))) == gif)
      #expect(try StrippedImage(data: Data(long)).removed == [.otherData])
    }
    let png = try strip(PNGFixture().data())
    let end = [0, 0, 0, 6] + Array("IEND".utf8) + secret + [1, 2, 3, 4]
    let longPNG = png.dropLast(12) + Data(end)
    #expect(try strip(longPNG) == png && StrippedImage(data: longPNG).removed == [.otherData])
    let pixels = try WebPFixture.pixels(drawnBitmap(width: 31, height: 20), isLossless: false)
    let features = WebPFixture.features(flags: 0, width: 31, height: 20)
    let webp = WebPFixture.file(features + pixels)
    for chunk in [
      pixels, WebPFixture.chunk("ANIM", secret), WebPFixture.chunk("ANMF", [UInt8](repeating: 1, count: 40)),
    ] {
      let long = WebPFixture.file(features + pixels + chunk)
      #expect(try strip(long) == webp && StrippedImage(data: long).removed == [.otherData])
    }
  }

  @Test func `frames of a WebP that does not declare them stay`() throws {
    let still = try WebPFixture.pixels(drawnBitmap(width: 30, height: 20), isLossless: true)
    let data = WebPFixture.file(
      WebPFixture.features(flags: 0, width: 30, height: 20)
        + WebPFixture.chunk("ANIM", [0, 0, 0, 0, 0, 0])
        + WebPFixture.frame(left: 0, top: 0, width: 30, height: 20, pixels: still))
    #expect(try strip(data) == data && StrippedImage(data: data).removed.isEmpty)
  }

  @Test func `of a WebP, the parts that are shown stay, and no others`() throws {
    let still = try WebPFixture.pixels(drawnBitmap(width: 30, height: 20), isLossless: true)
    let animation = WebPFixture.features(flags: 0x02, width: 30, height: 20)
    let plain = WebPFixture.features(flags: 0, width: 30, height: 20)
    let loop = WebPFixture.chunk("ANIM", [0, 0, 0, 0, 0, 0])
    let other = WebPFixture.chunk("ANIM", [1, 2, 3, 4, 5, 6])
    let frame = WebPFixture.frame(left: 0, top: 0, width: 30, height: 20, pixels: still)
    let profile = WebPFixture.chunk("ICCP", FullFixture.profile())
    let trailing = WebPFixture.chunk("ICCP", FullFixture.profile() + Array("secret".utf8))
    let declared = WebPFixture.features(flags: 0x20, width: 30, height: 20)
    let secret = WebPFixture.chunk("ICCP", Array("secret".utf8))
    let exif = WebPFixture.chunk("EXIF", EXIFFixture.tiff(orientation: 6, isLittleEndian: true))
    for (long, short) in [
      // An animation shows no picture outside of its frames.
      (animation + loop + still + frame, animation + loop + frame),
      (animation + loop + other + frame, animation + loop + frame),
      (plain + profile + secret + still, plain + profile + still),
      (plain + profile + still + secret, plain + profile + still),
      (declared + secret + still, plain + still), (declared + trailing + still, declared + profile + still),
      // EXIF data needs a VP8X chunk before it.
      (exif + still, still), (exif + plain + still, plain + still),
    ] {
      let data = WebPFixture.file(long)
      #expect(try strip(data) == WebPFixture.file(short))
      #expect(try !StrippedImage(data: data).removed.isEmpty)
      let decoding = decode(data)
      let copy = decode(WebPFixture.file(short))
      #expect(decoding.error == nil && decoding.pixels == copy.pixels)
      let isSame = decoding.finalHeader?.orientation == copy.finalHeader?.orientation
      #expect(isSame && decoding.finalHeader?.frameCount == copy.finalHeader?.frameCount)
    }
  }

  @Test func `a plain text of a GIF is removed`() throws {
    let gif = GIFFixture().data()
    let grid: [UInt8] = [0, 0, 0, 0, 20, 0, 16, 0, 8, 8, 1, 0]
    let text = [0x21, 0x01, 12] + grid + [6] + Array("secret".utf8) + [0]
    let data = gif.prefix(397) + Data(text) + gif.dropFirst(397)
    #expect(decode(data).pixels == decode(gif).pixels)
    #expect(try strip(data) == strip(gif))
    #expect(try StrippedImage(data: data).removed == [.comment, .text])
  }

  @Test func `a file is replaced completely, in pieces, and keeps its permissions`() async throws {
    let folder = try TemporaryDirectory()
    let data = try FullFixture.jpeg()
    let file = try folder.write(data, to: "dog.jpg")
    chmod(file.path, 0o640)
    let stripped = try await StrippedImage(contentsOf: file)
    #expect(stripped.originalByteCount == data.count && stripped.byteCount < data.count)
    var pieces = Data()
    try stripped.forEachPiece { pieces.append(contentsOf: $0) }
    try await stripped.write(to: file)
    #expect(try Data(contentsOf: file) == strip(data) && pieces == strip(data))
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["dog.jpg"])
  }

  @Test func `a failure leaves the original and no temporary file`() async throws {
    let folder = try TemporaryDirectory()
    let data = FullFixture.png()
    let file = try folder.write(data, to: "dog.png")
    let stripped = try await StrippedImage(contentsOf: file)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await stripped.write(to: file)
    }
    await #expect(throws: ImageError.self) { try await cancelled.value }
    #expect(try Data(contentsOf: file) == data)
    try folder.write(data.prefix(100), to: "dog.png")
    let error = await #expect(throws: ImageError.self) { try await stripped.write(to: file) }
    #expect(error?.description == "The file dog.png changed while it was copied. Try again.")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["dog.png"])
  }

  @Test func `a file that was replaced by one of the same size is not copied`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write(FullFixture.png(), to: "dog.png")
    let stripped = try await StrippedImage(contentsOf: file)
    let other = Data(FullFixture.png().reversed())
    try folder.write(other, to: "other.png")
    #expect(rename(folder.path("other.png"), file.path) == 0)
    let error = await #expect(throws: ImageError.self) { try await stripped.write(to: file) }
    #expect(error?.description == "The file dog.png changed while it was copied. Try again.")
    #expect(try Data(contentsOf: file) == other)
  }

  @Test func `a file that must not be replaced stays`() async throws {
    let folder = try TemporaryDirectory()
    let stripped = try StrippedImage(data: FullFixture.png())
    let file = folder.file("dog.png")
    try await stripped.write(to: file, replaces: false)
    let error = await #expect(throws: ImageError.self) { try await stripped.write(to: file, replaces: false) }
    #expect(error?.description == "Could not write the file dog.png: File exists.")
    #expect(try Data(contentsOf: file) == stripped.data())
  }

  @Test func `an image in memory is stripped without decoding`() throws {
    let image = try #require(UIImage(data: FullFixture.jpeg()))
    #expect(image.metadata?.cameraModel == "K-1")
    let stripped = try image.strippingMetadata()
    #expect(stripped.metadata?.cameraModel == nil && stripped.imageOrientation == .right)
    #expect(stripped.size == image.size)
    let drawn = try #require(image.preparingForDisplay())
    #expect(drawn.metadata == nil)
    #expect(try drawn.strippingMetadata() === drawn)
    // The frames of an animation are files, too.
    for first in [image, drawn] {
      let animated = try #require(UIImage.animatedImage(with: [first, image], duration: 3))
      let copy = try animated.strippingMetadata()
      #expect(copy.duration == 3 && copy.images?.count == 2)
      #expect(copy.images?.allSatisfy { $0.metadata?.cameraModel == nil } == true)
    }
    let unchanged = try #require(UIImage.animatedImage(with: [drawn, drawn], duration: 3))
    #expect(try unchanged.strippingMetadata() === unchanged)
  }

  @Test(.timeLimit(.minutes(1)))
  func `files of hundreds of thousands of tiny parts do not take long`() throws {
    func repeated(_ bytes: [UInt8], in data: Data, at offset: Int) -> Data {
      let count = (2 << 20) / bytes.count
      return data[..<offset] + Data((0..<count).flatMap { _ in bytes }) + data[offset...]
    }
    let jpeg = try JPEGFixture.baseline()
    let webp = try FullFixture.webp()
    var large = repeated(Array("PRIV".utf8) + [0, 0, 0, 0], in: webp, at: webp.count)
    large.replaceSubrange(4..<8, with: BigEndian.bytes(large.count - 8, 4).reversed())
    let files = [
      repeated([0xFF, 0xDA, 0, 2], in: jpeg, at: jpeg.count - 2), repeated([0xFF], in: jpeg, at: 2),
      repeated([0xFF, 0xFE, 0, 2], in: jpeg, at: 2),
      repeated([0xFF, 0xFE, 0, 2], in: jpeg, at: jpeg.count - 2),
      repeated(PNGFixture.chunk("prIv", []), in: FullFixture.png(), at: 33), large,
      repeated([0], in: GIFFixture().data(), at: 397),
      repeated([0x21, 0xFE, 0], in: GIFFixture().data(), at: 397),
      repeated([1, 0x20], in: GIFFixture().data(), at: 399),
    ]
    let error = #expect(throws: ImageError.self) { try StrippedImage(data: files[0]) }
    #expect(error?.code == .tooLarge, "without a maximum, this file takes minutes")
    for data in files {
      _ = try? StrippedImage(data: data)
      _ = try? ImageMetadata(data: data)
    }
  }

  @Test func `damaged files are refused or copied, and never crash`() throws {
    for data in try FullFixture.all() + [try GainMapFixture().data] {
      for seed in 0..<400 as Range<UInt64> {
        guard let result = try? strip(mutated(data, seed: seed)) else { continue }
        #expect(throws: Never.self) { try StrippedImage(data: result) }
      }
      for length in stride(from: 0, to: data.count, by: 5) { _ = try? strip(data.prefix(length)) }
    }
    let error = #expect(throws: ImageError.self) { try StrippedImage(data: FullFixture.png().prefix(300)) }
    #expect(error?.code == .truncated)
  }
}
