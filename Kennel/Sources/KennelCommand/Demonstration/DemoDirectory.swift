import Foundation
import Glibc
import TerminalProgram

/// A temporary directory for one demonstration, which is removed at the end.
///
/// If the process is killed, the next demonstration removes the directory. A lock on a file in the directory shows that
/// its process is running: the system releases the lock when the process ends, even if it is killed.
final class DemoDirectory: Sendable {
  let path: String
  private let lock: Int32

  private static let prefix = "kennel-demo-"
  private static let lockName = "demo.lock"

  /// Removes abandoned directories, and creates a new one.
  ///
  /// - Parameter parent: the directory for temporary files.
  init(in parent: String = FileManager.default.temporaryDirectory.path) throws(Failure) {
    Self.sweep(parent)
    while true {
      guard let (path, lock) = try Self.make(parent) else { continue }
      self.path = path
      self.lock = lock
      return
    }
  }

  /// Creates and locks a directory. Returns nil if another demonstration removed it before it was locked.
  private static func make(_ parent: String) throws(Failure) -> (path: String, lock: Int32)? {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .file("Could not create a directory in \(parent)", errno) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let lockPath = "\(path)/\(lockName)"
    let lock = open(lockPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      let code = errno
      rmdir(path)
      throw .file("Could not create a file in \(path)", code)
    }
    let code = flock(lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    if code == EWOULDBLOCK || code == 0 && access(lockPath, F_OK) != 0 {
      close(lock)
      return nil
    }
    // If the file system has no locks, the directory must not look abandoned.
    if code != 0 { unlink(lockPath) }
    return (path, lock)
  }

  deinit { close(lock) }

  /// Removes the directory with its contents.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  // MARK: Abandoned directories

  private static func sweep(_ parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) { removeAbandoned("\(parent)/\(name)") }
  }

  /// Removes an abandoned directory of a demonstration.
  ///
  /// The directory must belong to this user, contain the unlocked lock file of a demonstration and only files that a
  /// demonstration creates, and no process may have its database open.
  private static func removeAbandoned(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      let names = try? FileManager.default.contentsOfDirectory(atPath: path),
      names.allSatisfy(isOurs)
    else { return }
    let lockPath = "\(path)/\(lockName)"
    let lock = open(lockPath, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0 else { return }
    defer { close(lock) }
    guard fstat(lock, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_size == 0, flock(lock, LOCK_EX | LOCK_NB) == 0,
      !isDatabaseOpen(path)
    else { return }
    // Remove the lock file last, so that the next demonstration can continue an interrupted removal.
    for name in names where name != lockName {
      try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
    unlink(lockPath)
    rmdir(path)
  }

  private static func isOurs(_ name: String) -> Bool {
    [lockName, "photos", "thumbnails"].contains(name) || name.hasPrefix("kennel.sqlite")
  }

  /// Returns whether a process, such as `kennel serve`, has the database open. While the database is open, SQLite holds
  /// a lock on the index of its write-ahead log.
  private static func isDatabaseOpen(_ path: String) -> Bool {
    let index = open("\(path)/kennel.sqlite-shm", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard index >= 0 else { return errno != ENOENT }
    defer { close(index) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return fcntl(index, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
  }
}
