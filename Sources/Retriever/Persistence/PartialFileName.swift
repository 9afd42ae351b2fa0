#if !canImport(Darwin)
import Foundation

/// The names of files that downloads are written to. They are random, and contain no path.
enum PartialFileName {
  private static let prefix = "RetrieverDownload-"
  private static let suffix = ".tmp"

  static func random() -> String { prefix + UUID().uuidString + suffix }

  /// Returns whether this library may have created a file with this name.
  static func isValid(_ name: String) -> Bool {
    name.hasPrefix(prefix) && name.hasSuffix(suffix)
      && UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
  }
}
#endif
