import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct ImageFramesTests {
  private typealias Frame = AnimationFixture.Frame

  private func color(_ index: Int) -> ImagePixels.Pixel {
    let samples = GIFFixture.color(index)
    return .init(red: samples[0], green: samples[1], blue: samples[2])
  }

  private let clear = ImagePixels.Pixel(red: 0, green: 0, blue: 0, alpha: 0)

  /// Returns the top left and bottom right pixels of each frame.
  private func corners(_ fixture: AnimationFixture) async throws -> [[ImagePixels.Pixel?]] {
    var corners: [[ImagePixels.Pixel?]] = []
    for frame in try await ImageFrames(data: fixture.data()).all() {
      let pixels = try await frame.image.pixels()
      corners.append([pixels[0, 0], pixels[pixels.width - 1, pixels.height - 1]])
    }
    return corners
  }

  @Test(
    .enabled(if: !ReferenceAnimation.all.isEmpty, "No reference pictures. Run: scripts/setup test"),
    arguments: ReferenceAnimation.all)
  func `the frames are those that other programs show`(_ animation: ReferenceAnimation) async throws {
    let frames = try await ImageFrames(data: animation.data()).all()
    #expect(frames.map(\.statedDuration) == animation.durations.map { .milliseconds($0) })
    #expect(frames.map(\.loopCount) == frames.map { _ in animation.loopCount })
    #expect(frames.map(\.index) == Array(frames.indices))
    for frame in frames {
      #expect(try await animation.difference(frame) <= animation.tolerance, "frame \(frame.index)")
    }
  }

  @Test(
    .enabled(if: !ReferenceAnimation.all.isEmpty, "No reference pictures. Run: scripts/setup test"),
    arguments: ReferenceAnimation.all)
  func `files, pieces and bytes give the same frames`(_ animation: ReferenceAnimation) async throws {
    let data = try animation.data()
    let expected = try await pixels(ImageFrames(data: data))
    let pieces = AsyncStream<Data> { stream in
      for start in stride(from: 0, to: data.count, by: 7) {
        stream.yield(data[start..<min(start + 7, data.count)])
      }
      stream.finish()
    }
    let bytes = AsyncStream<UInt8> { stream in
      for byte in data { stream.yield(byte) }
      stream.finish()
    }
    for frames in [
      ImageFrames(pieces: pieces), ImageFrames(bytes: bytes), ImageFrames(contentsOfFile: animation.path),
      try UIImage(validating: data).frames,
    ] {
      let isSame = try await pixels(frames) == expected
      #expect(isSame)
    }
  }

  private func pixels(_ frames: ImageFrames) async throws -> [[UInt8]] {
    var all: [[UInt8]] = []
    for try await frame in frames { all.append(try await frame.image.pixels().samples) }
    return all
  }

  @Test func `a frame's rectangle is kept, cleared or restored before the next frame`() async throws {
    let small = Frame(left: 2, top: 1, width: 2, height: 2, index: 2)
    for (disposal, after) in [(0, color(2)), (1, color(2)), (2, clear), (3, color(1)), (4, color(1))] {
      var second = small
      second.disposal = disposal
      let dot = Frame(width: 1, height: 1, index: 3)
      let corners = try await corners(AnimationFixture(frames: [Frame(index: 1), second, dot]))
      #expect(corners == [[color(1), color(1)], [color(1), color(2)], [color(3), after]], "\(disposal)")
    }
  }

  @Test func `the background is transparent, and transparent pixels show earlier frames`() async throws {
    let hidden = Frame(index: 5, transparent: 5)
    let dot = Frame(width: 1, height: 1, index: 1)
    let corners = try await corners(AnimationFixture(frames: [dot, hidden]))
    #expect(corners == [[color(1), clear], [color(1), clear]])
  }

  @Test func `each frame has the color table that applies to it`() async throws {
    let frames = [Frame(index: 1), Frame(index: 1, hasOwnColors: true), Frame(index: 2)]
    #expect(
      try await corners(AnimationFixture(frames: frames)).map(\.[0]) == [color(1), color(126), color(2)])
  }

  @Test func `parts of a frame outside the screen are not drawn`() async throws {
    let outside = Frame(left: 3, top: 2, width: 9, height: 9, index: 2, disposal: 2)
    let far = Frame(left: 900, top: 900, index: 3, disposal: 2)
    let frames = [Frame(index: 1), outside, far, Frame(width: 1, height: 1, index: 4)]
    let corners = try await corners(AnimationFixture(frames: frames))
    #expect(corners.map(\.[1]) == [color(1), color(2), clear, clear])
  }

  @Test func `very short frames are shown for a tenth of a second`() async throws {
    let delays = [0, 1, 2, 9, 300]
    let frames = try await ImageFrames(
      data: AnimationFixture(frames: delays.map { Frame(index: 1, delay: $0) }).data()
    ).all()
    #expect(frames.map(\.duration) == [100, 100, 20, 90, 3_000].map { .milliseconds($0) })
    #expect(frames.map(\.statedDuration) == [0, 10, 20, 90, 3_000].map { .milliseconds($0) })
  }

  @Test(arguments: [(nil, 1), (0, 0), (1, 2), (5, 6)] as [(Int?, Int)])
  func `the number of times a GIF is shown is one more than its repetitions`(_ stored: Int?, _ shown: Int)
    async throws
  {
    let fixture = AnimationFixture(frames: [Frame(index: 1), Frame(index: 2)], repetitions: stored)
    #expect(try await ImageFrames(data: fixture.data()).all().map(\.loopCount) == [shown, shown])
  }

  @Test func `a still image has one frame`() async throws {
    let png = try PNGEncoder.encode(drawnBitmap(width: 5, height: 4))
    let still = try WebPEncoder.encode(drawnBitmap(width: 5, height: 4), quality: 1, isLossless: true)
    let tiff = EXIFFixture.tiff(orientation: 6, isLittleEndian: true)
    let turned = JPEGFixture.adding(
      Array("Exif\0\0".utf8) + tiff, marker: 0xE1, to: try JPEGFixture.baseline(width: 5, height: 4))
    for (data, size) in [
      (png, CGSize(width: 5, height: 4)), (still, CGSize(width: 5, height: 4)),
      (turned, CGSize(width: 4, height: 5)),
    ] {
      let frames = try await ImageFrames(data: data).all()
      #expect(frames.map(\.image.size) == [size])
      #expect(frames.map(\.duration) == [.zero] && frames.map(\.loopCount) == [1])
    }
  }

  @Test func `an animated WebP with an EXIF orientation has one size`() async throws {
    let image = try UIImage(validating: WebPFixture.turnedAnimation(orientation: 6))
    let frames = try await image.frames.all()
    #expect(image.size == CGSize(width: 50, height: 40) && image.imageOrientation == .up)
    #expect(frames.map(\.image.size) == [image.size, image.size])
    #expect(image.preparingForDisplay()?.size == image.size)
  }

  @Test func `a frame is available before the next one has arrived`() async throws {
    let first = AnimationFixture(frames: [Frame(index: 1)], end: []).data()
    let (pieces, arrival) = AsyncStream.makeStream(of: Data.self)
    var iterator = ImageFrames(pieces: pieces).makeAsyncIterator()
    arrival.yield(first)
    #expect(try await iterator.next()?.index == 0)
    arrival.yield(Data([0x3B]))
    arrival.finish()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func `a cut animation gives its complete frames, then an error`() async throws {
    for data in [
      AnimationFixture(frames: [Frame(index: 1), Frame(index: 2)], end: []).data().dropLast(3),
      try WebPFixture.animation().dropLast(9),
    ] {
      var iterator = ImageFrames(data: data).makeAsyncIterator()
      #expect(try await iterator.next()?.index == 0)
      await #expect { try await iterator.next() } throws: { ($0 as? ImageError)?.code == .truncated }
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func `pixels outside of the frames of an animated WebP belong to none`() async throws {
    let still = try WebPFixture.pixels(drawnBitmap(width: 30, height: 20), isLossless: true)
    let start =
      WebPFixture.features(flags: 0x02, width: 30, height: 20)
      + WebPFixture.chunk("ANIM", [0, 0, 0, 0, 0, 0])
    let frame = { WebPFixture.frame(left: 0, top: 0, width: 30, height: 20, pixels: $0) }
    #expect(try await ImageFrames(data: WebPFixture.file(start + still + frame(still))).all().count == 1)
    let empty = ImageFrames(data: WebPFixture.file(start + frame([]) + still))
    await #expect { try await empty.all() } throws: {
      ($0 as? ImageError)?.description == "The WebP image is damaged: frame 1 has no pixels."
    }
  }

  @Test func `a GIF without a trailer is complete after its last frame`() async throws {
    let fixture = AnimationFixture(frames: [Frame(index: 1), Frame(index: 2)], end: [])
    #expect(try await ImageFrames(data: fixture.data()).all().count == 2)
  }

  @Test func `data that is not an image, or empty, gives an error`() async throws {
    for (data, code) in [
      (Data("no image at all, but text".utf8), ImageError.Code.unknownFormat), (Data(), .truncated),
      (Data("GI".utf8), .truncated), (Data("GIF89a".utf8), .truncated),
      (AnimationFixture(frames: []).data(), .truncated),
      (AnimationFixture(frames: [Frame(width: 0, index: 1)]).data(), .corrupt),
    ] {
      await #expect { try await ImageFrames(data: data).all() } throws: { ($0 as? ImageError)?.code == code }
    }
    await #expect { try await ImageFrames(contentsOfFile: "/nowhere/dog.gif").all() } throws: {
      ($0 as? ImageError)?.code == .unreadableFile
    }
  }

  @Test func `frames, pixels, bytes and memory are limited`() async throws {
    let data = AnimationFixture(frames: (1...5).map { Frame(index: $0) }).data()
    for limits in [
      ImageLimits(frames: 3), ImageLimits(animationPixels: 4 * 3 * 3), ImageLimits(bytes: data.count - 1),
    ] {
      var count = 0
      await #expect { for try await _ in ImageFrames(data: data, limits: limits) { count += 1 } } throws: {
        ($0 as? ImageError)?.code == .tooLarge
      }
      #expect(count >= 3)
    }
    for limits in [ImageLimits(pixels: 11), ImageLimits(dimension: 3), ImageLimits(memory: 100)] {
      await #expect { try await ImageFrames(data: data, limits: limits).all() } throws: {
        ($0 as? ImageError)?.code == .tooLarge
      }
    }
    #expect(try await ImageFrames(data: data, limits: ImageLimits(frames: 5)).all().count == 5)
  }

  @Test func `a large still image in a sequence is not collected beyond the limit`() async throws {
    let pieces = AsyncStream<Data> { stream in
      for _ in 0..<100 { stream.yield(Data(repeating: 0xFF, count: 1_000)) }
      stream.finish()
    }
    let frames = ImageFrames(pieces: pieces, limits: ImageLimits(bytes: 4_000))
    await #expect { try await frames.all() } throws: { ($0 as? ImageError)?.code == .tooLarge }
  }

  @Test func `cancelling ends the work between frames`() async throws {
    let (pieces, arrival) = AsyncStream.makeStream(of: Data.self)
    arrival.yield(AnimationFixture(frames: [Frame(index: 1)], end: []).data())
    let hasFrame = Gate()
    let task = Task {
      var iterator = ImageFrames(pieces: pieces).makeAsyncIterator()
      _ = try await iterator.next()
      hasFrame.open()
      while !Task.isCancelled { await Task.yield() }
      return try await iterator.next()
    }
    _ = await hasFrame.wait()
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.value }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `damaged animations give frames or errors, the same in one piece and in pieces`(_ seed: UInt64) throws
  {
    let original =
      seed.isMultiple(of: 2)
      ? AnimationFixture(frames: (1...4).map { Frame(index: $0, transparent: 3, disposal: $0 % 4) }).data()
      : try WebPFixture.animation()
    let data = mutated(original, seed: seed)
    let limits = ImageLimits(pixels: 100_000, dimension: 4_096, frames: 50)
    func count(_ size: Int) -> (frames: Int, code: ImageError.Code?) {
      let decoder = FrameDecoder(limits: limits, flag: CancellationFlag())
      var count = 0
      do throws(ImageError) {
        for start in stride(from: 0, to: data.count, by: size) {
          try Data(data[start..<min(start + size, data.count)]).withBytes { (bytes) throws(ImageError) in
            var rest = bytes
            while try decoder.next(&rest) != nil { count += 1 }
          }
        }
        if try decoder.finish() != nil { count += 1 }
      } catch {
        return (count, error.code)
      }
      return (count, nil)
    }
    #expect(count(data.count) == count(3))
  }
}
