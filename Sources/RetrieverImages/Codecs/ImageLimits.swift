/// The maximum resources that decoding an image may use. All values are checked before memory is allocated.
public struct ImageLimits: Sendable, Hashable {
  /// The maximum size of the file in bytes.
  public var bytes: Int
  /// The maximum number of pixels: width times height, as stored.
  public var pixels: Int
  /// The maximum width and height in pixels, as stored.
  public var dimension: Int
  /// The maximum number of frames of an animation.
  public var frames: Int
  /// The maximum number of pixels of all frames of an animation: the size of the animation, times the number of frames.
  public var animationPixels: Int
  /// The maximum memory, in bytes, that a decoder may hold for an image that it cannot decode row by row.
  ///
  /// This applies to the coefficients of a progressive JPEG, to the pixels of an interlaced PNG, a WebP or a GIF frame,
  /// and to a row of tiles of a HEIC or AVIF.
  public var memory: Int
  /// The maximum time that decoding may take. The time that the network takes does not count.
  public var duration: Duration

  /// Creates limits.
  ///
  /// The defaults are 64 MiB, 50 million pixels, 65,535 pixels in each direction, 1,000 frames, 512 MiB of memory,
  /// 30 seconds, and 1,000 million pixels of all frames.
  public init(
    bytes: Int = 64 << 20, pixels: Int = 50_000_000, dimension: Int = 65_535, frames: Int = 1_000,
    memory: Int = 512 << 20, duration: Duration = .seconds(30), animationPixels: Int = 1_000_000_000
  ) {
    self.bytes = bytes
    self.pixels = pixels
    self.dimension = dimension
    self.frames = frames
    self.memory = memory
    self.duration = duration
    self.animationPixels = animationPixels
  }
}

extension ImageLimits {
  /// Throws if the size in a header exceeds the limits.
  func check(_ size: PixelSize) throws(ImageError) {
    let stated = "The image is \(size.width) by \(size.height) pixels"
    guard size.width > 0, size.height > 0 else {
      throw ImageError(.corrupt, "\(stated).")
    }
    guard size.width <= dimension, size.height <= dimension else {
      throw ImageError(.tooLarge, "\(stated); the maximum is \(dimension) in each direction.")
    }
    guard size.pixelCount <= pixels else {
      throw ImageError(.tooLarge, "\(stated); the maximum is \(pixels) pixels.")
    }
  }

  /// Throws if the memory that a decoder needs at the same time exceeds the limit.
  func checkMemory(_ needed: UInt64) throws(ImageError) {
    guard needed <= UInt64(clamping: memory) else {
      throw ImageError(
        .tooLarge, "Decoding the image needs \(needed) bytes of memory; the maximum is \(memory).")
    }
  }

  /// Throws if the memory for all pixels of an image exceeds the limit.
  func checkMemory(of size: PixelSize, bytesPerPixel: Int) throws(ImageError) {
    let (bytes, overflows) = size.pixelCount.multipliedReportingOverflow(by: bytesPerPixel)
    try checkMemory(overflows ? .max : UInt64(bytes))
  }

  /// Throws as soon as an animation has too many frames.
  func checkFrames(_ count: Int) throws(ImageError) {
    guard count <= frames else {
      throw ImageError(.tooLarge, "The image has at least \(count) frames; the maximum is \(frames).")
    }
  }

  /// Adds a frame of an animation to the number of pixels so far, and throws if there are too many.
  func count(_ size: PixelSize, into total: inout Int) throws(ImageError) {
    let (sum, overflows) = total.addingReportingOverflow(size.pixelCount)
    total = overflows ? .max : sum
    guard total <= animationPixels else {
      throw ImageError(
        .tooLarge, "The frames of the animation have more than the maximum of \(animationPixels) pixels.")
    }
  }

  /// Adds to the number of bytes read so far, and throws if there are too many.
  func count(_ bytes: UnsafeRawBufferPointer, into total: inout Int) throws(ImageError) {
    let (sum, overflows) = total.addingReportingOverflow(bytes.count)
    total = overflows ? .max : sum
    guard total <= self.bytes else {
      throw ImageError(.tooLarge, "The image is larger than the maximum of \(self.bytes) bytes.")
    }
  }
}
