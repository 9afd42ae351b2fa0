import Dispatch
import Foundation
import Glibc
import Synchronization
import SystemFiles

/// Writes to a descriptor on its own dispatch queue, so that a slow disk or an unread pipe does not block other work.
public final class DescriptorWriter: Sendable {
  private let descriptor: Int32
  private let name: String
  private let closes: Bool
  /// Whether the descriptor is a pipe, terminal or socket, where a write can block for any length of time.
  private let mayStall: Bool
  private let queue = DispatchQueue(label: "terminal.output")
  private let isAbandoned = Atomic<Bool>(false)
  private let isClosed = Atomic<Bool>(false)

  /// The number of bytes that such a descriptor accepts without blocking once it is ready (PIPE_BUF).
  private static let stallingPiece = 4096

  /// Creates a writer for an open file descriptor.
  ///
  /// - Parameters:
  ///   - name: The name of the file in error messages.
  ///   - closes: Whether the writer closes the descriptor, at the latest when it is deallocated.
  public init(_ descriptor: Int32, name: String, closes: Bool) {
    self.descriptor = descriptor
    self.name = name
    self.closes = closes
    var status = stat()
    mayStall = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  deinit { closeDescriptor() }

  /// Writes all data. A cancelled task does not wait for a reader that does not read.
  public func write(_ data: Data) async throws(Failure) {
    let code = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: self.writeAll(data)) }
      }
    } onCancel: {
      isAbandoned.store(true, ordering: .relaxed)
    }
    if code != 0 { throw .file("Could not write \(name)", code) }
  }

  /// Writes the text as UTF-8, without adding a newline.
  public func write(_ text: String) async throws(Failure) { try await write(Data(text.utf8)) }

  /// Closes the descriptor. Throws errors of earlier writes that the system reports only now.
  public func close() async throws(Failure) {
    let code = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.closeDescriptor()) }
    }
    if code != 0 { throw .file("Could not write \(name)", code) }
  }

  @discardableResult private func closeDescriptor() -> Int32 {
    guard closes, !isClosed.exchange(true, ordering: .relaxed) else { return 0 }
    return Glibc.close(descriptor) == 0 ? 0 : errno
  }

  /// Writes all data and returns 0 or an error number. Runs on the queue.
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
      // Uses a timeout, because cancelling does not wake a thread that waits for a reader.
      switch DescriptorIO.wait(for: .writing, on: descriptor, milliseconds: 100) {
      case .ready: return nil
      case .notReady: continue
      case .failed(let code): return code
      }
    }
    return ECANCELED
  }
}
