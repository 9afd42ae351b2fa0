import Foundation
import Glibc
import TerminalProgram

/// An argument of `kennel import`: a photo or a folder of photos.
enum PhotoSource: Sendable {
  /// A file with any name, also through a symbolic link, because the user named it.
  case file(PhotoFolder.File)
  case folder(PhotoFolder)

  /// Examines the file or folder at a path. Blocks the thread.
  init(_ path: String) throws(Failure) {
    // Foundation's URL of an empty path is the current directory, so this uses the path itself.
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw .file("Could not read \(path)", errno) }
      throw Failure(.fileSystem, "There is no file or folder “\(path)”. Check the path.")
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: self = .folder(PhotoFolder(path))
    case S_IFREG:
      self = .file(
        PhotoFolder.File(
          path: Self.resolvingLink(path), byteCount: Int(status.st_size), date: Date(status.st_mtim)))
    default:
      throw Failure(
        .fileSystem, "The path \(path) is neither a file nor a folder. Give a photo or a folder of photos.")
    }
  }

  /// Returns the target of a symbolic link, because the store reads photos only from regular files.
  private static func resolvingLink(_ path: String) -> String {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let target = realpath(path, nil)
    else { return path }
    defer { free(target) }
    return String(cString: target)
  }
}

extension Date {
  init(_ time: timespec) {
    self.init(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}
