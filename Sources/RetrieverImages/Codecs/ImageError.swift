import CImageCodecs
import Foundation

/// An error that occurs when an image is read or written.
public struct ImageError: Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
  /// The kind of failure. Future versions may add more.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let rawValue: String

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// The data is not in a supported image format.
    public static let unknownFormat = Code("unknownFormat")
    /// The data ends before the end of the image.
    public static let truncated = Code("truncated")
    /// The data is not valid in its format.
    public static let corrupt = Code("corrupt")
    /// The format is supported, but the image uses a feature of it that is not.
    public static let unsupported = Code("unsupported")
    /// The image exceeds ``ImageLimits``.
    public static let tooLarge = Code("tooLarge")
    /// The file could not be read.
    public static let unreadableFile = Code("unreadableFile")
    /// A sandboxed process could not be started, or ended while it decoded the image.
    public static let sandboxFailed = Code("sandboxFailed")
    /// Memory could not be allocated.
    public static let outOfMemory = Code("outOfMemory")
    /// The request is invalid, such as a thumbnail with a size of zero.
    public static let invalidRequest = Code("invalidRequest")
    /// The file could not be opened, read or written.
    public static let unreadable = Code("unreadable")
    /// The work was cancelled.
    public static let cancelled = Code("cancelled")

    /// The name of the code.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// A message that says what happened and, where something can be done, what to do.
  public let description: String

  /// Everything that was wrong with the image, in the order of its data. Empty if the data is not the reason.
  public internal(set) var damage: [ImageDamage] = []

  /// The parts that could be decoded of an image that is incomplete or damaged.
  var partialBitmaps: [Bitmap] = []

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// Returns whether two errors have the same code and description. Nothing else is compared.
  public static func == (left: ImageError, right: ImageError) -> Bool {
    left.code == right.code && left.description == right.description
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension ImageError {
  /// Returns the error for a failure in one of the C libraries; `message` is the library's own message.
  static func codec(_ result: codec_result, format: String, message: String) -> ImageError {
    let reason = message.isEmpty ? "the library gave no reason" : message
    return switch result {
    case .unsupported:
      ImageError(.unsupported, "The \(format) image uses an unsupported feature: \(reason).")
    case .too_large: ImageError(.tooLarge, "The \(format) image is too large: \(reason).")
    case .out_of_memory: ImageError(.outOfMemory, "Could not allocate memory for the \(format) image.")
    case .stopped: ImageError(.cancelled, "Decoding the \(format) image was cancelled.")
    case .needs_input: .truncated(format)
    case .corrupt, .done: ImageError(.corrupt, "The \(format) image is damaged: \(reason).")
    }
  }

  static func truncated(_ format: String) -> ImageError {
    ImageError(.truncated, "The \(format) image is incomplete: its data ends before the last row.")
  }

  static func noMemory(bytes: Int) -> ImageError {
    ImageError(.outOfMemory, "Could not allocate \(bytes) bytes of memory.")
  }
}
