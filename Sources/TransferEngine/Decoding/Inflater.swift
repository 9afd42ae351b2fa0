import CZlib

/// A wrapper of zlib's inflate. Every call into zlib is in this file and in MessageDeflater.swift.
struct Inflater: ~Copyable {
  enum Format: Int32 {
    case gzip = 31
    case zlib = 15
    /// Deflate without a header and without a checksum.
    case raw = -15
  }

  /// Allocated separately: zlib keeps its address and rejects a stream that was moved.
  private let stream: UnsafeMutablePointer<z_stream>
  private let coding: ContentCoding
  /// Whether the end of a stream has been reached and no other stream has begun.
  private(set) var isAtEnd = false

  init(_ format: Format, coding: ContentCoding) throws(TransferFailure) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    self.coding = coding
    self.stream = stream
    // `inflateInit2` is a macro for this call; Swift does not import it.
    guard inflateInit2_(stream, format.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .noMemory(for: coding) }
  }

  deinit {
    // Returns an error, and does nothing else, if the stream was not initialized.
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Starts another stream. Its first bytes are already known; they must be too few to produce output.
  mutating func begin(_ format: Format, with start: [UInt8]) throws(TransferFailure) {
    isAtEnd = false
    guard inflateReset2(stream, format.rawValue) == Z_OK else { throw .noMemory(for: coding) }
    let result = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { output in
      start.withUnsafeBytes { input in
        Result<DecodingProgress, TransferFailure> { () throws(TransferFailure) in
          try inflate(input, into: output)
        }
      }
    }
    _ = try result.get()
  }

  /// Continues after the end of a stream with another one that may refer to the data of the first.
  mutating func beginKeepingWindow() throws(TransferFailure) {
    isAtEnd = false
    guard inflateResetKeep(stream) == Z_OK else { throw .noMemory(for: coding) }
  }

  /// Starts another stream without the data of earlier ones.
  mutating func beginRaw() throws(TransferFailure) {
    isAtEnd = false
    guard inflateReset(stream) == Z_OK else { throw .noMemory(for: coding) }
  }

  /// Continues after an earlier call: inflates the rest of the input into the rest of the output.
  mutating func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    advancing done: inout DecodingProgress
  ) throws(TransferFailure) {
    let step = try inflate(
      UnsafeRawBufferPointer(rebasing: input[done.consumed...]),
      into: UnsafeMutableRawBufferPointer(rebasing: output[done.produced...]))
    done.consumed += step.consumed
    done.produced += step.produced
  }

  /// Inflates until the input is used up, the output is full, or the stream ends.
  private mutating func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress {
    let (inputCount, outputCount) = (uInt(clamping: input.count), uInt(clamping: output.count))
    // zlib does not write to its input, although its type would allow that.
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?
      .assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_in = inputCount
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = outputCount
    let code = CZlib.inflate(stream, Z_NO_FLUSH)
    switch code {
    // No progress was possible: no input, or no room for output.
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isAtEnd = true
    case Z_NEED_DICT: throw .corrupt(coding, "it requires a preset dictionary")
    case Z_MEM_ERROR: throw .noMemory(for: coding)
    default:
      throw .corrupt(coding, stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(code)")
    }
    return DecodingProgress(
      consumed: Int(inputCount - stream.pointee.avail_in),
      produced: Int(outputCount - stream.pointee.avail_out))
  }
}
