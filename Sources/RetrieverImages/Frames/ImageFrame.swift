/// One frame of an animation, drawn over the earlier frames as a viewer shows it. *Beyond Apple's API.*
public struct ImageFrame: Sendable {
  /// The picture, in the size of the animation.
  public let image: UIImage
  /// The number of frames before this one.
  public let index: Int
  /// The time that a viewer shows the frame; zero for a still image.
  ///
  /// As in browsers, a frame with a stated time of at most 10 milliseconds is shown for 100 milliseconds.
  public let duration: Duration
  /// The time that the file states.
  public let statedDuration: Duration
  /// The number of times that a viewer shows the animation; 0 means that it never ends.
  public let loopCount: Int
}
