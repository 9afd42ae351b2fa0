/// Decodes one content coding: encoded bytes in, decoded bytes out, as far as both buffers reach.
protocol ContentDecoder: AnyObject {
  /// Decodes until the input is used up or the output is full, whichever comes first.
  ///
  /// If the output is full, more may follow, and another call with no input is enough to get it. After the end of the
  /// encoded stream, the decoder consumes and ignores all further input, unless the coding gives it a meaning.
  ///
  /// - Throws: `.undecodableBody` if the input is not valid. The decoder must not be used again after that.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress

  /// Whether the encoded stream has reached its proper end.
  var isComplete: Bool { get }
}

/// The number of bytes that one or more calls of a decoder consumed and produced.
struct DecodingProgress: Equatable {
  var consumed = 0
  var produced = 0
}

extension TransferFailure {
  static func corrupt(_ coding: ContentCoding, _ detail: String) -> TransferFailure {
    TransferFailure(
      .undecodableBody, message: "The body is not a valid \(coding.rawValue) stream: \(detail).")
  }

  static func truncated(_ coding: ContentCoding) -> TransferFailure {
    TransferFailure(
      .undecodableBody, message: "The body is incomplete: its \(coding.rawValue) stream ends too early.")
  }

  static func noMemory(for coding: ContentCoding) -> TransferFailure {
    TransferFailure(.outOfMemory, message: "Could not decode the \(coding.rawValue) body: out of memory.")
  }
}
