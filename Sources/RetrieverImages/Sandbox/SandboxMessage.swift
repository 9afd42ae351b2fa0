import Foundation

/// The numbers and the bytes of a request to a sandboxed process, or of its answer.
///
/// A message is a list of 64-bit numbers, of which the last one is the number of bytes that follow. The answer of a process
/// that an attacker controls may contain anything, so each number is checked.
struct SandboxRequest: Sendable, Equatable {
  static let wordCount = 16
  /// The first number, which shows that both sides are of the same version.
  private static let version: Int = 1

  var limits: ImageLimits
  var target: ThumbnailTarget
  var policy: DamagePolicy
  /// The size of the file.
  var byteCount: Int

  init(limits: ImageLimits, target: ThumbnailTarget, policy: DamagePolicy = .strict, byteCount: Int) {
    self.limits = limits
    self.target = target
    self.policy = policy
    self.byteCount = byteCount
  }

  var words: [Int] {
    let (mode, focus) =
      switch target.mode {
      case .fit: (0, ThumbnailTarget.Focus.center)
      case .fill(let focus): (1, focus)
      case .stretch: (2, ThumbnailTarget.Focus.center)
      }
    return [
      Self.version, limits.bytes, limits.pixels, limits.dimension, limits.frames, limits.memory,
      limits.milliseconds, limits.animationPixels, target.width, target.height, mode,
      Int(bitPattern: UInt(focus.x.bitPattern)), Int(bitPattern: UInt(focus.y.bitPattern)),
      target.enlarges ? 1 : 0, policy == .tolerate ? 1 : 0, byteCount,
    ]
  }

  /// Returns nil if the numbers are not a request.
  init?(words: [Int]) {
    guard words.count == Self.wordCount, words[0] == Self.version, words[15] >= 0 else { return nil }
    limits = ImageLimits(
      bytes: words[1], pixels: words[2], dimension: words[3], frames: words[4], memory: words[5],
      duration: .milliseconds(words[6]), animationPixels: words[7])
    let focus = ThumbnailTarget.Focus(
      x: Double(bitPattern: UInt64(UInt(bitPattern: words[11]))),
      y: Double(bitPattern: UInt64(UInt(bitPattern: words[12]))))
    let modes: [ThumbnailTarget.Mode] = [.fit, .fill(focus: focus), .stretch]
    guard modes.indices ~= words[10] else { return nil }
    target = ThumbnailTarget(
      width: words[8], height: words[9], mode: modes[words[10]], enlarges: words[13] == 1)
    policy = words[14] == 1 ? .tolerate : .strict
    byteCount = words[15]
  }
}

/// The answer to a ``SandboxRequest``: the properties of the image and the thumbnail's pixels, or an error.
enum SandboxAnswer: Sendable {
  static let wordCount = 10

  case thumbnail(SandboxedThumbnail)
  case failure(ImageError)

  /// The errors that a process may report, with their numbers in a message.
  private static let codes: [ImageError.Code] = [
    .unknownFormat, .truncated, .corrupt, .unsupported, .tooLarge, .outOfMemory, .invalidRequest,
  ]
  /// The maximum size of the text of an error.
  static let maximumTextSize = 4_096
  /// The maximum size of the list of damage.
  private static let maximumDamageSize = 64 << 10

  /// The numbers and the bytes of the message.
  var message: (words: [Int], bytes: [UInt8]) {
    switch self {
    case .failure(let error):
      let text = Array(error.description.utf8.prefix(Self.maximumTextSize))
      let code = Self.codes.firstIndex(of: error.code) ?? 2
      return ([1, code, 0, 0, 0, 0, 0, 0, 0, text.count], text)
    case .thumbnail(let result):
      guard case .decoded(let bitmap) = result.thumbnail.source else {
        return SandboxAnswer.failure(ImageError(.corrupt, "The image has no pixels.")).message
      }
      let format = ImageFormat.allCases.firstIndex(of: result.format) ?? 0
      let damage = Self.bytes(of: result.thumbnail.damage)
      return (
        [
          0, format, result.width, result.height, result.frameCount, bitmap.size.width, bitmap.size.height,
          bitmap.format.hasAlpha ? 1 : 0, damage.count, bitmap.pixels.count + damage.count,
        ], bitmap.pixels + damage
      )
    }
  }

  /// The number of bytes that follow the numbers; nil if the numbers cannot be an answer to the request.
  static func byteCount(_ words: [Int], request: SandboxRequest) -> Int? {
    guard words.count == wordCount else { return nil }
    let count = words[9]
    if words[0] == 1 { return codes.indices ~= words[1] && 0...maximumTextSize ~= count ? count : nil }
    guard words[0] == 0, ImageFormat.allCases.indices ~= words[1], 0...1 ~= words[7],
      0...maximumDamageSize ~= words[8]
    else { return nil }
    let original = PixelSize(width: words[2], height: words[3])
    let size = PixelSize(width: words[5], height: words[6])
    guard (try? request.limits.check(original)) != nil, words[4] >= 1, words[4] <= request.limits.frames,
      size.width >= 1, size.height >= 1, size.width <= request.target.width,
      size.height <= request.target.height,
      size.pixelCount <= max(original.pixelCount, ThumbnailGeometry.maximumEnlargedPixels),
      count == size.pixelCount * (words[7] == 1 ? 4 : 3) + words[8]
    else { return nil }
    return count
  }

  /// - Parameters:
  ///   - words: Numbers that ``byteCount(_:request:)`` accepted.
  ///   - bytes: As many bytes as that returned.
  init(words: [Int], bytes: [UInt8]) {
    if words[0] == 1 {
      self = .failure(ImageError(Self.codes[words[1]], String(decoding: bytes, as: UTF8.self)))
      return
    }
    let bitmap = Bitmap(
      size: PixelSize(width: words[5], height: words[6]), format: words[7] == 1 ? .rgba8 : .rgb8,
      pixels: Array(bytes.dropLast(words[8])))
    self = .thumbnail(
      SandboxedThumbnail(
        thumbnail: UIImage(bitmap: bitmap, damage: Self.damage(in: bytes.suffix(words[8]))),
        format: ImageFormat.allCases[words[1]], width: words[2],
        height: words[3], frameCount: words[4]))
  }
}

// The list of damage: for each entry a byte with its kind, its text, and a zero.
extension SandboxAnswer {
  private static func bytes(of damage: [ImageDamage]) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in damage {
      let kind = ImageDamage.Kind.allCases.firstIndex(of: entry.kind) ?? 0
      let text = entry.description.utf8.filter { $0 != 0 }
      guard bytes.count + text.count + 2 <= maximumDamageSize else { break }
      bytes += [UInt8(kind)] + text + [0]
    }
    return bytes
  }

  /// What is not a list is ignored.
  private static func damage(in bytes: ArraySlice<UInt8>) -> [ImageDamage] {
    var damage: [ImageDamage] = []
    var rest = bytes
    while let kind = rest.popFirst(), let end = rest.firstIndex(of: 0) {
      if ImageDamage.Kind.allCases.indices ~= Int(kind) {
        damage.append(
          ImageDamage(
            ImageDamage.Kind.allCases[Int(kind)], String(decoding: rest[..<end], as: UTF8.self)))
      }
      rest = rest[(end + 1)...]
    }
    return damage
  }
}

extension ImageLimits {
  /// The duration in milliseconds, at most a day.
  fileprivate var milliseconds: Int {
    let limited = min(max(duration, .zero), .seconds(86_400))
    return Int(limited.components.seconds) * 1_000
      + Int(limited.components.attoseconds / 1_000_000_000_000_000)
  }
}

/// A thumbnail that ``ImageSandbox`` made, and the properties of its image. *Beyond Apple's API.*
public struct SandboxedThumbnail: Sendable {
  /// The thumbnail. Its pixels are decoded.
  public let thumbnail: UIImage
  /// The format of the file.
  public let format: ImageFormat
  /// The width of the image in pixels, after its orientation is applied.
  public let width: Int
  /// The height of the image in pixels, after its orientation is applied.
  public let height: Int
  /// The number of frames; 1 for a still image.
  public let frameCount: Int

  /// Decodes an image on the calling thread, without a sandbox.
  static func make(
    _ data: Data, _ target: ThumbnailTarget, limits: ImageLimits, policy: DamagePolicy = .strict,
    flag: CancellationFlag
  ) throws(ImageError) -> SandboxedThumbnail {
    // The orientation of a PNG may be stated after its pixels.
    let orientation: ImageOrientation? =
      if case .encoded(_, let header) = try UIImage(validating: data, limits: limits).source {
        header.orientation
      } else {
        nil
      }
    let decoder = ThumbnailDecoder(
      targets: [target], limits: limits, orientation: orientation, policy: policy, flag: flag)
    try data.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
    guard let image = try decoder.finish().first, let header = decoder.header else {
      throw ImageError(.corrupt, "The image has no pixels.")
    }
    let size = (orientation ?? header.orientation).isTransposed ? header.size.transposed : header.size
    return SandboxedThumbnail(
      thumbnail: image, format: header.format, width: size.width, height: size.height,
      frameCount: header.frameCount)
  }
}
