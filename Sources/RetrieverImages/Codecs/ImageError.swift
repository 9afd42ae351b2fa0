import Foundation

/// Why an image could not be read or written.
public struct ImageError: Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
  /// The kinds of failure; more may be added.
  public struct Code: Sendable, Hashable {
    private let rawValue: String

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// The bytes are none of the formats that can be read.
    public static let unknownFormat = Code("unknownFormat")
    /// The bytes end before the image does.
    public static let truncated = Code("truncated")
    /// The bytes contradict their format.
    public static let corrupt = Code("corrupt")
    /// The format is known, and this form of it cannot be read.
    public static let unsupported = Code("unsupported")
    /// The image is larger than ``ImageLimits`` allows.
    public static let tooLarge = Code("tooLarge")
    /// Memory could not be had.
    public static let outOfMemory = Code("outOfMemory")
    /// What was asked for cannot be made, such as a thumbnail of no size.
    public static let invalidRequest = Code("invalidRequest")
    /// The work was cancelled.
    public static let cancelled = Code("cancelled")
  }

  /// What kind of failure it is.
  public let code: Code
  /// A sentence that says what was wrong.
  public let message: String

  /// Of an image that is cut short or damaged, what there is of it, for each thumbnail that was asked for; what is
  /// missing is transparent.
  public internal(set) var partialImages: [UIImage] = []

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Whether two errors say the same; what there is of an image is not compared.
  public static func == (left: ImageError, right: ImageError) -> Bool {
    left.code == right.code && left.message == right.message
  }

  /// The sentence.
  public var description: String { message }
  /// The sentence, as `localizedDescription` gives it.
  public var errorDescription: String? { message }
}
