import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

/// Tests the complete pipeline with real decoders.
@Suite(.timeLimit(.minutes(5))) struct PipelineRealImagesTests {
  private static func photo(_ width: Int, _ height: Int, isProgressive: Bool = false) throws -> Data {
    let size = PixelSize(width: width, height: height)
    return try JPEGEncoder.encode(
      Bitmap(size: size, format: .rgb8, pixels: drawnPixels(size: size, format: .rgb8)), quality: 0.8,
      isProgressive: isProgressive)
  }

  private func pipeline(_ policy: DamagePolicy = .tolerate) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration()
    configuration.damagePolicy = policy
    configuration.diskCache = nil
    return ImagePipeline(configuration)
  }

  @Test func sizesOfOnePhotoComeFromOneFetch() async throws {
    let photo = try Self.photo(1_200, 800)
    let server = try ScriptedServer.http { _ in Reply(body: photo) }
    let pipeline = pipeline()
    async let small = pipeline.thumbnail(from: server.url(), fitting: CGSize(width: 120, height: 120))
    async let square = pipeline.thumbnail(
      from: server.url(), fitting: CGSize(width: 200, height: 200), mode: .fill)
    async let complete = pipeline.image(from: server.url())
    #expect(try await small.size == CGSize(width: 120, height: 80))
    #expect(try await square.size == CGSize(width: 200, height: 200))
    #expect(try await complete.size == CGSize(width: 1_200, height: 800))
    #expect(server.requests.count == 1)
  }

  @Test func `a request that the image cannot satisfy does not fail the others`() async throws {
    let photo = try Self.photo(300, 200)
    let asked = Gate()
    let release = Gate()
    let server = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        asked.open()
        try connection.wait(for: release)
        try connection.send(Reply(body: photo))
      }
    }
    let pipeline = pipeline()
    // In one decode, an enlargement to more than 50 million pixels comes first.
    let large = ThumbnailTarget(width: 20_000, height: 20_000, enlarges: true)
    let invalid = pipeline.load(ImageRequest(url: server.url(), target: large))
    #expect(await asked.wait())
    let valid = pipeline.load(.fit(100, server.url()))
    release.open()
    #expect(try await valid.value.size == CGSize(width: 100, height: 67))
    let error = await failure { try await invalid.value } as? ImageError
    #expect(error?.code == .invalidRequest)
    #expect(server.requests.count == 1)
  }

  @Test func `a thumbnail made from another one looks like one made from the photo`() async throws {
    let photo = try Self.photo(800, 600)
    let server = try ScriptedServer.http { _ in Reply(body: photo) }
    let size = CGSize(width: 100, height: 100)
    let direct = try await pipeline().thumbnail(from: server.url(), fitting: size)
    let second = pipeline()
    _ = try await second.thumbnail(from: server.url(), fitting: CGSize(width: 200, height: 200))
    let derived = try await second.thumbnail(from: server.url(), fitting: size)
    #expect(server.requests.count == 2)
    #expect(direct.size == derived.size)
    let worst = zip(direct.pixels, derived.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 255
    let mean = zip(direct.pixels, derived.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    #expect(Double(mean) / Double(direct.pixels.count) < 1.5, "worst \(worst)")
  }

  @Test(arguments: [1, 6])
  func `a thumbnail made from another one has the size of one made from the photo`(orientation: Int)
    async throws
  {
    // 67 rows become 26.5 and 13.3. Half of the rounded 27 would be 14.
    let data = JPEGFixture.withEXIF(
      TIFFFixture.camera(orientation: orientation).data(), try JPEGFixture.baseline(width: 101, height: 67))
    let forms = [40, 20].map { ImageForm(ThumbnailTarget(width: $0, height: $0)) }
    let factory = PooledThumbnailWorkerFactory()
    let worker = factory.makeWorker(forms, limits: ImageLimits(), orientation: nil)
    try await worker.feed(data, priority: .normal)
    guard case .images(let results) = try await worker.finish(priority: .normal) else {
      Issue.record("The orientation precedes the pixels.")
      return
    }
    let direct = try results.map { try $0.get() }
    let derived = try await factory.derive(forms[1], from: direct[0], priority: .normal)
    #expect(
      direct[1].pixelSize == PixelSize(width: orientation == 1 ? 20 : 13, height: orientation == 1 ? 13 : 20))
    #expect(derived.pixelSize == direct[1].pixelSize)
    // Also if the larger thumbnail was made from another one.
    let third = try await factory.derive(
      ImageForm(ThumbnailTarget(width: 3, height: 3)), from: derived, priority: .normal)
    #expect(third.originalSize == direct[0].originalSize && third.pixelSize.pixelCount == 6)
  }

  @Test func aPreviewOfAProgressivePhotoIsShownBeforeItsEnd() async throws {
    let photo = try Self.photo(1_200, 900, isProgressive: true)
    let shown = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.nextRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(photo.count)\r\n\r\n")
      try connection.send(photo[..<(photo.count * 3 / 4)])
      try connection.wait(for: shown)
      try connection.send(photo[(photo.count * 3 / 4)...])
    }
    var previews: [CGSize] = []
    let target = ThumbnailTarget(width: 300, height: 300)
    for try await update in pipeline().updates(for: ImageRequest(url: server.url(), target: target)) {
      switch update {
      case .preview(let image):
        previews.append(image.size)
        shown.open()
      case .image(let image): #expect(image.size == CGSize(width: 300, height: 225))
      default: break
      }
    }
    #expect(previews.first == CGSize(width: 300, height: 225))
  }

  @Test func `invalid and truncated image data give different errors`() async throws {
    let photo = try Self.photo(300, 200)
    let server = try ScriptedServer.http { request in
      request.path == "/text"
        ? Reply(text: "<html>Not here</html>") : Reply(body: photo.prefix(photo.count / 2))
    }
    let text = await failure { try await pipeline().image(from: server.url("/text")) }
    #expect((text as? ImageError)?.code == .unknownFormat)
    let half = await failure { try await pipeline(.strict).image(from: server.url("/half")) }
    #expect((half as? ImageError)?.code == .truncated)
    #expect((half as? ImageError)?.damage.map(\.kind) == [.incomplete])
    #expect((half as? ImageError)?.partialImages.count == 1)
  }

  @Test func `an incomplete image is returned and fetched again, a damaged one is kept`() async throws {
    let photo = try Self.photo(300, 200)
    let damaged = DamagedFile.jpegWithWrongRestartMarker(try JPEGFixture.form(.rgb8, restartInterval: 2))
    let server = try ScriptedServer.http { request in
      request.path == "/half" ? Reply(body: photo.prefix(photo.count / 2)) : Reply(body: damaged)
    }
    let pipeline = pipeline()
    let size = CGSize(width: 30, height: 30)
    for _ in 0..<2 {
      let half = try await pipeline.thumbnail(from: server.url("/half"), fitting: size)
      #expect(half.damage.map(\.kind) == [.incomplete])
      let other = try await pipeline.thumbnail(from: server.url("/damaged"), fitting: size)
      #expect(other.damage.map(\.kind) == [.pixels])
    }
    #expect(server.requests.filter { $0.path == "/half" }.count == 2)
    #expect(server.requests.filter { $0.path == "/damaged" }.count == 1)
  }

  @Test(arguments: [3, 6])
  func `a PNG whose orientation follows its pixels is shown upright`(orientation: Int) async throws {
    let plain = PNGFixture(width: 60, height: 40).data()
    let exif = EXIFFixture.tiff(orientation: orientation, isLittleEndian: true)
    let data = plain.dropLast(12) + Data(PNGFixture.chunk("eXIf", exif)) + plain.suffix(12)
    let server = try ScriptedServer.http { _ in Reply(body: data) }
    let image = try #require(UIImage(data: data))
    #expect(image.imageOrientation == (orientation == 3 ? .down : .right))
    let corner = ThumbnailTarget.Mode.fill(focus: ThumbnailTarget.Focus(x: 0, y: 0))
    for (width, height, mode) in [(30, 30, ThumbnailTarget.Mode.fit), (30, 10, .fit), (30, 10, corner)] {
      let target = ThumbnailTarget(width: width, height: height, mode: mode)
      let size = CGSize(width: width, height: height)
      let thumbnail = try await pipeline().thumbnail(from: server.url(), fitting: size, mode: mode)
      let expected = try image.decoded(to: target, flag: CancellationFlag())
      #expect(thumbnail.size == expected.size && thumbnail.pixels == expected.pixels, "\(target)")
    }
    let complete = try await pipeline().image(from: server.url())
    #expect(try complete.pixels == image.bitmap().pixels)
    #expect(server.requests.count == 4, "the orientation needs no second fetch")
  }

  @Test func `a ThumbHash of a photo is a placeholder for it`() async throws {
    let photo = try Self.photo(640, 480)
    let image = try #require(UIImage(data: photo))
    let hash = try #require(ThumbHash(image))
    #expect(hash.data.count <= 25)
    #expect(abs(hash.aspectRatio - 4.0 / 3) < 0.2)
    #expect(hash.image.size.width == 32)
  }
}
