/// Inflates messages that were deflated one by one (RFC 7692, 7.2.2), in pieces of any size.
///
/// Its memory does not depend on the messages: zlib's window and one buffer. The consumer limits the output.
///
/// `@unchecked Sendable`: a connection owns it, and uses it while it holds its own lock.
package final class MessageInflater: @unchecked Sendable {
  private var inflater: Inflater
  private let buffer: UnsafeMutableRawBufferPointer
  private let keepsWindow: Bool

  /// - Parameter keepsWindow: Whether a message may refer to earlier ones.
  package init(keepsWindow: Bool) throws(TransferFailure) {
    self.keepsWindow = keepsWindow
    inflater = try Inflater(.raw, coding: .deflate)
    buffer = .allocate(byteCount: 16 << 10, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Inflates a part of a message.
  ///
  /// - Parameter deliver: Gets the output in pieces. If it returns false, the message is abandoned.
  /// - Returns: Whether the consumer wants the rest.
  package func append(
    _ input: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Bool
  ) throws(TransferFailure) -> Bool {
    var rest = input
    while true {
      // A message may contain final blocks. The next block then belongs to a new stream with the same window.
      if inflater.isAtEnd {
        if rest.isEmpty { return true }
        try inflater.beginKeepingWindow()
      }
      var done = DecodingProgress()
      try inflater.inflate(rest, into: buffer, advancing: &done)
      rest = UnsafeRawBufferPointer(rebasing: rest[done.consumed...])
      if done.produced > 0, !deliver(UnsafeRawBufferPointer(rebasing: buffer[..<done.produced])) {
        return false
      }
      guard done.produced < buffer.count else { continue }
      if rest.isEmpty { return true }
      guard done.consumed > 0 || done.produced > 0 || inflater.isAtEnd else {
        throw .corrupt(.deflate, "no progress")
      }
    }
  }

  /// Ends a message: appends the end of its last block, which senders leave out.
  ///
  /// - Returns: Whether the consumer wants the rest.
  package func endMessage(deliver: (UnsafeRawBufferPointer) -> Bool) throws(TransferFailure) -> Bool {
    let tail: [UInt8] = [0, 0, 0xff, 0xff]
    let result = tail.withUnsafeBytes { tail in
      Result<Bool, TransferFailure> { () throws(TransferFailure) in try append(tail, deliver: deliver) }
    }
    guard try result.get() else { return false }
    if !keepsWindow {
      try inflater.beginRaw()
    } else if inflater.isAtEnd {
      try inflater.beginKeepingWindow()
    }
    return true
  }
}
