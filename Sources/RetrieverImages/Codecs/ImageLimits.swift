/// How much an image may ask for. Everything is checked from its header, before memory is taken.
public struct ImageLimits: Sendable, Hashable {
  /// The bytes of the file.
  public var bytes: Int
  /// Width times height, as stored.
  public var pixels: Int
  /// Width or height, as stored.
  public var dimension: Int
  /// The frames of an animation.
  public var frames: Int
  /// The bytes of memory a decoder may hold of one image where it cannot go row by row: the coefficients of a
  /// progressive JPEG, the pixels of an interlaced PNG, of a WebP and of a GIF's frame.
  public var memory: Int
  /// The time that decoding may take; what the network takes is not counted.
  public var duration: Duration

  /// Limits; those that are not given are 64 MiB, 50 million pixels, 65,535 in each direction, 1,000 frames,
  /// 512 MiB of memory and 30 seconds.
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
