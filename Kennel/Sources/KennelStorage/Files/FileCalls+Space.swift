import Glibc
import SystemFiles

extension FileCalls {
  /// The size of a file system, and what is free of it for this user, in bytes.
  package struct Space: Sendable, Hashable {
    package var free: Int64
    package var total: Int64

    package init(free: Int64, total: Int64) { (self.free, self.total) = (free, total) }
  }

  /// Returns the space of the file system of a path, or nil if it is not known.
  package static func space(at path: String) -> Space? {
    var status = statvfs()
    guard SystemCall.retrying({ statvfs(path, &status) }) == 0, status.f_blocks > 0 else { return nil }
    func bytes(_ blocks: UInt) -> Int64 {
      let (product, overflows) = blocks.multipliedReportingOverflow(by: status.f_frsize)
      return overflows ? .max : Int64(clamping: product)
    }
    return Space(free: bytes(status.f_bavail), total: bytes(status.f_blocks))
  }
}
