import CBrotli

/// Decodes Brotli (RFC 7932). Every call into its library is in this file. Input after the end is ignored.
final class BrotliDecoder: ContentDecoder {
  /// The library's decoder. The format limits its window to 16 MiB.
  private let state: OpaquePointer
  private(set) var isComplete = false

  init() throws(TransferFailure) {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .noMemory(for: .brotli) }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress {
    if isComplete { return DecodingProgress(consumed: input.count) }
    var nextInput = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var nextOutput = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var (inputLeft, outputLeft) = (input.count, output.count)
    switch BrotliDecoderDecompressStream(state, &inputLeft, &nextInput, &outputLeft, &nextOutput, nil) {
    case BROTLI_DECODER_RESULT_SUCCESS:
      isComplete = true
      inputLeft = 0
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
    default: throw failure()
    }
    return DecodingProgress(consumed: input.count - inputLeft, produced: output.count - outputLeft)
  }

  private func failure() -> TransferFailure {
    let code = BrotliDecoderGetErrorCode(state)
    // The library's codes from -21 to -30 report failed memory allocations.
    if (-30...(-21)).contains(code.rawValue) { return .noMemory(for: .brotli) }
    return .corrupt(.brotli, BrotliDecoderErrorString(code).map { String(cString: $0) } ?? "invalid data")
  }
}
