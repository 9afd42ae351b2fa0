// All system calls on files and directories of the store are in this file.

import Foundation
import Glibc
import SystemFiles

/// An open file, closed with its owner.
package struct OpenFile: ~Copyable {
  package private(set) var path: String
  /// The name that error messages use.
  private let name: String
  private let descriptor: Int32
  /// Returns whether to stop waiting for a stream that may block for any time. It is nil for files.
  private let isAbandoned: (@Sendable () -> Bool)?

  /// Creates a new file that only this user can read. The file is locked while it is open.
  ///
  /// - Parameter name: the name for error messages, for a file that will be moved (default: the path).
  package init(creating path: String, name: String? = nil) throws(KennelError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    var descriptor: Int32
    while true {
      descriptor = SystemCall.retrying {
        StorageFault.strikes(.createFile) ? FileCalls.noSpace() : open(path, flags, 0o600)
      }
      guard descriptor >= 0 else {
        throw .file("A file could not be created", path: name ?? path, errno: errno)
      }
      if StorageFault.strikes(.lockFile) { unlink(path) }
      // If the file system does not support locks, files left behind by a killed process stay.
      _ = SystemCall.retrying { flock(descriptor, LOCK_EX) }
      // Before the file was locked, another process may have removed it as one that a killed process has left.
      if FileCalls.isLinked(descriptor) { break }
      close(descriptor)
    }
    self.path = path
    self.name = name ?? path
    self.descriptor = descriptor
    isAbandoned = nil
  }

  /// Opens a file for reading.
  ///
  /// - Parameter followsLinks: whether to follow symbolic links, for a path that the user specified.
  package init(reading path: String, followsLinks: Bool = false) throws(KennelError) {
    // Opening does not wait for the writer of a pipe. The caller refuses pipes.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = SystemCall.retrying { open(path, flags) }
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    isAbandoned = nil
  }

  /// Opens a file for appending and reading. If it does not exist, it is created for this user only.
  package init(appending path: String) throws(KennelError) {
    let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let descriptor = SystemCall.retrying {
      StorageFault.strikes(.createFile) ? FileCalls.noSpace() : open(path, flags, 0o600)
    }
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    isAbandoned = nil
  }

  /// Opens a directory, to lock it.
  package init(directory path: String) throws(KennelError) {
    let descriptor = SystemCall.retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .file("A directory could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    isAbandoned = nil
  }

  /// Opens a stream: a device, or a pipe whose reader is waited for.
  ///
  /// - Parameter isAbandoned: called while the stream accepts no bytes.
  package init(streamingTo path: String, until isAbandoned: @escaping @Sendable () -> Bool)
    throws(KennelError)
  {
    var descriptor: Int32
    repeat {
      if isAbandoned() { throw .cancelled }
      descriptor = SystemCall.retrying { open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
      // "opens for write-only... ENXIO unless the other end has been opened". There is no notification for that.
      if descriptor < 0, errno == ENXIO { _ = poll(nil, 0, 50) }
    } while descriptor < 0 && errno == ENXIO
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    self.isAbandoned = isAbandoned
  }

  /// Opens the program's standard output, of any kind.
  package init(standardOutputUntil isAbandoned: @escaping @Sendable () -> Bool) throws(KennelError) {
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    let name = "standard output"
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: name, errno: errno) }
    path = name
    self.name = name
    self.descriptor = descriptor
    self.isAbandoned = isAbandoned
  }

  deinit { close(descriptor) }

  /// Returns the size of the file in bytes.
  package func size() throws(KennelError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .file("A file could not be read", path: name, errno: errno)
    }
    return Int(status.st_size)
  }

  /// Returns whether it is a regular file, not a directory, pipe or device.
  package func isRegular() throws(KennelError) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .file("A file could not be read", path: name, errno: errno)
    }
    return status.st_mode & S_IFMT == S_IFREG
  }

  /// Truncates the file to zero bytes.
  package func empty() throws(KennelError) {
    guard SystemCall.retrying({ ftruncate(descriptor, 0) }) == 0 else {
      throw .file("A file could not be written", path: name, errno: errno)
    }
  }

  /// Continues reading at the start of the file.
  package func rewind() throws(KennelError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw .file("A file could not be read", path: name, errno: errno)
    }
  }

  /// Moves the file within the same file system.
  package mutating func move(to target: String) throws(KennelError) {
    try FileCalls.rename(path, to: target)
    path = target
  }

  /// Takes a shared lock. Waits while another process has an exclusive lock.
  func share() throws(KennelError) {
    guard SystemCall.retrying({ flock(descriptor, LOCK_SH) }) == 0 else {
      throw .file("A file could not be locked", path: name, errno: errno)
    }
  }

  /// Takes a shared lock. Returns false if another process has an exclusive lock.
  func shareIfFree() -> Bool {
    !StorageFault.strikes(.lockFile) && flock(descriptor, LOCK_SH | LOCK_NB) == 0
  }

  /// Takes an exclusive lock. Returns false if another process holds a lock.
  func lockIfFree() -> Bool {
    !StorageFault.strikes(.lockFile) && flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  /// Releases the lock. Closing the file does so too, unless a child process that started in between still holds a copy
  /// of the descriptor.
  func unlock() { _ = flock(descriptor, LOCK_UN) }

  /// The number of bytes that a ready pipe accepts in one write (PIPE_BUF).
  private static let readyLength = 4096

  package func write(_ bytes: UnsafeRawBufferPointer) throws(KennelError) {
    var rest = bytes
    while !rest.isEmpty {
      var length = rest.count
      if let isAbandoned {
        if isAbandoned() { throw .cancelled }
        guard DescriptorIO.wait(for: .writing, on: descriptor, milliseconds: 100) == .ready else { continue }
        length = min(length, Self.readyLength)
      }
      let count = SystemCall.retrying {
        StorageFault.strikes(.writeFile)
          ? FileCalls.noSpace() : Glibc.write(descriptor, rest.baseAddress, length)
      }
      if count < 0, errno == EAGAIN, isAbandoned != nil { continue }
      guard count > 0 else { throw .file("A file could not be written", path: name, errno: errno) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  package func write(_ bytes: some ContiguousBytes) throws(KennelError) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(KennelError) in try write(buffer) }
    }
    try result.get()
  }

  /// Reads up to `buffer.count` bytes. Returns the number of bytes, or 0 at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(KennelError) -> Int {
    let count = SystemCall.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw .file("A file could not be read", path: name, errno: errno) }
    return count
  }

  /// Reads up to `buffer.count` bytes at a position, which does not change where the next other call reads.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at position: Int
  ) throws(KennelError) -> Int {
    let count = SystemCall.retrying {
      pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
    }
    guard count >= 0 else { throw .file("A file could not be read", path: name, errno: errno) }
    return count
  }

  /// Returns the complete contents.
  ///
  /// - Throws: `photoTooLarge` if the file has more than `limit` bytes.
  package func contents(limit: Int) throws(KennelError) -> Data {
    let size = try size()
    guard size <= limit else { throw .photoTooLarge }
    var data = Data(count: size)
    let result = data.withUnsafeMutableBytes { bytes in
      Result { () throws(KennelError) in
        var count = 0
        while count < size {
          let read = try read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
          if read == 0 { break }
          count += read
        }
        return count
      }
    }
    return data.prefix(try result.get())
  }

  package func sync() throws(KennelError) {
    let code = SystemCall.retrying {
      StorageFault.strikes(.syncFile) ? FileCalls.noSpace() : fsync(descriptor)
    }
    // "fd is bound to a special file (e.g., a pipe, FIFO, or socket) which does not support synchronization."
    if code != 0, isAbandoned != nil, errno == EINVAL || errno == EROFS { return }
    guard code == 0 else { throw .file("A file could not be synced to the disk", path: name, errno: errno) }
  }
}

package enum FileCalls {
  /// The kind of a file system item.
  package enum Kind: Sendable {
    case file, directory
    /// A pipe or a character device.
    case stream
    case disk, other
  }

  /// Returns the kind of the item at a path after following links, or nil if there is none.
  package static func kind(of path: String) -> Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    case S_IFIFO, S_IFCHR: .stream
    case S_IFBLK: .disk
    default: .other
    }
  }

  /// Returns the target of a symbolic link at the end of a path, whether the target exists or not. Returns the path
  /// itself if it is not a link.
  package static func resolvingLinks(_ path: String) throws(KennelError) -> String {
    var end = path
    guard SymbolicLinks.follow(&end) else {
      throw .file("A file could not be created", path: path, errno: ELOOP)
    }
    return end
  }

  /// Creates a directory for this user only. An existing directory stays unchanged.
  package static func makeDirectory(_ path: String) throws(KennelError) {
    if mkdir(path, 0o700) == 0 { return }
    let number = errno
    var status = stat()
    if number == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    throw .file("A directory could not be created", path: path, errno: number == EEXIST ? ENOTDIR : number)
  }

  /// Creates an empty file for this user only. An existing file stays unchanged.
  ///
  /// An existing file is not even opened, because closing it would release this process's SQLite locks on it.
  package static func makeFile(_ path: String) throws(KennelError) {
    let descriptor = SystemCall.retrying {
      StorageFault.strikes(.createFile)
        ? noSpace() : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    if descriptor < 0, errno == EEXIST { return }
    guard descriptor >= 0 else { throw .file("A file could not be created", path: path, errno: errno) }
    close(descriptor)
  }

  package static func rename(_ source: String, to target: String) throws(KennelError) {
    let code = StorageFault.strikes(.renameFile) ? noSpace() as Int32 : Glibc.rename(source, target)
    guard code == 0 else { throw .file("A file could not be moved", path: target, errno: errno) }
  }

  /// Returns the last component of a path, or the path itself if it has none.
  package static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Returns the parent directory of a path.
  package static func parent(of path: String) -> String {
    // Foundation's deletingLastPathComponent is not used because it crashes for a relative path of one character.
    let bytes = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    func withoutSlashes(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      bytes[..<((bytes.lastIndex { $0 != slash } ?? -1) + 1)]
    }
    let trimmed = withoutSlashes(bytes[...])
    guard let last = trimmed.lastIndex(of: slash) else { return bytes.first == slash ? "/" : "." }
    let directory = withoutSlashes(trimmed[...last])
    return directory.isEmpty ? "/" : String(decoding: directory, as: UTF8.self)
  }

  /// Syncs all file systems. For many files, this takes far less time than an `fsync` for each.
  package static func syncAll() { Glibc.sync() }

  /// Gives a file a second name on the same file system. Returns false if the file system does not support that.
  package static func link(_ source: String, as target: String) throws(KennelError) -> Bool {
    if Glibc.link(source, target) == 0 { return true }
    guard ![EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV].contains(errno) else { return false }
    throw .file("A file could not be created", path: target, errno: errno)
  }

  /// Removes a file. Succeeds if the file does not exist.
  package static func remove(_ path: String) throws(KennelError) {
    let code = StorageFault.strikes(.removeFile) ? noSpace() as Int32 : unlink(path)
    guard code == 0 || errno == ENOENT else {
      throw .file("A file could not be removed", path: path, errno: errno)
    }
  }

  /// Syncs the list of files in a directory to the disk.
  package static func syncDirectory(_ path: String) throws(KennelError) {
    let descriptor = SystemCall.retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .file("A directory could not be opened", path: path, errno: errno) }
    defer { close(descriptor) }
    let code = SystemCall.retrying { StorageFault.strikes(.syncDirectory) ? noSpace() : fsync(descriptor) }
    guard code == 0 else {
      throw .file("A directory could not be synced to the disk", path: path, errno: errno)
    }
  }

  /// Returns the size of a regular file, or nil if there is none.
  package static func size(of path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Calls a closure with each name in a directory, in no particular order.
  package static func forEachName(in path: String, _ body: (String) throws(KennelError) -> Void)
    throws(KennelError)
  {
    guard let directory = opendir(path) else {
      throw .file("A directory could not be read", path: path, errno: errno)
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { try body(name) }
    }
  }

  /// Returns false if the file has been deleted since it was opened.
  fileprivate static func isLinked(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0
  }

  /// Returns the result of a simulated fault.
  static func noSpace<Number: SignedInteger>() -> Number {
    errno = ENOSPC
    return -1
  }

  /// Returns the text of a small file, or nil if the file is missing, empty or longer than `limit`.
  package static func text(of path: String, limit: Int) throws(KennelError) -> String? {
    guard let size = size(of: path), size <= limit, size > 0 else { return nil }
    return String(decoding: try OpenFile(reading: path).contents(limit: limit), as: UTF8.self)
  }
}

/// A lock on a file or directory that also works between processes. It is released with its owner, or when the process
/// ends.
package final class FileLock: Sendable {
  private let file: OpenFile

  /// Takes an exclusive lock. Returns nil if another process holds a lock.
  package init?(_ file: consuming OpenFile) {
    guard file.lockIfFree() else { return nil }
    self.file = file
  }

  /// Takes a shared lock. Blocks while another process has an exclusive lock.
  package init(sharing file: consuming OpenFile) throws(KennelError) {
    try file.share()
    self.file = file
  }

  /// Takes a shared lock. Returns nil if another process has an exclusive lock.
  package init?(sharingIfFree file: consuming OpenFile) {
    guard file.shareIfFree() else { return nil }
    self.file = file
  }

  deinit { release() }

  /// Releases the lock now, even if there are other references to this object.
  package func release() { file.unlock() }
}

/// A buffer for reading and writing files. It is freed with its owner.
package final class FileBuffer {
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  package init() {}

  deinit { memory.deallocate() }

  /// Returns room for `count` bytes, or the complete buffer if it is smaller.
  package func first(_ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[..<min(count, memory.count)])
  }

  /// Returns the first `count` bytes that were read into the buffer.
  package func bytes(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(first(count)) }
}
