import Foundation
import Glibc

/// Sends and receives complete messages on a socket.
///
/// The descriptor belongs to the caller.
struct SandboxSocket {
  /// The reasons why a message does not arrive.
  enum Failure: Error {
    /// The other process has ended.
    case closed
    case timedOut
    case cancelled
  }

  let descriptor: Int32
  /// The end of the time for the message; nil for a process that waits for its next request.
  var deadline: ContinuousClock.Instant?
  var flag: CancellationFlag?

  /// Whether the other process has ended, or has sent something.
  var isReadable: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  func receive(words count: Int) throws(Failure) -> [Int] {
    try receive(count * MemoryLayout<Int>.size).withUnsafeBytes { bytes in
      (0..<count).map { bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Int>.size, as: Int.self) }
    }
  }

  func receive(_ count: Int) throws(Failure) -> [UInt8] {
    var failure: Failure?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      do throws(Failure) {
        while done < count {
          try wait(for: POLLIN)
          let result = read(descriptor, buffer.baseAddress.map { $0 + done }, count - done)
          if result > 0 { done += result } else if result == 0 || !Self.canRetry { throw .closed }
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  func send(words: [Int]) throws(Failure) {
    var failure: Failure?
    words.withUnsafeBytes { bytes in
      do throws(Failure) { try send(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func send(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      try wait(for: POLLOUT)
      let result =
        deadline == nil
        ? write(descriptor, base + done, bytes.count - done)
        : Glibc.send(
          descriptor, base + done, bytes.count - done,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      if result > 0 { done += result } else if !Self.canRetry { throw .closed }
    }
  }

  private static var canRetry: Bool { errno == EINTR || errno == EAGAIN }

  /// Waits until the descriptor is ready. The process in the sandbox may not call `poll`, and needs no deadline.
  private func wait(for events: Int32) throws(Failure) {
    guard let deadline else { return }
    while true {
      if flag?.isSet == true { throw .cancelled }
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw .timedOut }
      var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
      // Cancelling is noticed after this time.
      if poll(&entry, 1, left < .milliseconds(20) ? 1 : 20) > 0 { return }
    }
  }
}
