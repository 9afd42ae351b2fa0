import Foundation

/// Files and directories that a killed process has left incomplete. A process holds a lock on what it writes.
package enum AbandonedFiles {
  /// Removes the incomplete files in a directory that no process has locked. What cannot be removed stays.
  ///
  /// - Parameter isIncomplete: whether a name is that of an incomplete file or directory.
  package static func remove(in directory: String, where isIncomplete: (String) -> Bool) {
    var names: [String] = []
    try? FileCalls.forEachName(in: directory) { name throws(KennelError) in
      if isIncomplete(name) { names.append(name) }
    }
    for path in names.map({ "\(directory)/\($0)" }) {
      guard let lock = try? lock(path) else { continue }
      try? FileManager.default.removeItem(atPath: path)
      lock.release()
    }
  }

  private static func lock(_ path: String) throws(KennelError) -> FileLock? {
    FileLock(try OpenFile(reading: path))
  }

  /// Returns whether a name consists of a beginning, 12 random characters of URL-safe base64, and an end.
  package static func isName(_ name: String, beginning: String, end: String) -> Bool {
    guard name.hasPrefix(beginning), name.hasSuffix(end) else { return false }
    let middle = name.dropFirst(beginning.count).dropLast(end.count)
    return name.count == beginning.count + 12 + end.count
      && middle.utf8.allSatisfy {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || "0123456789-_".utf8.contains($0)
      }
  }
}
