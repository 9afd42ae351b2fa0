import Foundation
import Glibc
import TerminalProgram

/// What somebody wants to have imported: a photo, or a folder of them.
enum PhotoSource: Sendable {
  /// Whatever its name is, and by a link too: it was asked for.
  case file(PhotoFolder.File)
  case folder(PhotoFolder)

  /// Looks what is at a path. Blocks.
  init(_ path: String) throws(Failure) {
    // Not a URL of Foundation's: that of an empty path is the current directory.
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw .file("\(path) cannot be read", errno) }
      throw Failure(.fileSystem, "there is no file or folder \(path)")
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: self = .folder(PhotoFolder(path))
    case S_IFREG:
      self = .file(
        PhotoFolder.File(
          path: Self.behindLink(path), byteCount: Int(status.st_size), date: Date(status.st_mtim)))
    default:
      throw Failure(.fileSystem, "\(path) is neither a file nor a folder: give a photo, or a folder of them")
    }
  }

  /// The file that a link leads to: photos are read from files, never from links.
  private static func behindLink(_ path: String) -> String {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let target = realpath(path, nil)
    else { return path }
    defer { free(target) }
    return String(cString: target)
  }
}

extension Date {
  fileprivate init(_ time: timespec) {
    self.init(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}
