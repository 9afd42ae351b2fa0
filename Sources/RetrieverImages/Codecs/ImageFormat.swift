/// The supported image formats. The first bytes of the data determine the format, never a file name or a content type.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG, baseline or progressive.
  case jpeg
  /// PNG, interlaced or not.
  case png
  /// WebP, lossy or lossless. Only the first frame of an animation is decoded.
  case webp
  /// GIF. Only the first frame of an animation is decoded.
  case gif
}
