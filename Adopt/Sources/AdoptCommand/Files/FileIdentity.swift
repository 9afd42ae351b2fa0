import Glibc

/// The device and inode number that identify a file or folder, regardless of its path.
struct FileIdentity: Hashable {
  enum Kind { case file, folder, other }

  let device: UInt64
  let number: UInt64

  /// Returns the identity and kind of the file at a path, following links, or nil if there is none.
  static func read(_ path: String) -> (identity: FileIdentity, kind: Kind)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
    return (FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)), kind)
  }
}
