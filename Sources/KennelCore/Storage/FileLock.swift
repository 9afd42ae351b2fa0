/// A lock on a file or directory, between processes too; let go of with its owner, or when the process ends.
final class FileLock: Sendable {
  private let file: OpenFile

  /// A lock that one has alone; nil when somebody has it, or shares it.
  init?(_ file: consuming OpenFile) {
    guard file.lockIfFree() else { return nil }
    self.file = file
  }

  /// A lock that is shared with others. Blocks while somebody has it alone.
  init(sharing file: consuming OpenFile) throws(KennelError) {
    try file.share()
    self.file = file
  }

  deinit { release() }

  /// Lets go of it now, whoever still has this.
  func release() { file.unlock() }
}
