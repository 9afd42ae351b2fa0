import Glibc

/// What tells a file or folder from every other one, by whatever path it was come to.
struct FileIdentity: Hashable {
  enum Kind { case file, folder, other }

  let device: UInt64
  let number: UInt64

  /// Of what a path leads to, links followed; nil where there is nothing.
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
