/// Takes one content coding back: coded bytes in, decoded bytes out, as far as both reach.
protocol ContentDecoder: AnyObject {
  /// Decodes until the input is used up or the output is full, whichever comes first.
  ///
  /// A full output may leave more to come, for which another call with no input is enough. Once the coded stream has
  /// ended, what follows is used up and ignored, where the coding does not give it a meaning.
  ///
  /// - Throws: `.undecodableBody` when the input is not what the coding says it is; the decoder is then of no more use.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress

  /// Whether the coded stream has come to its proper end.
  var isComplete: Bool { get }
}

/// What one call of a decoder, or a number of them, used and made.
struct DecodingProgress: Equatable {
  var consumed = 0
  var produced = 0
}

extension TransferFailure {
  static func corrupt(_ coding: ContentCoding, _ detail: String) -> TransferFailure {
    TransferFailure(
      .undecodableBody, message: "The body is not the \(coding.rawValue) stream it is said to be: \(detail).")
  }

  static func cutShort(_ coding: ContentCoding) -> TransferFailure {
    TransferFailure(
      .undecodableBody, message: "The body is cut short: its \(coding.rawValue) stream does not end.")
  }

  static func noMemory(for coding: ContentCoding) -> TransferFailure {
    TransferFailure(.outOfMemory, message: "There is no memory left to decode a \(coding.rawValue) body.")
  }
}
