/// The kinds of image that can be read, told by their first bytes and never by a name or a content type.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG, baseline or progressive.
  case jpeg
  /// PNG, interlaced or not.
  case png
  /// WebP, lossy or lossless; of an animation, the first frame.
  case webp
  /// GIF; of an animation, the first frame.
  case gif
}
