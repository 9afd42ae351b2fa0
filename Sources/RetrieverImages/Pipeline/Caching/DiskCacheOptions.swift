import Foundation

/// Where and how long images are kept on disk.
public struct DiskCacheOptions: Sendable, Hashable {
  /// The directory, made if it is not there, readable by this user only. Nothing else should be in it. Where it cannot
  /// be used, or is another user's, nothing is kept on disk.
  public var directory: URL
  /// How many bytes all files may have. What was not used for longest gives way, in the background.
  public var sizeLimit: Int
  /// How many seconds an image may lie unused before it is removed; 30 days unless given.
  public var expiry: TimeInterval

  /// Options; those that are not given are the user's directory for caches, 256 MiB and 30 days.
  public init(
    directory: URL = Self.defaultDirectory, sizeLimit: Int = 256 << 20, expiry: TimeInterval = 30 * 86_400
  ) {
    self.directory = directory
    self.sizeLimit = max(0, sizeLimit)
    self.expiry = expiry.isFinite ? max(0, expiry) : .greatestFiniteMagnitude
  }

  /// A directory of this program's in the user's one for caches.
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
