#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads symbolic links.
public enum SymbolicLinks {
  /// The same limit as in Linux.
  private static let maximumLinks = 40

  /// Replaces a path with the end of the chain of symbolic links that starts there.
  ///
  /// Unlike with `realpath`, the end does not need to exist. Only links at the end of the path are followed; links among
  /// its directories stay. A path that is not a link does not change.
  ///
  /// - Returns: Whether the end was found. If a chain has more than 40 links, or is a cycle, the result is false, and the
  ///   path is the place where the search stopped. System calls fail with `ELOOP` in this case.
  public static func follow(_ path: inout String) -> Bool {
    for _ in 0..<maximumLinks {
      guard let target = target(of: path) else { return true }
      let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
      path = target.hasPrefix("/") ? target : path[..<slash] + target
    }
    return target(of: path) == nil
  }

  /// Returns the text of a symbolic link: the path that it points to. Returns nil if the path is not a link.
  public static func target(of path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let length = readlink(path, start, buffer.count)
      guard length > 0 else { return nil }
      return String(decoding: buffer[..<length].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
