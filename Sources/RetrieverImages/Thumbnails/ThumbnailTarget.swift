/// The size of a thumbnail, and the way to fit an image with another aspect ratio into it.
public struct ThumbnailTarget: Sendable, Hashable {
  /// The ways to fit an image with another aspect ratio into a size.
  public enum Mode: Sendable, Hashable {
    /// The complete image within the size: one side may be shorter than requested.
    case fit
    /// The image covers the complete size; the parts outside it are cut off around the focus.
    case fill(focus: Focus)
    /// Exactly the requested size; the aspect ratio of the image changes.
    case stretch

    /// The image covers the complete size; the middle of the image is kept.
    public static let fill = Mode.fill(focus: .center)
  }

  /// The point of an image that should stay visible: from 0 to 1, from the left and from the top.
  public struct Focus: Sendable, Hashable {
    /// The horizontal position, from the left edge (0) to the right edge (1).
    public let x: Double
    /// The vertical position, from the top edge (0) to the bottom edge (1).
    public let y: Double

    /// Creates a point. A point outside the image is moved to the nearest edge.
    public init(x: Double, y: Double) {
      self.x = Self.clamp(x)
      self.y = Self.clamp(y)
    }

    /// The middle of the image.
    public static let center = Focus(x: 0.5, y: 0.5)

    private static func clamp(_ value: Double) -> Double { value.isNaN ? 0.5 : min(max(value, 0), 1) }
  }

  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int
  /// The way to fit an image with another aspect ratio.
  public var mode: Mode
  /// Whether an image that is smaller than the size is enlarged, to at most 50 million pixels.
  public var enlarges: Bool

  /// Creates a target of the given size. By default, the complete image fits within the size and is never enlarged.
  public init(width: Int, height: Int, mode: Mode = .fit, enlarges: Bool = false) {
    self.width = width
    self.height = height
    self.mode = mode
    self.enlarges = enlarges
  }
}
