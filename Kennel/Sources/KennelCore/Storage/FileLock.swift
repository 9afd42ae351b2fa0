/// A lock on a file or directory that also works between processes. It is released with its owner, or when the process
/// ends.
final class FileLock: Sendable {
  private let file: OpenFile

  /// Takes an exclusive lock. Returns nil if another process holds a lock.
  init?(_ file: consuming OpenFile) {
    guard file.lockIfFree() else { return nil }
    self.file = file
  }

  /// Takes a shared lock. Blocks while another process has an exclusive lock.
  init(sharing file: consuming OpenFile) throws(KennelError) {
    try file.share()
    self.file = file
  }

  deinit { release() }

  /// Releases the lock now, even if there are other references to this object.
  func release() { file.unlock() }
}
