// Every system call on a file or directory of the store stands in this file.

import Foundation
import Glibc

/// An open file, closed with its owner.
struct OpenFile: ~Copyable {
  private(set) var path: String
  /// As errors name it.
  private let name: String
  private let descriptor: Int32
  /// Whether to go on, for what may take nothing for any time; nil for files.
  private let isAbandoned: (@Sendable () -> Bool)?

  /// Makes a file that nobody else can read and that did not exist; locked for as long as it is open.
  ///
  /// - Parameter name: what errors are to name, for a file that is to get another place; the path unless given.
  init(creating path: String, name: String? = nil) throws(KennelError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = FileCalls.again {
      StorageFault.strikes(.createFile) ? FileCalls.noSpace() : open(path, flags, 0o600)
    }
    guard descriptor >= 0 else { throw .file("A file could not be made", path: name ?? path, errno: errno) }
    self.path = path
    self.name = name ?? path
    self.descriptor = descriptor
    isAbandoned = nil
    // Where a file system has no locks, nobody gets one: what a killed process left behind then stays.
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
  }

  /// Opens a file for reading.
  ///
  /// - Parameter followsLinks: for a path that its owner has named.
  init(reading path: String, followsLinks: Bool = false) throws(KennelError) {
    // A pipe that nobody writes to is opened as well: it is for who reads to refuse it.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = FileCalls.again { open(path, flags) }
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    isAbandoned = nil
  }

  /// Opens a file for adding to its end, and reading; one that is not there is made, for this user only.
  init(appending path: String) throws(KennelError) {
    let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let descriptor = FileCalls.again {
      StorageFault.strikes(.createFile) ? FileCalls.noSpace() : open(path, flags, 0o600)
    }
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    isAbandoned = nil
  }

  /// Opens a directory, to lock it.
  init(directory path: String) throws(KennelError) {
    let descriptor = FileCalls.again { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .file("A directory could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    isAbandoned = nil
  }

  /// Opens what takes bytes as they come: a pipe, whose reader is waited for, or a device.
  ///
  /// - Parameter isAbandoned: looked at while nothing is taken.
  init(streamingTo path: String, until isAbandoned: @escaping @Sendable () -> Bool) throws(KennelError) {
    var descriptor: Int32
    repeat {
      if isAbandoned() { throw .cancelled }
      descriptor = FileCalls.again { open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
      // "opens for write-only... ENXIO unless the other end has been opened": the system does not tell when it is.
      if descriptor < 0, errno == ENXIO { _ = poll(nil, 0, 50) }
    } while descriptor < 0 && errno == ENXIO
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: path, errno: errno) }
    self.path = path
    name = path
    self.descriptor = descriptor
    self.isAbandoned = isAbandoned
  }

  /// The program's standard output, whatever it is.
  init(standardOutputUntil isAbandoned: @escaping @Sendable () -> Bool) throws(KennelError) {
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    let name = "standard output"
    guard descriptor >= 0 else { throw .file("A file could not be opened", path: name, errno: errno) }
    path = name
    self.name = name
    self.descriptor = descriptor
    self.isAbandoned = isAbandoned
  }

  deinit { close(descriptor) }

  /// How many bytes it has.
  func size() throws(KennelError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .file("A file could not be read", path: name, errno: errno)
    }
    return Int(status.st_size)
  }

  /// Whether it is a file with bytes of its own: no folder, pipe or device.
  func isRegular() throws(KennelError) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .file("A file could not be read", path: name, errno: errno)
    }
    return status.st_mode & S_IFMT == S_IFREG
  }

  /// Takes all its bytes away.
  func empty() throws(KennelError) {
    guard FileCalls.again({ ftruncate(descriptor, 0) }) == 0 else {
      throw .file("A file could not be written", path: name, errno: errno)
    }
  }

  /// Reads from its beginning again.
  func rewind() throws(KennelError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw .file("A file could not be read", path: name, errno: errno)
    }
  }

  /// Gives it another place in the same file system.
  mutating func move(to target: String) throws(KennelError) {
    try FileCalls.rename(path, to: target)
    path = target
  }

  /// Lets others share it, but nobody have it alone; waits for who has.
  func share() throws(KennelError) {
    guard FileCalls.again({ flock(descriptor, LOCK_SH) }) == 0 else {
      throw .file("A file could not be locked", path: name, errno: errno)
    }
  }

  /// False when somebody has removed it since it was made.
  var isLinked: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0
  }

  /// True when no living process holds it.
  func lockIfFree() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Lets others have it. Closing does so too, unless a process that was begun in between has not let go of its copy of
  /// the descriptor yet.
  func unlock() { _ = flock(descriptor, LOCK_UN) }

  /// What a pipe takes in one go once it is ready (PIPE_BUF).
  private static let readyLength = 4096

  func write(_ bytes: UnsafeRawBufferPointer) throws(KennelError) {
    var rest = bytes
    while !rest.isEmpty {
      var length = rest.count
      if let isAbandoned {
        if isAbandoned() { throw .cancelled }
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 100) > 0 else { continue }
        length = min(length, Self.readyLength)
      }
      let count = FileCalls.again {
        StorageFault.strikes(.writeFile)
          ? FileCalls.noSpace() : Glibc.write(descriptor, rest.baseAddress, length)
      }
      if count < 0, errno == EAGAIN, isAbandoned != nil { continue }
      guard count > 0 else { throw .file("A file could not be written", path: name, errno: errno) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  func write(_ bytes: some ContiguousBytes) throws(KennelError) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(KennelError) in try write(buffer) }
    }
    try result.get()
  }

  /// Reads up to `buffer.count` bytes; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(KennelError) -> Int {
    let count = FileCalls.again { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw .file("A file could not be read", path: name, errno: errno) }
    return count
  }

  /// All that it has.
  ///
  /// - Throws: `photoTooLarge` when that is more than `limit` bytes.
  func contents(limit: Int) throws(KennelError) -> Data {
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

  func sync() throws(KennelError) {
    let code = FileCalls.again { StorageFault.strikes(.syncFile) ? FileCalls.noSpace() : fsync(descriptor) }
    // "fd is bound to a special file (e.g., a pipe, FIFO, or socket) which does not support synchronization."
    if code != 0, isAbandoned != nil, errno == EINVAL || errno == EROFS { return }
    guard code == 0 else { throw .file("A file could not be brought to the disk", path: name, errno: errno) }
  }
}

enum FileCalls {
  /// What there can be at a path.
  enum Kind: Sendable {
    case file, directory
    /// A pipe or a device that takes bytes one after the other.
    case stream
    case disk, other
  }

  /// What is at a path, behind links; nil for nothing.
  static func kind(of path: String) -> Kind? {
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

  /// The path to which a link at the end of a path leads, whether there is something or not; the path itself where no
  /// link is.
  static func placeBehindLinks(_ path: String) throws(KennelError) -> String {
    var place = path
    // As many as Linux follows.
    for _ in 0..<40 {
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(place, &target, target.count)
      guard count > 0 else { return place }
      let text = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      place = text.hasPrefix("/") ? text : parent(of: place) + "/" + text
    }
    throw .file("A file could not be made", path: path, errno: ELOOP)
  }

  /// Makes a directory for this user only; one that is there stays as it is.
  static func makeDirectory(_ path: String) throws(KennelError) {
    if mkdir(path, 0o700) == 0 { return }
    let number = errno
    var status = stat()
    if number == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    throw .file("A directory could not be made", path: path, errno: number == EEXIST ? ENOTDIR : number)
  }

  /// Makes an empty file for this user only; one that is there stays as it is.
  ///
  /// That one is not even opened: closing it again would take SQLite's locks on it away from this process.
  static func makeFile(_ path: String) throws(KennelError) {
    let descriptor = again {
      StorageFault.strikes(.createFile)
        ? noSpace() : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    if descriptor < 0, errno == EEXIST { return }
    guard descriptor >= 0 else { throw .file("A file could not be made", path: path, errno: errno) }
    close(descriptor)
  }

  static func rename(_ source: String, to target: String) throws(KennelError) {
    let code = StorageFault.strikes(.renameFile) ? noSpace() as Int32 : Glibc.rename(source, target)
    guard code == 0 else { throw .file("A file could not be put in its place", path: target, errno: errno) }
  }

  /// The directory that a path leads through last.
  static func parent(of path: String) -> String {
    // Not Foundation's deletingLastPathComponent: it ends the program for a relative path of one character.
    let bytes = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    func withoutSlashes(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      bytes[..<((bytes.lastIndex { $0 != slash } ?? -1) + 1)]
    }
    let whole = withoutSlashes(bytes[...])
    guard let last = whole.lastIndex(of: slash) else { return bytes.first == slash ? "/" : "." }
    let directory = withoutSlashes(whole[...last])
    return directory.isEmpty ? "/" : String(decoding: directory, as: UTF8.self)
  }

  /// Brings all that was written to the disks: for many files at once, where an `fsync` for each takes far longer.
  static func syncAll() { Glibc.sync() }

  /// Removes a file; one that is not there is as good.
  static func remove(_ path: String) throws(KennelError) {
    let code = StorageFault.strikes(.removeFile) ? noSpace() as Int32 : unlink(path)
    guard code == 0 || errno == ENOENT else {
      throw .file("A file could not be removed", path: path, errno: errno)
    }
  }

  /// Brings to the disk which files a directory has.
  static func syncDirectory(_ path: String) throws(KennelError) {
    let descriptor = again { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .file("A directory could not be opened", path: path, errno: errno) }
    defer { close(descriptor) }
    let code = again { StorageFault.strikes(.syncDirectory) ? noSpace() : fsync(descriptor) }
    guard code == 0 else {
      throw .file("A directory could not be brought to the disk", path: path, errno: errno)
    }
  }

  /// The bytes of a regular file; nil when there is none.
  static func size(of path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Hands over the names in a directory, in no order.
  static func forEachName(in path: String, _ body: (String) throws(KennelError) -> Void) throws(KennelError) {
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

  /// Calls again what a signal interrupted.
  static func again<Number: BinaryInteger>(_ call: () -> Number) -> Number {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  /// What a fault answers.
  static func noSpace<Number: SignedInteger>() -> Number {
    errno = ENOSPC
    return -1
  }

  /// A small file's text; nil when there is none, or when it is longer.
  static func text(of path: String, limit: Int) throws(KennelError) -> String? {
    guard let size = size(of: path), size <= limit, size > 0 else { return nil }
    return String(decoding: try OpenFile(reading: path).contents(limit: limit), as: UTF8.self)
  }
}
