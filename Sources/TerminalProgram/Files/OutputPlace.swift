import Glibc
import SystemFiles

/// The kind of output at a path, which determines how to write to it.
public enum OutputPlace: Sendable, Equatable {
  /// A descriptor that the process has open, given as `/dev/stdout`, `/dev/fd/3` or similar. Writing continues at its
  /// current position.
  case descriptor(Int32)
  /// A device, a pipe or a socket. Data is written into it; it must never be replaced.
  case stream
  /// A regular file, or no file yet. It may be replaced. The path is the end of a chain of links, so a link stays a
  /// link.
  case file(String)

  /// - Parameter followsLinks: Pass false for a name that the user did not choose, so that a planted link is not
  ///   followed.
  public init(_ path: String, followsLinks: Bool = true) throws(Failure) {
    if !followsLinks, SymbolicLinks.target(of: path) != nil {
      self = .file(path)
      return
    }
    if let descriptor = Self.descriptor(of: path) {
      self = .descriptor(descriptor)
      return
    }
    var status = stat()
    if stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      self = .stream
    } else {
      var end = path
      guard SymbolicLinks.follow(&end) else { throw .file("Could not write \(end)", ELOOP) }
      self = .file(end)
    }
  }

  private static func descriptor(of path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return Int32(path.dropFirst(folder.count))
    }
    return nil
  }
}
