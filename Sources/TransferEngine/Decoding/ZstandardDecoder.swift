import CZstd

/// Decodes Zstandard (RFC 8878), one frame after another. Every call into its library is in this file.
final class ZstandardDecoder: ContentDecoder {
  /// The maximum window that RFC 9659 allows for a content coding: 8 MiB. The library's own limit is 128 MiB.
  static let maximumWindowLog: Int32 = 23

  private let stream: OpaquePointer
  private(set) var isComplete = false

  init() throws(TransferFailure) {
    guard let stream = ZSTD_createDStream() else { throw .noMemory(for: .zstandard) }
    self.stream = stream
    _ = ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.maximumWindowLog)
  }

  deinit { ZSTD_freeDStream(stream) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress {
    var from = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    // Each call stops at the end of a frame. Between frames, a call with no input would count as the start of the next.
    while from.pos < from.size || !isComplete {
      let answer = ZSTD_decompressStream(stream, &to, &from)
      guard ZSTD_isError(answer) == 0 else {
        if ZSTD_getErrorCode(answer) == ZSTD_error_memory_allocation { throw .noMemory(for: .zstandard) }
        throw .corrupt(.zstandard, String(cString: ZSTD_getErrorName(answer)))
      }
      isComplete = answer == 0
      if from.pos == from.size || to.pos == to.size { break }
    }
    return DecodingProgress(consumed: from.pos, produced: to.pos)
  }
}
