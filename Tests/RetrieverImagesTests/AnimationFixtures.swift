import Foundation

@testable import RetrieverImages

/// Builds GIF animations whose frames have one color each.
struct AnimationFixture {
  struct Frame {
    var left = 0
    var top = 0
    var width = 4
    var height = 3
    /// The color of all pixels; ``GIFFixture/color(_:)`` has its samples.
    var index: Int
    var transparent: Int?
    var disposal = 1
    /// The time in hundredths of a second.
    var delay = 5
    var hasOwnColors = false
  }

  var width = 4
  var height = 3
  var frames: [Frame]
  /// The repetitions after the first time, as the file has it; nil without the extension.
  var repetitions: Int?
  /// What follows the last frame.
  var end: [UInt8] = [0x3B]

  func data() -> Data {
    var file = Array("GIF89a".utf8) + word(width) + word(height) + [0x86, 0, 0]
    file += (0..<128).flatMap { GIFFixture.color($0) }
    if let repetitions {
      file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + word(repetitions) + [0]
    }
    return Data(file + frames.flatMap { bytes(of: $0) } + end)
  }

  private func bytes(of frame: Frame) -> [UInt8] {
    let flags = UInt8(frame.disposal << 2) | (frame.transparent == nil ? 0 : 1)
    var bytes: [UInt8] =
      [0x21, 0xF9, 4, flags] + word(frame.delay) + [UInt8(frame.transparent ?? 0), 0, 0x2C]
    bytes += word(frame.left) + word(frame.top) + word(frame.width) + word(frame.height)
    bytes.append(frame.hasOwnColors ? 0x86 : 0)
    // The own table is the global one backwards.
    if frame.hasOwnColors { bytes += (0..<128).flatMap { GIFFixture.color(127 - $0) } }
    var codes: [UInt8] = []
    for position in 0..<frame.width * frame.height {
      if position.isMultiple(of: 120) { codes.append(0x80) }
      codes.append(UInt8(frame.index))
    }
    codes.append(0x81)
    bytes.append(7)
    for start in stride(from: 0, to: codes.count, by: 100) {
      let block = codes[start..<min(start + 100, codes.count)]
      bytes += [UInt8(block.count)] + block
    }
    return bytes + [0]
  }

  private func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
}

extension ImageFrames {
  /// Returns all frames.
  func all() async throws -> [ImageFrame] {
    var frames: [ImageFrame] = []
    for try await frame in self { frames.append(frame) }
    return frames
  }
}

/// An animation of the reference set that `scripts/setup test` creates, with its frames as Pillow and libwebp show them.
struct ReferenceAnimation: Decodable, Sendable, CustomStringConvertible {
  let file: String
  let width: Int
  let height: Int
  let durations: [Int]
  let loopCount: Int
  /// The maximum difference of any premultiplied sample in units of 1/255.
  let tolerance: Int

  var description: String { file }

  /// Empty if the set has not been created.
  static let all: [ReferenceAnimation] = {
    guard let manifest = try? Data(contentsOf: ReferencePicture.folder.appending(path: "animations.json"))
    else { return [] }
    return (try? JSONDecoder().decode([ReferenceAnimation].self, from: manifest)) ?? []
  }()

  var path: String { ReferencePicture.folder.appending(path: file).path }

  func data() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  /// Returns the largest difference between a frame and the reference.
  func difference(_ frame: ImageFrame) async throws -> Int {
    let count = width * height * 4
    let all = [UInt8](try Data(contentsOf: URL(filePath: path + ".frames")))
    let expected = Array(all[frame.index * count..<(frame.index + 1) * count])
    let pixels = try await frame.image.pixels()
    guard pixels.width == width, pixels.height == height, pixels.hasAlpha else { return .max }
    let pairs = zip(
      ReferencePicture.premultiplied(expected, channels: 4),
      ReferencePicture.premultiplied(pixels.samples, channels: 4))
    return pairs.map { abs($0 - $1) }.max() ?? .max
  }
}
