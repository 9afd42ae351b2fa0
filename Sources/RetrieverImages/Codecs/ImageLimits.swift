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
  /// The maximum memory, in bytes, that a decoder may hold for an image that it cannot decode row by row.
  ///
  /// This applies to the coefficients of a progressive JPEG and to the pixels of an interlaced PNG, a WebP or a GIF
  /// frame.
  public var memory: Int
  /// The maximum time that decoding may take. The time that the network takes does not count.
  public var duration: Duration

  /// Creates limits.
  ///
  /// The defaults are 64 MiB, 50 million pixels, 65,535 pixels in each direction, 1,000 frames, 512 MiB of memory and
  /// 30 seconds.
  public init(
    bytes: Int = 64 << 20, pixels: Int = 50_000_000, dimension: Int = 65_535, frames: Int = 1_000,
    memory: Int = 512 << 20, duration: Duration = .seconds(30)
  ) {
    self.bytes = bytes
    self.pixels = pixels
    self.dimension = dimension
    self.frames = frames
    self.memory = memory
    self.duration = duration
  }
}
