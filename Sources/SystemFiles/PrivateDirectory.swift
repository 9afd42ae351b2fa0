#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Directories that only the user may access.
public enum PrivateDirectory {
  /// Creates a directory and its parents with mode 0700. Those that exist keep their modes.
  ///
  /// - Returns: Whether there is a file or directory with this path now. If not, `errno` is the reason.
  public static func make(_ path: String) -> Bool {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex,
      make(String(path[..<slash]))
    else { return false }
    return mkdir(path, 0o700) == 0 || errno == EEXIST
  }
}
