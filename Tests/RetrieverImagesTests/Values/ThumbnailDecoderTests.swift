import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct ThumbnailDecoderTests {
  private func feed(
    _ data: Data, to decoder: ThumbnailDecoder, inPiecesOf size: Int = .max
  ) throws(ImageError) {
    var rest = data[...]
    while !rest.isEmpty {
      let piece = Data(rest.prefix(size))
      rest = rest.dropFirst(size)
      try piece.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
    }
  }

  private func decode(
    _ data: Data, _ targets: [ThumbnailTarget?], limits: ImageLimits = ImageLimits(),
    inPiecesOf size: Int = .max
  ) throws(ImageError) -> [Bitmap] {
    let decoder = ThumbnailDecoder(targets: targets, limits: limits)
    try feed(data, to: decoder, inPiecesOf: size)
    return try decoder.finish().compactMap { image in
      if case .decoded(let bitmap) = image.source { bitmap } else { nil }
    }
  }

  @Test func `one pass makes several sizes in order`() throws {
    let data = try JPEGFixture.baseline(width: 320, height: 200)
    let targets = [
      ThumbnailTarget(width: 32, height: 32), ThumbnailTarget(width: 100, height: 100, mode: .fill),
      ThumbnailTarget(width: 50, height: 70, mode: .stretch),
    ]
    let sizes = try decode(data, targets).map { [$0.size.width, $0.size.height] }
    #expect(sizes == [[32, 20], [100, 100], [50, 70]])
  }

  @Test func `a target that the image cannot have does not fail the others`() throws {
    let valid = ThumbnailTarget(width: 30, height: 30)
    let invalid = ThumbnailTarget(width: 20_000, height: 20_000, enlarges: true)
    for data in [
      try JPEGFixture.baseline(width: 120, height: 90), HEIFFixture.phone().data(),
      try JPEGFixture.baseline(width: 120, height: 90).dropLast(400),
    ] {
      let alone = ThumbnailDecoder(targets: [valid], limits: ImageLimits(), policy: .tolerate)
      try feed(data, to: alone)
      let decoder = ThumbnailDecoder(targets: [invalid, valid], limits: ImageLimits(), policy: .tolerate)
      try feed(data, to: decoder)
      #expect(try decoder.preview() != nil)
      let results = try decoder.finishEach()
      #expect(throws: ImageError.self) { try results[0].get() }
      #expect(try results[1].get().pixels == bitmap(alone).pixels)
    }
    let none = ThumbnailDecoder(targets: [invalid, invalid], limits: ImageLimits())
    #expect {
      try feed(JPEGFixture.baseline(width: 120, height: 90), to: none)
    } throws: {
      ($0 as? ImageError)?.code == .invalidRequest
    }
  }

  @Test func `a size whose part of the image is missing does not fail the others`() throws {
    let complete = try JPEGFixture.baseline(width: 120, height: 400)
    let data = complete.dropLast(complete.count / 2)
    let top = ThumbnailTarget(width: 30, height: 100)
    let bottom = ThumbnailTarget(width: 30, height: 10, mode: .fill(focus: .init(x: 0.5, y: 1)))
    for targets in [[top, bottom], [bottom, top]] {
      let decoder = ThumbnailDecoder(targets: targets, limits: ImageLimits(), policy: .tolerate)
      try feed(data, to: decoder)
      let results = try decoder.finishEach()
      for (target, result) in zip(targets, results) {
        if target == top {
          #expect(try result.get().damage.map(\.kind) == [.incomplete])
        } else {
          let error = #expect(throws: ImageError.self) { try result.get() }
          #expect(error?.code == .truncated && error?.damage.map(\.kind) == [.incomplete])
        }
      }
    }
    let alone = ThumbnailDecoder(targets: [bottom], limits: ImageLimits(), policy: .tolerate)
    #expect {
      try feed(data, to: alone)
      _ = try alone.finishEach()
    } throws: {
      ($0 as? ImageError)?.code == .truncated
    }
  }

  @Test func `the size of the pieces does not change the result`() throws {
    let data = try JPEGFixture.progressive(width: 120, height: 90)
    let target = ThumbnailTarget(width: 30, height: 30)
    let complete = try decode(data, [target])
    for size in [1, 7, 1_000] {
      let isSame = try decode(data, [target], inPiecesOf: size) == complete
      #expect(isSame)
    }
  }

  /// A picture with stripes in both directions: a shift by a fraction of a pixel changes all of them.
  private func striped(width: Int, height: Int) -> Bitmap {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let value = sin(Double(x) * 2 * .pi / 41) + sin(Double(y) * 2 * .pi / 37)
        pixels += repeatElement(UInt8(128 + value * 50), count: 3)
      }
    }
    return Bitmap(size: PixelSize(width: width, height: height), format: .rgb8, pixels: pixels)
  }

  @Test(arguments: [(720, 544), (721, 543), (723, 541), (725, 539), (727, 537)])
  func `sides that are no multiple of the decoder's scale do not move the picture`(width: Int, height: Int)
    throws
  {
    let drawn = striped(width: width, height: height)
    for mode in [ThumbnailTarget.Mode.fit, .fill] {
      let target = ThumbnailTarget(width: 64, height: 64, mode: mode)
      // The reference is made from the original pixels.
      let exact = ThumbnailDecoder(targets: [target], limits: ImageLimits())
      try PNGEncoder.encode(drawn).withBytes { (bytes) throws(ImageError) in try exact.feed(bytes) }
      let reference = try bitmap(exact)
      // The scale is a half for a progressive image, and a quarter for another one.
      for isProgressive in [false, true] {
        let data = try JPEGEncoder.encode(drawn, quality: 0.95, isProgressive: isProgressive)
        let decoder = ThumbnailDecoder(targets: [target], limits: ImageLimits())
        try feed(data, to: decoder)
        let result = try bitmap(decoder)
        #expect(result.size == reference.size)
        #expect(difference(result.pixels, reference.pixels).mean < 1, "\(mode), \(isProgressive)")
      }
    }
  }

  private func bitmap(_ decoder: ThumbnailDecoder) throws -> Bitmap {
    guard case .decoded(let bitmap)? = try decoder.finish().first?.source else {
      throw ImageError(.corrupt, "There is no thumbnail.")
    }
    return bitmap
  }

  @Test func `an image at its own size has the stored pixels`() throws {
    let drawn = drawnBitmap(width: 64, height: 48)
    let data = try JPEGEncoder.encode(drawn, quality: 1, isProgressive: false)
    let bitmap = try #require(try decode(data, [nil]).first)
    #expect(bitmap.size == drawn.size)
    let differences = zip(bitmap.pixels, drawn.pixels).map { abs(Int($0) - Int($1)) }
    #expect(differences.reduce(0, +) / differences.count < 4)
  }

  @Test func `the error for a truncated image contains its rows`() throws {
    let data = try JPEGFixture.baseline(width: 320, height: 320)
    let target = ThumbnailTarget(width: 64, height: 64)
    let complete = try #require(try decode(data, [target]).first)
    do throws(ImageError) {
      _ = try decode(data.prefix(data.count / 2), [target])
      Issue.record("half of an image was treated as complete")
    } catch {
      #expect(error.code == .truncated)
      guard case .decoded(let partial)? = error.partialImages.first?.source else {
        Issue.record("the rows of the first half are missing")
        return
      }
      #expect(partial.size == complete.size)
      #expect(partial.format == .rgba8)
      #expect(partial.pixels[3] == 255)
      #expect(partial.pixels.last == 0)
      let isSame = partial.pixels[0..<3] == complete.pixels[0..<3]
      #expect(isSame)
    }
  }

  @Test func `a cancellation flag ends the work`() throws {
    let data = try JPEGFixture.baseline(width: 320, height: 320)
    let flag = CancellationFlag()
    let decoder = ThumbnailDecoder(
      targets: [ThumbnailTarget(width: 9, height: 9)], limits: ImageLimits(), flag: flag)
    try feed(data.prefix(data.count / 2), to: decoder)
    flag.set()
    #expect(throws: ImageError.cancelled) { try feed(data.suffix(data.count / 2), to: decoder) }
    #expect(throws: ImageError.cancelled) { try decoder.finish() }
  }

  @Test func `a time limit ends the decoding of a progressive image before its first row`() throws {
    let data = try JPEGFixture.progressive(width: 2_000, height: 1_500)
    var limits = ImageLimits()
    limits.duration = .nanoseconds(1)
    // Only a decoder that reads on after the limit reaches the corrupt end.
    let broken = data.prefix(data.count - 9) + Data(repeating: 0, count: 9)
    #expect(throws: ImageError(.tooLarge, "Decoding the image took longer than 1e-09 seconds.")) {
      try decode(broken, [ThumbnailTarget(width: 9, height: 9)], limits: limits)
    }
  }

  @Test func `decoding that takes too long is an error`() throws {
    let data = try JPEGFixture.baseline(width: 320, height: 320)
    var limits = ImageLimits()
    limits.duration = .nanoseconds(1)
    do throws(ImageError) {
      _ = try decode(data, [nil], limits: limits)
      Issue.record("the limit was exceeded")
    } catch {
      #expect(error.code == .tooLarge)
      #expect(error.description.contains("took longer"))
    }
  }

  @Test func `a preview shows a complete progressive image, or the upper part of another one`() throws {
    let target = ThumbnailTarget(width: 64, height: 64)
    let progressive = try JPEGFixture.progressive(width: 640, height: 640)
    let first = ThumbnailDecoder(targets: [target], limits: ImageLimits())
    try feed(progressive.prefix(progressive.count * 3 / 4), to: first)
    let early = try #require(try first.preview())
    #expect(early.size == CGSize(width: 64, height: 64))
    guard case .decoded(let shown) = early.source else { return #expect(Bool(false)) }
    #expect(shown.format == .rgb8)

    let baseline = try JPEGFixture.baseline(width: 640, height: 640)
    let second = ThumbnailDecoder(targets: [target], limits: ImageLimits())
    #expect(try second.preview() == nil)
    try feed(baseline.prefix(baseline.count * 3 / 4), to: second)
    guard case .decoded(let upper)? = try second.preview()?.source else { return #expect(Bool(false)) }
    #expect(upper.format == .rgba8)
    #expect(upper.pixels[3] == 255 && upper.pixels.last == 0)
  }
}
