import Dispatch
import Foundation
import Glibc
import Synchronization

/// Writes to a descriptor on a queue of its own: a slow disk, or a pipe that nobody reads, holds up no other work.
package final class DescriptorWriter: Sendable {
  private let descriptor: Int32
  private let name: String
  private let closes: Bool
  /// A pipe, terminal or socket, which may take nothing for any time.
  private let mayStall: Bool
  private let queue = DispatchQueue(label: "terminal.output")
  private let isAbandoned = Atomic<Bool>(false)
  private let isClosed = Atomic<Bool>(false)

  /// What such a descriptor takes in one go once it is ready (PIPE_BUF).
  private static let stallingPiece = 4096

  package init(_ descriptor: Int32, name: String, closes: Bool) {
    self.descriptor = descriptor
    self.name = name
    self.closes = closes
    var status = stat()
    mayStall = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  deinit { closeDescriptor() }

  /// Writes all of it. A task that is cancelled does not wait for a reader who takes nothing.
  package func write(_ data: Data) async throws(Failure) {
    let code = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: self.writeAll(data)) }
      }
    } onCancel: {
      isAbandoned.store(true, ordering: .relaxed)
    }
    if code != 0 { throw .file("\(name) cannot be written", code) }
  }

  package func write(_ text: String) async throws(Failure) { try await write(Data(text.utf8)) }

  /// Closes; what the system could not write until now is told here.
  package func close() async throws(Failure) {
    let code = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.closeDescriptor()) }
    }
    if code != 0 { throw .file("\(name) cannot be written", code) }
  }

  @discardableResult private func closeDescriptor() -> Int32 {
    guard closes, !isClosed.exchange(true, ordering: .relaxed) else { return 0 }
    return Glibc.close(descriptor) == 0 ? 0 : errno
  }

  /// On the queue. 0, or what went wrong.
  private func writeAll(_ data: Data) -> Int32 {
    data.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        if mayStall, let problem = waitUntilReady() { return problem }
        let count = Glibc.write(
          descriptor, rest.baseAddress, mayStall ? min(rest.count, Self.stallingPiece) : rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if count == 0 {
          return EIO
        } else if errno != EINTR, errno != EAGAIN {
          return errno
        }
      }
      return 0
    }
  }

  private func waitUntilReady() -> Int32? {
    while !isAbandoned.load(ordering: .relaxed) {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      // Looks up now and then: nobody wakes a thread that waits for a reader.
      let count = poll(&ready, 1, 100)
      if count > 0 { return nil }
      if count < 0, errno != EINTR { return errno }
    }
    return ECANCELED
  }
}
