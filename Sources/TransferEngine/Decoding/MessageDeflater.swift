import CZlib

/// Deflates messages one by one (RFC 7692, 7.2.1).
///
/// `@unchecked Sendable`: a connection owns it, and uses it while it holds its own lock.
package final class MessageDeflater: @unchecked Sendable {
  /// Allocated separately: zlib keeps its address and rejects a stream that was moved.
  private let stream: UnsafeMutablePointer<z_stream>
  private let keepsWindow: Bool

  /// The windows that zlib supports without a header. It does not support the smallest one that the protocol allows.
  package static let supportedWindowBits = 9...15

  /// - Parameters:
  ///   - windowBits: The size of the window, as a power of two.
  ///   - keepsWindow: Whether a message may refer to earlier ones.
  package init(windowBits: Int, keepsWindow: Bool) throws(TransferFailure) {
    self.keepsWindow = keepsWindow
    stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let bits = min(max(windowBits, Self.supportedWindowBits.lowerBound), Self.supportedWindowBits.upperBound)
    // `deflateInit2` is a macro for this call; Swift does not import it. 8 is zlib's default memory level.
    let code = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Int32(-bits), 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw Self.failure }
  }

  deinit {
    // Returns an error, and does nothing else, if the stream was not initialized.
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Deflates the next part of a message, of at most 4 GiB. The end of the last block is left out.
  ///
  /// - Returns: The output so far; empty if zlib waits for more input.
  package func append(_ part: UnsafeRawBufferPointer, isLast: Bool) throws(TransferFailure) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(part.count / 2 + 64)
    try append(part, flush: isLast ? Z_SYNC_FLUSH : Z_NO_FLUSH, to: &output)
    guard isLast else { return output }
    if output.suffix(4) == [0, 0, 0xff, 0xff] { output.removeLast(4) }
    if !keepsWindow, deflateReset(stream) != Z_OK { throw Self.failure }
    return output
  }

  private func append(
    _ input: UnsafeRawBufferPointer, flush: Int32, to output: inout [UInt8]
  ) throws(TransferFailure) {
    // zlib does not write to its input, although its type would allow that.
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?
      .assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_in = uInt(clamping: input.count)
    let size = 16 << 10
    var code = Z_OK
    repeat {
      let used = output.count
      withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = uInt(size)
        code = CZlib.deflate(stream, flush)
        output.append(contentsOf: buffer[..<(size - Int(stream.pointee.avail_out))])
      }
      guard code == Z_OK || code == Z_BUF_ERROR else { throw Self.failure }
      if output.count == used { break }
    } while stream.pointee.avail_out == 0
  }

  private static let failure = TransferFailure(
    .outOfMemory, message: "Could not compress the message: out of memory.")
}
