/// The size a thumbnail shall have, and what happens to the parts that do not fit into it.
public struct ThumbnailTarget: Sendable, Hashable {
  /// How a picture of other proportions is brought to a size.
  public enum Mode: Sendable, Hashable {
    /// The whole picture, inside the size: one side may be shorter than asked for.
    case fit
    /// The whole size covered; what stands over is cut off around the focus.
    case fill(focus: Focus)
    /// Exactly the size, the proportions given up.
    case stretch

    /// The whole size covered, the picture's middle kept.
    public static let fill = Mode.fill(focus: .center)
  }

  /// The point of a picture that is kept in sight; from 0 to 1, from the left and from the top.
  public struct Focus: Sendable, Hashable {
    /// From the left edge, 0, to the right one, 1.
    public let x: Double
    /// From the top edge, 0, to the bottom one, 1.
    public let y: Double

    /// A point; what lies outside of the picture is brought to its nearest edge.
    public init(x: Double, y: Double) {
      self.x = Self.clamp(x)
      self.y = Self.clamp(y)
    }

    /// The middle.
    public static let center = Focus(x: 0.5, y: 0.5)

    private static func clamp(_ value: Double) -> Double { value.isNaN ? 0.5 : min(max(value, 0), 1) }
  }

  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int
  /// What happens to a picture of other proportions.
  public var mode: Mode
  /// Whether a picture smaller than the size is made larger, to 50 million pixels at most.
  public var enlarges: Bool

  /// A target of the given size; the whole picture inside of it, never enlarged, if nothing else is said.
  public init(width: Int, height: Int, mode: Mode = .fit, enlarges: Bool = false) {
    self.width = width
    self.height = height
    self.mode = mode
    self.enlarges = enlarges
  }
}
