#if !canImport(Darwin)
import Foundation
import Glibc
import Synchronization
import SystemFiles

/// The file that a download is written to, with mode 0600, in the temporary directory.
///
/// The transfer's thread only fills buffers. The file's own queue writes them, so that a slow disk delays only this
/// download. At most ``maximumBuffers`` buffers are filled and not yet written.
///
/// If the file system supports it, the file has no name while it is written. If the process ends in the meantime, no
/// file is left behind.
final class DownloadFile: Sendable {
  private struct State: ~Copyable {
    var filling: ByteChunk?
    /// Buffers that have been written and can be reused. New memory costs the kernel more than the write does.
    var spare: [ByteChunk] = []
    var unwritten = 0
    var isPaused = false
    var error: URLError?
    var writtenLength: Int64 = 0
    /// The length that the disk has, even after a power failure. Only used for files that outlive the process.
    var syncedLength: Int64 = 0
    var isNamed: Bool
    var isClosed = false
  }

  static let bufferSize = 128 << 10
  static let maximumBuffers = 8
  /// The number of bytes after which the disk gets them.
  static let maximumUnsynced: Int64 = 16 << 20

  let url: URL
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "retriever.download", target: .global(qos: .userInitiated))
  private let state: Mutex<State>
  private let onRoom: @Sendable () -> Void
  private let onSync: (@Sendable (Int64) -> Void)?

  /// Creates a new, empty file.
  ///
  /// - Parameter onRoom: called when a paused transfer may continue.
  convenience init(in directory: URL, onRoom: @escaping @Sendable () -> Void) throws(URLError) {
    let url = directory.appendingPathComponent(PartialFileName.random())
    if let unnamed = Self.openUnnamed(in: directory) {
      self.init(unnamed, at: url, isNamed: false, onRoom: onRoom)
    } else {
      self.init(try Self.open(url, O_CREAT | O_EXCL), at: url, isNamed: true, onRoom: onRoom)
    }
  }

  /// Creates a new, empty file that outlives the process.
  ///
  /// - Parameter onSync: called on the file's queue when the disk has a number of bytes.
  convenience init(
    at url: URL, onSync: @escaping @Sendable (Int64) -> Void, onRoom: @escaping @Sendable () -> Void
  ) throws(URLError) {
    self.init(
      try Self.open(url, O_CREAT | O_EXCL), at: url, isNamed: true, onSync: onSync, onRoom: onRoom)
  }

  /// Continues a file that already has `offset` bytes.
  convenience init(
    resuming url: URL, at offset: Int64, onSync: (@Sendable (Int64) -> Void)? = nil,
    onRoom: @escaping @Sendable () -> Void
  ) throws(URLError) {
    // Without O_NONBLOCK, opening a named pipe would wait for its reader. It has no effect on a regular file.
    self.init(
      try Self.open(url, O_NOFOLLOW | O_NONBLOCK), at: url, isNamed: true, onSync: onSync, onRoom: onRoom)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw URLError(
        .cannotOpenFile,
        message: "The partial download \(url.lastPathComponent) is not a regular file. "
          + "Download the file from the beginning.")
    }
    guard status.st_size >= offset,
      ftruncate(descriptor, Int(offset)) == 0, lseek(descriptor, Int(offset), SEEK_SET) == Int(offset)
    else {
      throw URLError(
        .cannotOpenFile,
        message: "The partial download \(url.lastPathComponent) is shorter than its resume data states. "
          + "Download the file from the beginning.")
    }
    state.withLock { ($0.writtenLength, $0.syncedLength) = (offset, offset) }
  }

  private init(
    _ descriptor: Int32, at url: URL, isNamed: Bool, onSync: (@Sendable (Int64) -> Void)? = nil,
    onRoom: @escaping @Sendable () -> Void
  ) {
    self.url = url
    self.descriptor = descriptor
    self.onSync = onSync
    self.onRoom = onRoom
    state = Mutex(State(isNamed: isNamed))
  }

  private static func open(_ url: URL, _ flags: Int32) throws(URLError) -> Int32 {
    let descriptor = Glibc.open(url.path, O_WRONLY | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw URLError(
        flags & O_CREAT != 0 ? .cannotCreateFile : .cannotOpenFile,
        message:
          "Could not open the download's file in \(url.deletingLastPathComponent().path): \(reason)."
      )
    }
    return descriptor
  }

  /// O_TMPFILE of open(2), a macro that Swift does not import.
  private static let temporaryFile = 0o20_000_000 | O_DIRECTORY

  /// Opens a file without a name. Returns nil if the system does not support this or cannot name the file later.
  private static func openUnnamed(in directory: URL) -> Int32? {
    let descriptor = Glibc.open(directory.path, O_WRONLY | O_CLOEXEC | temporaryFile, 0o600)
    guard descriptor >= 0 else { return nil }
    guard access(descriptorPath(of: descriptor), F_OK) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The path that gives a name to a file without one, according to the manual of open(2).
  private static func descriptorPath(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  /// Links the file to its name. Runs on the file's queue.
  private func linkToName() {
    guard !isNamed, !state.withLock({ $0.isClosed }) else { return }
    if linkat(AT_FDCWD, Self.descriptorPath(of: descriptor), AT_FDCWD, url.path, AT_SYMLINK_FOLLOW) == 0 {
      state.withLock { $0.isNamed = true }
    } else {
      fail("could not be saved as \(url.path)", errno)
    }
  }

  /// Whether there is a file at ``url``.
  var isNamed: Bool { state.withLock { $0.isNamed } }

  private func fail(_ problem: String, _ code: Int32) {
    let error = URLError(
      .cannotWriteToFile, message: "The download \(problem): \(String(cString: strerror(code))).")
    state.withLock { $0.error = $0.error ?? error }
  }

  deinit { closeFile() }

  /// Closes the file. Runs on the file's queue, or when nobody uses the file any more.
  private func closeFile() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst, descriptor >= 0 { close(descriptor) }
  }

  /// Adds bytes, on the transfer's thread. Returns true if the transfer should pause until `onRoom` is called.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      var rest = bytes
      while !rest.isEmpty {
        let chunk = state.filling ?? state.spare.popLast() ?? ByteChunk(capacity: Self.bufferSize)
        rest = UnsafeRawBufferPointer(rebasing: rest[chunk.fill(from: rest)...])
        if chunk.room == 0 {
          state.filling = nil
          state.unwritten += 1
          schedule(chunk)
        } else {
          state.filling = chunk
        }
      }
      state.isPaused = state.unwritten >= Self.maximumBuffers
      return state.isPaused
    }
  }

  /// Enqueues a buffer for writing. This calls no callback, so it may be done while holding the lock.
  private func schedule(_ chunk: ByteChunk) {
    queue.async { [self] in
      write(chunk)
      chunk.clear()
      let resumes = state.withLock { state in
        state.unwritten -= 1
        if state.spare.count < Self.maximumBuffers { state.spare.append(chunk) }
        let resumes = state.isPaused && state.unwritten <= Self.maximumBuffers / 2
        if resumes { state.isPaused = false }
        return resumes
      }
      if resumes { onRoom() }
    }
  }

  private func write(_ chunk: ByteChunk) {
    guard state.withLock({ $0.error == nil && !$0.isClosed }) else { return }
    var rest = chunk.bytes
    while !rest.isEmpty {
      let written = SystemCall.retrying { Glibc.write(descriptor, rest.baseAddress, rest.count) }
      guard written > 0 else { return fail("could not be written to \(url.path)", errno) }
      state.withLock { $0.writtenLength += Int64(written) }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
    if onSync != nil { sync(after: Self.maximumUnsynced) }
  }

  /// Makes the disk have the bytes, if there are more than `count` that it does not have. Runs on the file's queue.
  private func sync(after count: Int64) {
    let (written, synced) = state.withLock { ($0.writtenLength, $0.syncedLength) }
    guard written - synced > count, fdatasync(descriptor) == 0 else { return }
    state.withLock { $0.syncedLength = written }
    onSync?(written)
  }

  /// Runs a closure on the file's queue, after everything that was enqueued before.
  func perform(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

  /// The first error while writing, as soon as it is known, because receiving more is then useless.
  var error: URLError? { state.withLock { $0.error } }

  /// Writes the remaining bytes, and then passes the result to `then` on the file's queue.
  ///
  /// - Parameter keeps: whether the file may be needed. Only then is there a file at ``url``.
  func finish(keeps: Bool, _ then: @escaping @Sendable (URLError?) -> Void) {
    queue.async { [self] in
      if let last = state.withLock({ $0.filling.take() }) { write(last) }
      state.withLock { $0.spare = [] }
      if keeps, onSync != nil { sync(after: 0) }
      if keeps { linkToName() }
      // The program may keep a completed task for a long time, but it does not keep the descriptor open.
      closeFile()
      then(error)
    }
  }

  /// Empties the file, because the server does not continue where the file ends.
  func truncate() {
    queue.async { [self] in
      _ = ftruncate(descriptor, 0)
      lseek(descriptor, 0, SEEK_SET)
      state.withLock { ($0.writtenLength, $0.syncedLength) = (0, 0) }
    }
  }

  /// The number of bytes in the file.
  var writtenLength: Int64 { state.withLock { $0.writtenLength } }

  func remove() {
    queue.async { [self] in
      if isNamed { unlink(url.path) }
      closeFile()
    }
  }
}
#endif
