import Foundation

/// The location and the limits of a pipeline's disk cache.
public struct DiskCacheOptions: Sendable, Hashable {
  /// The directory, which is created if necessary and is readable only by the current user.
  ///
  /// The directory should not contain other files. If it cannot be used or belongs to another user, nothing is stored
  /// on disk.
  public var directory: URL
  /// The maximum size of all files in bytes. The least recently used files are removed in the background.
  public var sizeLimit: Int
  /// The number of seconds after which an unused image is removed (default: 30 days).
  public var expiry: TimeInterval

  /// Creates options. The defaults are a directory in the user's cache directory, 256 MiB and 30 days.
  public init(
    directory: URL = Self.defaultDirectory, sizeLimit: Int = 256 << 20, expiry: TimeInterval = 30 * 86_400
  ) {
    self.directory = directory
    self.sizeLimit = max(0, sizeLimit)
    self.expiry = expiry.isFinite ? max(0, expiry) : .greatestFiniteMagnitude
  }

  /// The directory for this program in the user's cache directory.
  public static var defaultDirectory: URL {
    let environment = ProcessInfo.processInfo.environment
    let base: URL
    if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
      base = URL(fileURLWithPath: path, isDirectory: true)
    } else {
      base = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
        ".cache", isDirectory: true)
    }
    let program = ProcessInfo.processInfo.processName.filter { $0.isLetter || $0.isNumber || $0 == "-" }
    return base.appendingPathComponent(program.isEmpty ? "Swift" : program, isDirectory: true)
      .appendingPathComponent("RetrieverImages", isDirectory: true)
  }
}
