#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads and writes complete buffers with file descriptors. Calls that a signal interrupts are repeated.
///
/// All functions block while the descriptor does.
public enum DescriptorIO {
  // MARK: Writing

  /// Writes all bytes at the position of the descriptor.
  ///
  /// - Returns: 0, or the error number of the call that failed. Some of the bytes may have been written before.
  public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    drain(bytes) { rest, _ in systemWrite(descriptor, rest.baseAddress, rest.count) }
  }

  /// Writes all bytes at an offset of a file. The position of the descriptor does not change.
  ///
  /// - Returns: 0, or the error number of the call that failed. Some of the bytes may have been written before.
  public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) -> Int32 {
    drain(bytes) { rest, done in pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
  }

  /// Passes all bytes to a call that may accept only some of them.
  ///
  /// - Parameter call: Called with the remaining bytes, and with the number of bytes that are already written.
  /// - Returns: 0, an error number, or EIO if the call accepts no bytes.
  static func drain(
    _ bytes: UnsafeRawBufferPointer, _ call: (_ rest: UnsafeRawBufferPointer, _ done: Int) -> Int
  ) -> Int32 {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = SystemCall.retrying { call(rest, done) }
      if count < 0 { return errno }
      if count == 0 { return EIO }
      done += count
    }
    return 0
  }

  // MARK: Reading

  /// Reads bytes from an offset of a file until the buffer is full or the file ends. The position of the descriptor
  /// does not change.
  ///
  /// - Returns: The number of bytes, which is less than the size of the buffer only at the end of the file.
  /// - Throws: The error of the call that failed.
  public static func read(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int
  ) throws(SystemError) -> Int {
    try fill(buffer) { rest, done in pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
  }

  /// Fills a buffer from a call that may return fewer bytes than requested.
  ///
  /// - Parameter call: Called with the rest of the buffer, and with the number of bytes that are already read.
  static func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    _ call: (_ rest: UnsafeMutableRawBufferPointer, _ done: Int) -> Int
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = SystemCall.retrying { call(rest, done) }
      if count < 0 { throw SystemError(errno) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads from the position of the descriptor to the end of the file, in pieces.
  ///
  /// - Parameter limit: The maximum number of bytes. More are not read, so a result of this size may be incomplete.
  /// - Throws: The error of the call that failed.
  public static func contents(of descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    var status = stat()
    // One byte more than the size of the file, so that the end of the file is usually found without growing the buffer.
    let expected = fstat(descriptor, &status) == 0 ? min(Int(status.st_size), limit) : 0
    var bytes: [UInt8] = []
    var piece = max(4096, expected + 1)
    while bytes.count < limit {
      var code: Int32 = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: min(piece, limit - bytes.count)) { buffer, count in
        let result = SystemCall.retrying { systemRead(descriptor, buffer.baseAddress, buffer.count) }
        if result < 0 { code = errno }
        count = max(0, result)
      }
      if code != 0 { throw SystemError(code) }
      if chunk.isEmpty { break }
      if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
      piece = 65536
    }
    return bytes
  }

  // MARK: Waiting

  /// Waits until a descriptor can be read or written without blocking.
  ///
  /// A descriptor that is closed or has failed counts as ready, because the next call returns immediately with the error.
  ///
  /// - Parameters:
  ///   - operation: What the descriptor should be ready for.
  ///   - milliseconds: The maximum time. With 0, the call only checks the descriptor.
  @inlinable public static func wait(
    for operation: Operation, on descriptor: Int32, milliseconds: Int32
  ) -> Readiness {
    var request = pollfd(
      fd: descriptor, events: operation == .reading ? Int16(POLLIN) : Int16(POLLOUT), revents: 0)
    let count = poll(&request, 1, milliseconds)
    if count > 0 { return .ready }
    return count == 0 || errno == EINTR ? .notReady : .failed(errno)
  }

  /// What a descriptor is used for.
  @frozen public enum Operation: Sendable {
    /// Reading from the descriptor.
    case reading
    /// Writing to the descriptor.
    case writing
  }

  /// The result of waiting for a descriptor.
  @frozen public enum Readiness: Sendable, Equatable {
    /// The next call does not block. A write of more than 4096 bytes to a pipe may still block.
    case ready
    /// The time is over, or a signal interrupted the call.
    case notReady
    /// The system cannot wait, for the reason with this error number.
    case failed(Int32)
  }
}

// Inside of `DescriptorIO`, the names of its functions hide these.

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
