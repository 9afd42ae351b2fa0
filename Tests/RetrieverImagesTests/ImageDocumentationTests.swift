import Foundation
import Retriever
import RetrieverImages
import TestSupport
import Testing

/// The code in the documentation does what the documentation says.
@Suite(.timeLimit(.minutes(5))) struct ImageDocumentationTests {
  private let examples = ImageDocumentationExamples()
  private let picture: Data

  init() throws { picture = try JPEGFixture.baseline(width: 200, height: 100) }

  private func server() throws -> ScriptedServer {
    let picture = picture
    return try ScriptedServer.http { request in
      switch request.path {
      case "/ids": Reply(text: "a\nb\n")
      case "/missing": Reply(404)
      default: Reply(body: picture)
      }
    }
  }

  @Test func theSixLinesFetchAThumbnail() async throws {
    let server = try server()
    let thumbnail = try await examples.fetchThumbnail(for: server.url("/photo"))
    #expect(thumbnail.size == CGSize(width: 40, height: 40))
    await #expect(throws: FetchError.badID) { try await examples.fetchThumbnail(for: server.url("/missing")) }
  }

  @Test func `an avatar is cropped and encoded`() async throws {
    let avatar = try await examples.avatar(from: picture)
    #expect(UIImage(data: avatar)?.size == CGSize(width: 100, height: 100))
  }

  @Test func `the available part of a truncated image is shown`() async throws {
    let large = try JPEGFixture.baseline(width: 640, height: 640)
    #expect(try await examples.bestEffort(large.prefix(large.count / 2)).size.width == 320)
    await #expect(throws: ImageError.self) { try await examples.bestEffort(Data("no image".utf8)) }
  }

  @MainActor @Test func `a gallery shows its images and the updates of one image`() async throws {
    let server = try server()
    let view = GalleryView()
    var configuration = ImagePipeline.Configuration()
    configuration.diskCache = nil
    let pipeline = ImagePipeline(configuration)
    try await examples.showPosts([server.url("/1"), server.url("/2")], from: pipeline, in: view)
    #expect(view.shown.count == 2)
    let request = ImageRequest(url: server.url("/3"), target: ThumbnailTarget(width: 50, height: 50))
    try await examples.follow(request, from: pipeline, placeholder: nil, in: view)
    #expect(view.shown[server.url("/3")]?.last?.size == CGSize(width: 50, height: 25))
  }

  @Test func `a server pipeline does not connect to private addresses`() async throws {
    let server = try server()
    let folder = try TemporaryDirectory()
    let pipeline = examples.makeServerPipeline(cache: folder.url)
    await #expect(throws: (any Error).self) { try await pipeline.image(from: server.url("/1")) }
    #expect(server.connectionCount == 0)
  }

  @Test func `a photo has a caption and is shared without its place`() async throws {
    let folder = try TemporaryDirectory()
    let photo = try folder.write(FullFixture.jpeg(), to: "dog.jpg")
    #expect(try await examples.caption(of: photo) == "2026-11-26, K-1")
    #expect(try await examples.share(photo, as: folder.file("shared.jpg")))
    #expect(try await examples.caption(of: folder.file("shared.jpg")) == "unknown camera")
  }

  @Test func `a collage is made from identifiers as they arrive`() async throws {
    let server = try server()
    let collage = try await examples.makeCollage(ids: server.url("/ids")) { server.url("/\($0)") }
    #expect(collage.size == CGSize(width: 2 * 160 + 3 * 8, height: 160 + 2 * 8))
    let same = try await examples.makePicture(ids: server.url("/ids")) { id in
      try await examples.fetchThumbnail(for: server.url("/\(id)"))
    }
    #expect(same.size == collage.size)
  }

  @Test func `an animation is played, previewed and written`() async throws {
    typealias Frame = AnimationFixture.Frame
    let data = AnimationFixture(frames: [Frame(index: 1, delay: 2), Frame(index: 2, delay: 2)]).data()
    var count = 0
    try await examples.play(data) { _ in count += 1 }
    #expect(count == 2)
    let server = try ScriptedServer.http { _ in Reply(body: data) }
    #expect(try await examples.firstFrames(1, of: server.url("/dog.gif")).map(\.index) == [0])
    #expect(try await ImageFrames(data: examples.preview(of: data)).all().count == 2)
    let images = try await ImageFrames(data: data).all().map(\.image)
    let slides = try #require(try await examples.slideShow(images))
    #expect(try await ImageFrames(data: slides).all().map(\.duration) == [.seconds(2), .seconds(2)])
  }

  @Test func `an image is cropped, rotated, drawn on and inverted`() async throws {
    let photo = try UIImage(validating: picture)
    #expect(try await examples.square(photo, tilted: 45).size == CGSize(width: 142, height: 142))
    let logo = UIImage(try PixelBuffer(width: 1, height: 1, layout: .rgb, bytes: [255, 0, 0]))
    let face = CGRect(x: 100, y: 20, width: 50, height: 50)
    let marked = try await examples.mark([face], in: photo, with: logo).pixels()
    #expect(marked[100, 45] == .white && marked.width == 200)
    let inverted = try await examples.inverted(logo).pixels()
    #expect(inverted[0, 0] == ImagePixels.Pixel(red: 0, green: 255, blue: 255))
    let frame: [UInt8] = [10, 10, 10, 20, 0, 0, 0, 0]
    let image = try examples.picture(from: frame, width: 1, height: 1, bytesPerRow: 8)
    #expect(try await image.pixels()[0, 0]?.alpha == 20)
  }

  @Test func `an upload is inspected`() async throws {
    let result = try await examples.inspect(picture)
    #expect(result.width == 200 && result.format == .jpeg)
  }
}
