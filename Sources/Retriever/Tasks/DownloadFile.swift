#if !canImport(Darwin)
  import Foundation
  import Glibc
  import Synchronization

  /// The file a download is written to, mode 0600, in the temporary directory.
  ///
  /// The transfer's thread only fills buffers; a queue of the file's own writes them, so that a slow disk holds up this
  /// one download and no other transfer. No more than ``mostBuffers`` buffers are ever filled and unwritten.
  ///
  /// While it is written the file has no name, where the file system can do that: should the process end meanwhile,
  /// nothing is left behind.
  final class DownloadFile: Sendable {
    private struct State: ~Copyable {
      var filling: ByteChunk?
      /// Written out, to be filled again: fresh memory costs the kernel more than writing does.
      var spare: [ByteChunk] = []
      var unwritten = 0
      var isPaused = false
      var error: URLError?
      var writtenLength: Int64 = 0
      var isNamed: Bool
      var isClosed = false
    }

    static let bufferSize = 128 << 10
    static let mostBuffers = 8

    let url: URL
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "retriever.download", target: .global(qos: .userInitiated))
    private let state: Mutex<State>
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
      if let nameless = Self.openNameless(in: directory) {
        self.init(nameless, at: url, isNamed: false, onRoom: onRoom)
      } else {
        self.init(try Self.open(url, O_CREAT | O_EXCL), at: url, isNamed: true, onRoom: onRoom)
      }
    }

    /// Goes on with a file of which `offset` bytes are there.
    convenience init(resuming url: URL, at offset: Int64, onRoom: @escaping @Sendable () -> Void)
      throws(URLError)
    {
      // Without O_NONBLOCK, opening a named pipe would wait for its reader; a file knows no such waiting.
      self.init(try Self.open(url, O_NOFOLLOW | O_NONBLOCK), at: url, isNamed: true, onRoom: onRoom)
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw URLError(
          .cannotOpenFile,
          sentence: "The partial download \(url.lastPathComponent) is not a regular file. "
            + "Load the file from its beginning.")
      }
      guard status.st_size >= offset,
        ftruncate(descriptor, Int(offset)) == 0, lseek(descriptor, Int(offset), SEEK_SET) == Int(offset)
      else {
        throw URLError(
          .cannotOpenFile,
          sentence: "The partial download \(url.lastPathComponent) is shorter than its resume data says.")
      }
      state.withLock { $0.writtenLength = offset }
    }

    private init(_ descriptor: Int32, at url: URL, isNamed: Bool, onRoom: @escaping @Sendable () -> Void) {
      self.url = url
      self.descriptor = descriptor
      self.onRoom = onRoom
      state = Mutex(State(isNamed: isNamed))
    }

    private static func open(_ url: URL, _ flags: Int32) throws(URLError) -> Int32 {
      let descriptor = Glibc.open(url.path, O_WRONLY | O_CLOEXEC | flags, 0o600)
      guard descriptor >= 0 else {
        let reason = String(cString: strerror(errno))
        throw URLError(
          flags & O_CREAT != 0 ? .cannotCreateFile : .cannotOpenFile,
          sentence:
            "The file for the download cannot be opened in \(url.deletingLastPathComponent().path): \(reason)."
        )
      }
      return descriptor
    }

    /// O_TMPFILE of open(2), a macro that Swift does not import.
    private static let temporaryFile = 0o20_000_000 | O_DIRECTORY

    /// Nil where there are no such files, or no way to name one later.
    private static func openNameless(in directory: URL) -> Int32? {
      let descriptor = Glibc.open(directory.path, O_WRONLY | O_CLOEXEC | temporaryFile, 0o600)
      guard descriptor >= 0 else { return nil }
      guard access(ownPath(of: descriptor), F_OK) == 0 else {
        close(descriptor)
        return nil
      }
      return descriptor
    }

    /// Through which the manual of open(2) says that a file without a name is given one.
    private static func ownPath(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// On the file's queue.
    private func giveName() {
      guard !isNamed, !state.withLock({ $0.isClosed }) else { return }
      if linkat(AT_FDCWD, Self.ownPath(of: descriptor), AT_FDCWD, url.path, AT_SYMLINK_FOLLOW) == 0 {
        state.withLock { $0.isNamed = true }
      } else {
        fail("cannot be kept as \(url.path)", errno)
      }
    }

    /// Whether there is something at ``url``.
    var isNamed: Bool { state.withLock { $0.isNamed } }

    private func fail(_ problem: String, _ code: Int32) {
      let error = URLError(
        .cannotWriteToFile, sentence: "The download \(problem): \(String(cString: strerror(code))).")
      state.withLock { $0.error = $0.error ?? error }
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
          return fail("cannot be written to \(url.path)", errno)
        }
      }
    }

    /// What went wrong while writing, as soon as it is known: there is no use in receiving more.
    var error: URLError? { state.withLock { $0.error } }

    /// Writes what is left, then tells how it went, on the file's own queue.
    ///
    /// - Parameter keeps: whether there may be a use for the file: only then is there something at ``url``.
    func finish(keeps: Bool, _ then: @escaping @Sendable (URLError?) -> Void) {
      queue.async { [self] in
        if let last = state.withLock({ $0.filling.take() }) { write(last) }
        state.withLock { $0.spare = [] }
        if keeps { giveName() }
        // A completed task may be kept for long; it does not keep the descriptor.
        closeFile()
        then(error)
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
        if isNamed { unlink(url.path) }
        closeFile()
      }
    }
  }
#endif
