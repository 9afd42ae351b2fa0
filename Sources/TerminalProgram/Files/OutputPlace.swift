import Glibc

/// What is at a path to which something is to be written, and so how that has to be done.
package enum OutputPlace: Sendable, Equatable {
  /// What the process has open already, by one of its names (`/dev/stdout`, `/dev/fd/3`): it goes on where that stands.
  case descriptor(Int32)
  /// A device, a pipe or a socket: it is written into, for nothing may ever be put in its place.
  case stream
  /// A regular file, or none yet: another may be put in its place. A link to it stays a link: this is where it leads.
  case file(String)

  /// - Parameter followsLinks: false for a name that nobody chose: then nobody chose where a link there leads.
  package init(_ path: String, followsLinks: Bool = true) throws(Failure) {
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

  /// Where a chain of links ends. `realpath` knows that only of a file which is there.
  private static func end(of path: String) throws(Failure) -> String {
    var path = path
    // As many as Linux itself follows.
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
