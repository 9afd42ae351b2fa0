#if !canImport(Darwin)

import Dispatch
import Foundation
import SystemFiles

/// Reads a file into a ``BodyChannel``, away from the threads of Swift concurrency.
///
/// A file that is always ready, such as one on a disk, is read in large pieces. A pipe, socket or terminal is read
/// only when it has data, so that no thread blocks.
///
/// `@unchecked Sendable`: all mutable state is accessed on `queue` only.
final class FilePump: @unchecked Sendable {
  enum Origin: Sendable {
    /// A path, which is opened for reading and closed afterwards.
    case path(String)
    /// A file handle, which stays open; its position changes.
    case handle(FileHandle)
  }

  /// The number of bytes per read. A pipe usually holds 64 KiB, and a chunk that stays half empty wastes memory.
  private var pieceSize: Int { isLive ? 64 << 10 : 256 << 10 }

  private let origin: Origin
  private let queue = DispatchQueue(label: "retriever.file-bytes")
  private var channel: BodyChannel?
  private var hasEnded = false
  private var descriptor: Int32 = -1
  /// Whether a read may have to wait until someone writes.
  private var isLive = false
  private var registration: ReadinessMonitor.Registration?

  init(_ origin: Origin) {
    self.origin = origin
  }

  func start(feeding channel: BodyChannel) {
    queue.async { self.begin(channel) }
  }

  /// Continues because the reader wants more.
  func resume() {
    queue.async { self.read() }
  }

  /// Stops because nobody reads any more.
  func stop() {
    queue.async { self.end() }
  }

  private func begin(_ channel: BodyChannel) {
    // The reader may have stopped before it requested anything.
    guard !hasEnded else { return }
    self.channel = channel
    switch origin {
    case .handle(let handle):
      descriptor = handle.fileDescriptor
    case .path(let path):
      // Without O_NONBLOCK, opening a named pipe waits for its writer and cannot be cancelled.
      descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, 0) }
    }
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      end(error: failure(errno))
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFIFO, S_IFSOCK: isLive = true
    case S_IFCHR: isLive = isatty(descriptor) == 1
    default: isLive = false
    }
    read()
  }

  private func read() {
    if let registration { ReadinessMonitor.shared.cancel(registration) }
    registration = nil
    while channel != nil {
      if isLive, !isReady {
        registration = ReadinessMonitor.shared.wait(for: descriptor) { [weak self] in self?.resume() }
        return
      }
      guard readPiece() == .room else { return }
    }
  }

  /// Whether a read would return immediately, with bytes, the end of the file or an error.
  private var isReady: Bool {
    DescriptorIO.wait(for: .reading, on: descriptor, milliseconds: 0) == .ready
  }

  private enum Progress { case room, full, ended }

  private func readPiece() -> Progress {
    guard let channel else { return .ended }
    var failed: Int32 = 0
    let chunk = ByteChunk(capacity: pieceSize) { buffer in
      let count = SystemCall.retrying { Foundation.read(descriptor, buffer.baseAddress, buffer.count) }
      if count < 0 { failed = errno }
      return count
    }
    // If another process set the descriptor to non-blocking, another reader may have emptied it.
    if failed == EAGAIN, isLive { return .room }
    guard failed == 0, chunk.count > 0 else {
      end(error: failed == 0 ? nil : failure(failed))
      return .ended
    }
    return channel.append(chunk) ? .full : .room
  }

  private func end(error: (any Error)? = nil) {
    hasEnded = true
    if let registration { ReadinessMonitor.shared.cancel(registration) }
    registration = nil
    if case .path = origin, descriptor >= 0 { close(descriptor) }
    descriptor = -1
    let channel = self.channel
    self.channel = nil
    channel?.finish(throwing: error)
  }

  private func failure(_ code: Int32) -> any Error {
    let cocoaCode: CocoaError.Code =
      switch code {
      case ENOENT: .fileReadNoSuchFile
      case EACCES, EPERM: .fileReadNoPermission
      default: .fileReadUnknown
      }
    var userInfo: [String: Any] = [
      NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
      NSLocalizedDescriptionKey: "Could not read the file: \(String(cString: strerror(code))).",
    ]
    if case .path(let path) = origin { userInfo[NSFilePathErrorKey] = path }
    return CocoaError(cocoaCode, userInfo: userInfo)
  }
}

#endif
