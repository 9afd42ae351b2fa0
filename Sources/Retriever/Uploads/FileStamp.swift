#if !canImport(Darwin)
import Glibc

/// What shows whether a file has changed since it was opened: its size and the time of its last change.
struct FileStamp: Codable, Sendable, Equatable {
  let size: Int64
  let seconds: Int64
  let nanoseconds: Int64

  init(_ status: stat) {
    size = Int64(status.st_size)
    seconds = Int64(status.st_mtim.tv_sec)
    nanoseconds = Int64(status.st_mtim.tv_nsec)
  }
}
#endif
