import Glibc

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
    if !followsLinks, Self.link(at: path) != nil {
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
      self = .file(try Self.end(of: path))
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

  /// Returns the end of a chain of links. `realpath` can do that only for an existing file.
  private static func end(of path: String) throws(Failure) -> String {
    var path = path
    // The same limit as in Linux.
    for _ in 0..<40 {
      guard let target = link(at: path) else { return path }
      let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
      path = target.hasPrefix("/") ? target : path[..<slash] + target
    }
    throw .file("\(path) cannot be written", ELOOP)
  }

  private static func link(at path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let length = readlink(path, start, buffer.count)
      guard length > 0 else { return nil }
      return String(decoding: buffer[..<length].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
