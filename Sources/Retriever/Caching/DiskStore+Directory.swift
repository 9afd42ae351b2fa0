#if !canImport(Darwin)
import Foundation
import Glibc
import Synchronization

// The directory of a cache, and the search for its files.
extension DiskStore {
  /// Creates the directory, which only the current user may access. Returns false if it cannot be used.
  func prepareDirectory() -> Bool {
    var status = stat()
    if stat(directory, &status) != 0 {
      try? FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      guard stat(directory, &status) == 0 else { return disable() }
    }
    guard Self.isTrusted(status, S_IFDIR) else { return disable() }
    if status.st_mode & 0o777 != 0o700, chmod(directory, 0o700) != 0 { return disable() }
    return true
  }

  /// Whether a directory or a file has this type and belongs to the current user. Another user could replace its contents.
  static func isTrusted(_ status: stat, _ type: mode_t) -> Bool {
    status.st_mode & S_IFMT == type && status.st_uid == geteuid()
  }

  private func disable() -> Bool {
    state.withLock { $0.isUsable = false }
    return false
  }

  /// Reads the directory again, removes what exceeds the capacity, and removes temporary files that nobody writes.
  /// Runs on the queue.
  package func scan() {
    var abandoned: [String] = []
    let found = scanFiles(abandoned: &abandoned)
    let excess = state.withLock { state in
      var excess: [String] = []
      state.index = DiskIndex(capacity: state.capacity, found: found, excess: &excess)
      return excess
    }
    unlink(excess + abandoned)
  }

  /// Returns the files of the cache. Other files in the directory are left alone.
  func scanFiles(group: DiskIndex.Group? = nil) -> [DiskIndex.File] {
    var abandoned: [String] = []
    return scanFiles(group: group, abandoned: &abandoned)
  }

  private func scanFiles(group: DiskIndex.Group? = nil, abandoned: inout [String]) -> [DiskIndex.File] {
    let prefix = group.map(DiskIndex.prefix) ?? ""
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0, Self.isTrusted(status, S_IFDIR) else { return [] }
    let oldest = Date().timeIntervalSince1970 - Self.temporaryLifetime
    var files: [DiskIndex.File] = []
    while let item = readdir(stream) {
      let name = withUnsafeBytes(of: &item.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let isTemporary = DiskIndex.isTemporaryName(name)
      guard isTemporary || (DiskIndex.isName(name) && name.hasPrefix(prefix)) else { continue }
      // A file may vanish while the directory is read.
      guard fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0, Self.isTrusted(status, S_IFREG)
      else { continue }
      let lastUse = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
      if isTemporary {
        if lastUse < oldest { abandoned.append(name) }
      } else {
        files.append(DiskIndex.File(name: name, size: Int(status.st_size), lastUse: lastUse))
      }
    }
    return files
  }
}
#endif
