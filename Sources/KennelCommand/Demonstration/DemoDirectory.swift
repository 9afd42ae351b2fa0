import Foundation
import Glibc
import TerminalProgram

/// A temporary directory for one demonstration. It goes with it; where the process was killed, with the next one.
///
/// The lock on a file in it says that its process lives: the system lets go of it however the process ends.
final class DemoDirectory: Sendable {
  let path: String
  private let lock: Int32

  private static let prefix = "kennel-demo-"
  private static let lockName = "demo.lock"

  /// Makes one, after removing those that were left behind.
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

  /// Nil when another one that sweeps was faster than the lock.
  private static func make(_ parent: String) throws(Failure) -> (path: String, lock: Int32)? {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .file("no directory can be made in \(parent)", errno) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let lockPath = "\(path)/\(lockName)"
    let lock = open(lockPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      let code = errno
      rmdir(path)
      throw .file("no file can be made in \(path)", code)
    }
    let code = flock(lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    if code == EWOULDBLOCK || code == 0 && access(lockPath, F_OK) != 0 {
      close(lock)
      return nil
    }
    // Where a file system has no locks, no directory must ever seem to be left behind.
    if code != 0 { unlink(lockPath) }
    return (path, lock)
  }

  deinit { close(lock) }

  /// Removes it with all that is in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  // MARK: What was left behind

  private static func sweep(_ parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) { removeAbandoned("\(parent)/\(name)") }
  }

  /// Removes a directory whose owner is this user, that has the lock file of a demonstration whose process is gone,
  /// whose database nobody has open, and in which nothing is but what a demonstration makes.
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
    // The lock file last: a sweep that is cut off goes on with the next one.
    for name in names where name != lockName {
      try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
    unlink(lockPath)
    rmdir(path)
  }

  private static func isOurs(_ name: String) -> Bool {
    [lockName, "photos", "thumbnails"].contains(name) || name.hasPrefix("kennel.sqlite")
  }

  /// Whether a process has the database open: somebody may be serving what was left behind. SQLite holds a lock on the
  /// index of its log for as long as it does.
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
