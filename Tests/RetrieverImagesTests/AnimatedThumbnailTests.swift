import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct AnimatedThumbnailTests {
  private typealias Frame = AnimationFixture.Frame

  private func animation(_ count: Int, repetitions: Int? = 0) -> Data {
    AnimationFixture(
      width: 64, height: 48,
      frames: (0..<count).map {
        $0 == 0
          ? Frame(width: 64, height: 48, index: 3)
          : Frame(left: 3 * ($0 % 9), top: 7, width: 21, height: 13, index: 10 * ($0 % 9) + 5)
      }, repetitions: repetitions
    ).data()
  }

  private func image(_ data: Data) throws -> UIImage { try UIImage(validating: data) }

  @Test func `an animated thumbnail has the frames, durations and repetitions of the original`() async throws
  {
    let original = try image(animation(6, repetitions: 3))
    let data = try await original.animatedThumbnail(ThumbnailTarget(width: 32, height: 32), quality: 1)
    let frames = try await ImageFrames(data: data).all()
    #expect(try image(data).format == .webp)
    #expect(frames.count == 6)
    #expect(frames.map(\.image.size) == frames.map { _ in CGSize(width: 32, height: 24) })
    #expect(frames.map(\.duration) == frames.map { _ in .milliseconds(50) })
    #expect(frames.map(\.loopCount) == frames.map { _ in 4 })
    for (frame, source) in zip(frames, try await original.frames.all()) {
      let expected = try await source.image.thumbnail(ThumbnailTarget(width: 32, height: 32)).pixels()
      let pixels = try await frame.image.pixels()
      #expect(difference(pixels.samples, expected.samples).mean < 4, "frame \(frame.index)")
    }
  }

  @Test(arguments: [
    (ThumbnailTarget.Mode.fit, CGSize(width: 30, height: 23)), (.fill, CGSize(width: 30, height: 30)),
    (.stretch, CGSize(width: 30, height: 30)),
  ])
  func `an animated thumbnail fits into its size as a still one does`(
    _ mode: ThumbnailTarget.Mode, _ size: CGSize
  ) async throws {
    let target = ThumbnailTarget(width: 30, height: 30, mode: mode)
    let data = try await image(animation(3)).animatedThumbnail(target)
    #expect(try image(data).size == size)
    #expect(try await ImageFrames(data: data).all().count == 3)
  }

  @Test func `an animation with too many frames keeps every second or third, and its duration`() async throws
  {
    for (maximum, count) in [(20, 20), (19, 10), (7, 7), (1, 1)] {
      let data = try await image(animation(20)).animatedThumbnail(
        ThumbnailTarget(width: 16, height: 16), maximumFrames: maximum)
      let frames = try await ImageFrames(data: data).all()
      #expect(frames.count == count, "\(maximum)")
      guard count > 1 else { continue }
      let duration: Duration = frames.reduce(.zero) { $0 + $1.duration }
      #expect(duration == .seconds(1))
    }
  }

  @Test func `equal frames are joined, and others contain only what changes`() async throws {
    let still = AnimationFixture(
      width: 64, height: 48,
      frames: [Frame(width: 64, height: 48, index: 3), Frame(index: 3), Frame(left: 31, top: 17, index: 9)])
    let data = try await image(still.data()).animatedThumbnail(ThumbnailTarget(width: 64, height: 48))
    var (scanner, places) = (FrameScanner(limits: ImageLimits()), [FrameRectangle?]())
    var durations: [Int] = []
    try data.withBytes { (bytes) throws(ImageError) in
      var rest = bytes
      while let frame = try scanner.next(&rest) {
        places.append(frame.place)
        durations.append(frame.milliseconds)
      }
    }
    #expect(durations == [100, 50])
    #expect(
      places == [
        FrameRectangle(left: 0, top: 0, size: PixelSize(width: 64, height: 48)),
        FrameRectangle(left: 30, top: 16, size: PixelSize(width: 5, height: 4)),
      ])
  }

  @Test func `transparency is kept`() async throws {
    let fixture = AnimationFixture(
      width: 40, height: 40,
      frames: [
        Frame(width: 20, height: 20, index: 3, disposal: 2),
        Frame(left: 20, top: 20, width: 20, height: 20, index: 4),
      ])
    let data = try await image(fixture.data()).animatedThumbnail(ThumbnailTarget(width: 20, height: 20))
    let frames = try await ImageFrames(data: data).all()
    var alphas: [[UInt8?]] = []
    for frame in frames {
      let pixels = try await frame.image.pixels()
      alphas.append([pixels[2, 2]?.alpha, pixels[17, 17]?.alpha])
    }
    #expect(alphas == [[255, 0], [0, 255]])
  }

  @Test func `the animated thumbnail of a still image is a still WebP`() async throws {
    let jpeg = try JPEGFixture.baseline(width: 60, height: 40)
    let data = try await image(jpeg).animatedThumbnail(ThumbnailTarget(width: 30, height: 30))
    #expect(try image(data).size == CGSize(width: 30, height: 20))
    #expect(data.withUnsafeBytes { WebPFrameReader.isAnimated($0) } == false)
  }

  @Test func `the animated thumbnail of a damaged still image shows what could be decoded`() async throws {
    let target = ThumbnailTarget(width: 30, height: 30)
    let jpeg = try JPEGFixture.baseline(width: 150, height: 120)
    let gif = GIFFixture(screenWidth: 120, screenHeight: 90, width: 120, height: 90).data()
    for complete in [jpeg, gif] {
      let cut = try image(complete.prefix(complete.count / 2))
      #expect(try await image(cut.animatedThumbnail(target)).size.width == 30)
      let found = try await cut.animatedThumbnail(target, quality: 1, maximumFrames: 9, damage: .tolerate)
      #expect(found.damage.map(\.kind) == [.incomplete])
      await #expect(throws: ImageError.self) {
        _ = try await cut.animatedThumbnail(target, quality: 1, maximumFrames: 9, damage: .strict)
      }
    }
    // A file that ends within its second frame is an animation.
    let cut = try image(animation(2).dropLast(5))
    await #expect { try await cut.animatedThumbnail(target) } throws: {
      ($0 as? ImageError)?.code == .truncated
    }
  }

  @Test func `an animated image that is prepared for display is still animated`() async throws {
    let picture = try image(JPEGFixture.baseline(width: 8, height: 6))
    let animated = try #require(UIImage.animatedImage(with: [picture, picture], duration: 2))
    let shown = try #require(animated.preparingForDisplay())
    #expect(shown.images?.count == 2 && shown.duration == 2)
    let prepared = await animated.byPreparingForDisplay()
    #expect(prepared?.images?.count == 2 && prepared?.duration == 2)
  }

  @Test func `invalid requests, limits and damage give an error`() async throws {
    let original = try image(animation(5))
    await #expect(throws: ImageError.self) {
      try await original.animatedThumbnail(ThumbnailTarget(width: 0, height: 9))
    }
    await #expect(throws: ImageError.self) {
      try await original.animatedThumbnail(ThumbnailTarget(width: 9, height: 9), maximumFrames: 0)
    }
    let target = ThumbnailTarget(width: 9, height: 9)
    let slow = try UIImage(validating: animation(5), limits: ImageLimits(duration: .zero))
    await #expect { try await slow.animatedThumbnail(target) } throws: {
      ($0 as? ImageError)?.code == .tooLarge
    }
    let cut = try image(animation(5).dropLast(5))
    await #expect { try await cut.animatedThumbnail(target) } throws: {
      ($0 as? ImageError)?.code == .truncated
    }
  }

  @Test func `a cancelled task gets an error`() async throws {
    let original = try image(animation(5))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await original.animatedThumbnail(ThumbnailTarget(width: 9, height: 9))
    }
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.value }
  }

  @Test func `an animated image has images and a duration, and is written as an animated WebP`() async throws
  {
    let pictures = (0..<3).map { index in
      UIImage(
        bitmap: Bitmap(
          size: PixelSize(width: 8, height: 6), format: .rgb8,
          pixels: [UInt8](repeating: UInt8(80 * index), count: 8 * 6 * 3)))
    }
    let animated = try #require(UIImage.animatedImage(with: pictures, duration: 1))
    #expect(animated.images?.count == 3 && animated.duration == 1)
    #expect(animated.size == CGSize(width: 8, height: 6))
    let data = try await animated.data(as: .losslessWebP)
    let frames = try await ImageFrames(data: data).all()
    #expect(frames.map(\.duration) == [333, 334, 333].map { .milliseconds($0) })
    #expect(frames.map(\.loopCount) == [0, 0, 0])
    for (frame, picture) in zip(frames, pictures) {
      let isSame = try await frame.image.pixels()[3, 3] == picture.pixels()[3, 3]
      #expect(isSame)
    }
    let joined = try #require(UIImage.animatedImage(with: [animated, pictures[0]], duration: 0))
    #expect(joined.images?.count == 4 && joined.duration == 4.0 / 30)
    #expect(try await joined.frames.all().count == 4)
    #expect(UIImage.animatedImage(with: [], duration: 1) == nil)
    #expect(pictures[0].images == nil && pictures[0].duration == 0)
    // Not all of the same size.
    let other = UIImage(bitmap: drawnBitmap(width: 3, height: 3))
    let mixed = try #require(UIImage.animatedImage(with: [animated, other], duration: 1))
    await #expect(throws: ImageError.self) { try await mixed.data(as: .webp()) }
  }

  @Test func `damage of a frame is an error or tolerated, and edits keep it`() async throws {
    let complete = try JPEGFixture.baseline(width: 64, height: 64)
    let cut = try #require(UIImage(data: complete.dropLast(complete.count / 3)))
    let animated = try #require(UIImage.animatedImage(with: [cut, cut], duration: 1))
    await #expect(throws: ImageError.self) { try await animated.data(as: .webp()) }
    let written = try await animated.data(as: .webp(), damage: .tolerate)
    // Frames with the same pixels become one.
    #expect(try await ImageFrames(data: written).all().count == 1)
    let drawn = try await cut.thumbnail(ThumbnailTarget(width: 32, height: 32), damage: .tolerate)
    #expect(drawn.damage.map(\.kind) == [.incomplete])
    #expect(try await drawn.flipped().damage == drawn.damage)
    #expect(try await drawn.changingPixels { _ in }.damage == drawn.damage)
    #expect(try await drawn.drawing { _ in }.damage == drawn.damage)
  }

  @Test func `a file is read with an error that explains a failure`() async throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appendingPathComponent("dog.gif").path
    try animation(2).write(to: URL(filePath: file))
    #expect(try UIImage(validatingContentsOfFile: file).format == .gif)
    #expect(try await UIImage.loading(file: file).size == CGSize(width: 64, height: 48))
    await #expect { try await UIImage.loading(file: "/nowhere/dog.gif") } throws: { error in
      let error = error as? ImageError
      return error?.code == .unreadableFile
        && error?.description == "Could not read the file /nowhere/dog.gif: No such file or directory."
    }
    #expect { try UIImage(validatingContentsOfFile: folder.url.path) } throws: {
      ($0 as? ImageError)?.code == .unreadableFile
    }
    #expect { try UIImage(validatingContentsOfFile: file, limits: ImageLimits(bytes: 100)) } throws: {
      ($0 as? ImageError)?.code == .tooLarge
    }
  }
}
