import CImageCodecs

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
