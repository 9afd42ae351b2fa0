import Glibc
import SystemFiles

extension FileCalls {
  /// What shows whether a file was changed or replaced: its identity, its size and its times of change in nanoseconds.
  package struct FileVersion: Sendable, Hashable {
    package let device: UInt
    package let inode: UInt
    package let byteCount: Int
    package let modified: [Int]
    package let changed: [Int]
  }

  /// Returns the version of the file at a path after following links, or nil if there is none.
  package static func version(of path: String) -> FileVersion? {
    var status = stat()
    guard SystemCall.retrying({ stat(path, &status) }) == 0 else { return nil }
    return FileVersion(
      device: UInt(status.st_dev), inode: UInt(status.st_ino), byteCount: Int(status.st_size),
      modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec],
      changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec])
  }
}
