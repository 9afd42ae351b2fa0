#if !canImport(Darwin)
  import Foundation
  import Glibc
  import Synchronization

  /// The file a download is written to, mode 0600, in the temporary directory.
  ///
  /// The transfer's thread only fills buffers; a queue of the file's own writes them, so that a slow disk holds up this
  /// one download and no other transfer. No more than ``mostBuffers`` buffers are ever filled and unwritten.
  final class DownloadFile: Sendable {
    private struct State: ~Copyable {
      var filling: ByteChunk?
      /// Written out, to be filled again: fresh memory costs the kernel more than writing does.
      var spare: [ByteChunk] = []
      var unwritten = 0
      var isPaused = false
      var error: URLError?
      var writtenLength: Int64 = 0
      var isClosed = false
    }

    static let bufferSize = 128 << 10
    static let mostBuffers = 8

    let url: URL
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "retriever.download", target: .global(qos: .userInitiated))
    private let state = Mutex(State())
    private let onRoom: @Sendable () -> Void

    private static let prefix = "RetrieverDownload-"
    private static let suffix = ".tmp"

    /// Whether a file of this name may be one of ours.
    static func isName(_ name: String) -> Bool {
      name.hasPrefix(prefix) && name.hasSuffix(suffix)
        && UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
    }

    /// Makes a new, empty file.
    ///
    /// - Parameter onRoom: called when a paused transfer may go on.
    convenience init(in directory: URL, onRoom: @escaping @Sendable () -> Void) throws(URLError) {
      let url = directory.appendingPathComponent(Self.prefix + UUID().uuidString + Self.suffix)
      try self.init(opening: url, flags: O_CREAT | O_EXCL, onRoom: onRoom)
    }

    /// Goes on with a file of which `offset` bytes are there.
    convenience init(resuming url: URL, at offset: Int64, onRoom: @escaping @Sendable () -> Void)
      throws(URLError)
    {
      try self.init(opening: url, flags: O_NOFOLLOW, onRoom: onRoom)
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= offset,
        ftruncate(descriptor, Int(offset)) == 0, lseek(descriptor, Int(offset), SEEK_SET) == Int(offset)
      else {
        throw URLError(
          .cannotOpenFile,
          sentence: "The partial download \(url.lastPathComponent) is shorter than its resume data says.")
      }
      state.withLock { $0.writtenLength = offset }
    }

    private init(opening url: URL, flags: Int32, onRoom: @escaping @Sendable () -> Void) throws(URLError) {
      self.url = url
      self.onRoom = onRoom
      descriptor = open(url.path, O_WRONLY | O_CLOEXEC | flags, 0o600)
      guard descriptor >= 0 else {
        let reason = String(cString: strerror(errno))
        throw URLError(
          flags & O_CREAT != 0 ? .cannotCreateFile : .cannotOpenFile,
          sentence:
            "The file for the download cannot be opened in \(url.deletingLastPathComponent().path): \(reason)."
        )
      }
    }

    deinit { closeFile() }

    /// On the file's queue, or when nobody is left to use it.
    private func closeFile() {
      let isFirst = state.withLock { state in
        defer { state.isClosed = true }
        return !state.isClosed
      }
      if isFirst, descriptor >= 0 { close(descriptor) }
    }

    /// Takes a piece, on the transfer's thread; true asks the transfer to pause until `onRoom` is called.
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
        state.isPaused = state.unwritten >= Self.mostBuffers
        return state.isPaused
      }
    }

    /// Enqueueing calls nobody back, so it may be done under the lock.
    private func schedule(_ chunk: ByteChunk) {
      queue.async { [self] in
        write(chunk)
        chunk.clear()
        let resumes = state.withLock { state in
          state.unwritten -= 1
          if state.spare.count < Self.mostBuffers { state.spare.append(chunk) }
          let resumes = state.isPaused && state.unwritten <= Self.mostBuffers / 2
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
        let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if written > 0 {
          state.withLock { $0.writtenLength += Int64(written) }
          rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        } else if errno != EINTR {
          let reason = String(cString: strerror(errno))
          let error = URLError(
            .cannotWriteToFile, sentence: "The download cannot be written to \(url.path): \(reason).")
          state.withLock { $0.error = error }
          return
        }
      }
    }

    /// What went wrong while writing, as soon as it is known: there is no use in receiving more.
    var error: URLError? { state.withLock { $0.error } }

    /// Writes what is left, then tells how it went, on the file's own queue.
    func finish(_ then: @escaping @Sendable (URLError?) -> Void) {
      queue.async { [self] in
        if let last = state.withLock({ $0.filling.take() }) { write(last) }
        state.withLock { $0.spare = [] }
        then(error)
        // A completed task may be kept for long; it does not keep the descriptor.
        closeFile()
      }
    }

    /// Starts again from nothing: the server does not go on where the file ends.
    func truncate() {
      queue.async { [self] in
        _ = ftruncate(descriptor, 0)
        lseek(descriptor, 0, SEEK_SET)
        state.withLock { $0.writtenLength = 0 }
      }
    }

    /// How many bytes the file holds.
    var writtenLength: Int64 { state.withLock { $0.writtenLength } }

    func remove() {
      queue.async { [self] in
        unlink(url.path)
        closeFile()
      }
    }
  }
#endif
