import CImageCodecs

extension ImageError {
  /// What a failure in one of the C libraries means; `message` is the library's own.
  static func codec(_ result: codec_result, format: String, message: String) -> ImageError {
    let reason = message.isEmpty ? "no reason was given" : message
    return switch result {
    case .unsupported:
      ImageError(.unsupported, "The \(format) image is of a form that cannot be read: \(reason).")
    case .too_large: ImageError(.tooLarge, "The \(format) image is too large: \(reason).")
    case .out_of_memory: ImageError(.outOfMemory, "There is no memory for the \(format) image.")
    case .stopped: ImageError(.cancelled, "Reading the \(format) image was stopped.")
    case .needs_input: .truncated(format)
    case .corrupt, .done: ImageError(.corrupt, "The \(format) image is damaged: \(reason).")
    }
  }

  static func truncated(_ format: String) -> ImageError {
    ImageError(.truncated, "The \(format) image ends before its last row.")
  }

  static func noMemory(bytes: Int) -> ImageError {
    ImageError(.outOfMemory, "There is no memory for \(bytes) bytes.")
  }
}
