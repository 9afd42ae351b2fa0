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

  /// Limits; those that are not given are 64 MiB, 50 million pixels, 65,535 in each direction and 1,000 frames.
  public init(
    bytes: Int = 64 << 20, pixels: Int = 50_000_000, dimension: Int = 65_535, frames: Int = 1_000
  ) {
    self.bytes = bytes
    self.pixels = pixels
    self.dimension = dimension
    self.frames = frames
  }
}
