import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct UIImageTests {
  private let jpeg: Data

  init() throws { jpeg = try JPEGFixture.baseline(width: 200, height: 100) }

  @Test func `creating an image reads only its header`() throws {
    // The pixels are incomplete, and nobody has asked for them yet.
    let image = try #require(UIImage(data: jpeg.prefix(jpeg.count / 2)))
    #expect(image.size == CGSize(width: 200, height: 100))
    #expect(image.scale == 1)
    #expect(image.imageOrientation == .up)
    #expect(image.format == .jpeg)
    #expect(image.preparingForDisplay() == nil)
  }

  @Test func `invalid image data gives nil`() throws {
    #expect(UIImage(data: Data()) == nil)
    #expect(UIImage(data: Data("<svg/>".utf8)) == nil)
    #expect(UIImage(data: jpeg.prefix(20)) == nil)
    #expect(UIImage(contentsOfFile: "/nowhere/dog.jpg") == nil)
    // A file without an end.
    #expect(UIImage(contentsOfFile: "/dev/zero") == nil)
    #expect(throws: ImageError.self) { try UIImage(validating: Data("GIF".utf8)) }
  }

  @Test func aFileIsRead() throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appendingPathComponent("dog")
    try jpeg.write(to: file)
    #expect(UIImage(contentsOfFile: file.path)?.size == CGSize(width: 200, height: 100))
  }

  @Test(arguments: [
    ("dog.jpg", 1), ("dog@2x.jpg", 2), ("dog@3x.jpg", 3), ("dog@2x~ipad.jpg", 2), ("dog@3x~iphone.jpg", 3),
    ("dog@2x", 2), ("dog~ipad.jpg", 1), ("dog@4x.jpg", 1), ("dog@2x.small.jpg", 1), ("2x.jpg", 1),
    ("folder@2x/dog.jpg", 1),
  ])
  func `the name of a file states the scale`(name: String, scale: Double) async throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try jpeg.write(to: file)
    for image in [
      try #require(UIImage(contentsOfFile: file.path)), try UIImage(validatingContentsOfFile: file.path),
      try await UIImage.loading(file: file.path),
    ] {
      #expect(image.scale == scale)
      #expect(image.size == CGSize(width: 200 / scale, height: 100 / scale))
    }
  }

  @Test func `the size is in points and has the orientation applied`() throws {
    let turned = JPEGFixture.adding(
      Array("Exif\0\0".utf8) + EXIFFixture.tiff(orientation: 6, isLittleEndian: true), marker: 0xE1, to: jpeg)
    let image = try #require(UIImage(data: turned, scale: 2))
    #expect(image.imageOrientation == .right)
    #expect(image.size == CGSize(width: 50, height: 100))
    #expect(image.preparingForDisplay()?.size == CGSize(width: 50, height: 100))
    #expect(image.preparingForDisplay()?.imageOrientation == .up)
  }

  @Test func `thumbnails have exactly the requested size`() async throws {
    let image = try #require(UIImage(data: jpeg))
    for size in [CGSize(width: 40, height: 40), CGSize(width: 300, height: 7), CGSize(width: 1, height: 1)] {
      #expect(image.preparingThumbnail(of: size)?.size == size)
      #expect(await image.byPreparingThumbnail(ofSize: size)?.size == size)
      let handled = await withCheckedContinuation { continuation in
        image.prepareThumbnail(of: size) { continuation.resume(returning: $0) }
      }
      #expect(handled?.size == size)
    }
  }

  @Test(arguments: [
    CGSize(width: 0, height: 10), CGSize(width: -1, height: 10), CGSize(width: Double.nan, height: 10),
    CGSize(width: Double.infinity, height: 10), CGSize(width: 1e300, height: 1),
  ])
  func `an invalid size gives nil`(size: CGSize) async throws {
    let image = try #require(UIImage(data: jpeg))
    #expect(image.preparingThumbnail(of: size) == nil)
    #expect(await image.byPreparingThumbnail(ofSize: size) == nil)
  }

  @Test func `truncated data gives a partial thumbnail, and nil or an error otherwise`() async throws {
    let image = try #require(UIImage(data: jpeg.prefix(jpeg.count / 2)))
    let thumbnail = await image.byPreparingThumbnail(ofSize: CGSize(width: 9, height: 9))
    #expect(thumbnail?.damage.map(\.kind) == [.incomplete])
    #expect(await image.byPreparingForDisplay() == nil)
    #expect(image.pngData() == nil && image.jpegData(compressionQuality: 0.5) == nil)
    await #expect(throws: ImageError.self) {
      try await image.thumbnail(ThumbnailTarget(width: 9, height: 9), damage: .strict)
    }
  }

  @Test func theHandlerIsNotCalledOnTheCallersThread() async throws {
    let image = try #require(UIImage(data: jpeg))
    let hasReturned = Gate()
    let isElsewhere = await withCheckedContinuation { continuation in
      // If the handler were called before `prepareThumbnail` returns, it would never end.
      image.prepareThumbnail(of: CGSize(width: 9, height: 9)) { _ in
        continuation.resume(returning: hasReturned.waitBlocking(.seconds(30)))
      }
      hasReturned.open()
    }
    #expect(isElsewhere)
  }

  @Test func `a thumbnail can be made from another thumbnail`() async throws {
    let image = try #require(UIImage(data: jpeg))
    let small = try await image.thumbnail(ThumbnailTarget(width: 100, height: 100))
    let smaller = try await small.thumbnail(ThumbnailTarget(width: 20, height: 20, mode: .fill))
    #expect(smaller.size == CGSize(width: 20, height: 20))
    #expect(smaller.format == nil)
    #expect(smaller.encodedData == nil)
  }

  @Test func `many tasks can use one image at the same time`() async throws {
    let image = try #require(UIImage(data: jpeg))
    let expected = try await image.thumbnail(ThumbnailTarget(width: 31, height: 31)).pixels()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 {
        group.addTask {
          try await image.thumbnail(ThumbnailTarget(width: 31, height: 31)).pixels() == expected
        }
      }
      for try await isSame in group { #expect(isSame) }
    }
  }

  @Test func aCancelledTaskGetsAnError() async throws {
    let image = try #require(UIImage(data: jpeg))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await image.thumbnail(ThumbnailTarget(width: 9, height: 9))
    }
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.value }
  }

  @Test func `pixels can be read and made into an image`() async throws {
    let red = ImagePixels.Pixel(red: 255, green: 0, blue: 0)
    let clear = ImagePixels.Pixel(red: 0, green: 0, blue: 0, alpha: 0)
    let image = try #require(UIImage(width: 2, height: 1, pixels: [red, clear]))
    let pixels = try await image.pixels()
    #expect(pixels[0, 0] == red)
    #expect(pixels[1, 0] == clear)
    #expect(pixels[2, 0] == nil && pixels[0, -1] == nil && pixels[0, 1] == nil)
    #expect(pixels.hasAlpha)
    #expect(UIImage(width: 2, height: 1, pixels: [red]) == nil)
    #expect(UIImage(width: .max, height: 2, pixels: [red]) == nil)
  }

  @Test func `decoding ends when its cancellation flag is set`() throws {
    let image = try #require(UIImage(data: jpeg))
    let flag = CancellationFlag()
    flag.set()
    #expect(throws: ImageError.cancelled) { try image.bitmap(flag: flag) }
  }

  @Test func `the header of a WebP with EXIF data is read without decoding the pixels before it`() throws {
    var pixels = try WebPFixture.pixels(drawnBitmap(width: 40, height: 30), isLossless: true)
    for index in 20..<pixels.count { pixels[index] = 0xFF }
    let tiff = EXIFFixture.tiff(orientation: 6, isLittleEndian: true)
    let file = WebPFixture.file(
      WebPFixture.features(flags: 0x08, width: 40, height: 30) + pixels + WebPFixture.chunk("EXIF", tiff))
    let image = try #require(UIImage(data: file))
    #expect(image.imageOrientation == .right)
    #expect(image.size == CGSize(width: 30, height: 40))
    #expect(image.preparingForDisplay() == nil)
  }
}
