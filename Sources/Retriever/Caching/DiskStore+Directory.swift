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
    if watchDirectory() { scan() }
    return true
  }

  /// Begins to notice the files of other processes. Runs on the queue. Returns whether it has begun now: the directory has to
  /// be read then, because files that were added before are not reported.
  @discardableResult
  func watchDirectory() -> Bool {
    guard state.withLock({ $0.watch == nil }), let watch = DirectoryWatch(directory: directory) else {
      return false
    }
    state.withLock { $0.watch = watch }
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
    watchDirectory()
    state.withLock { state in
      // What is reported from now on is looked at again.
      state.mustScan = false
      state.changed = [:]
    }
    var abandoned: [String] = []
    let found = scanFiles(abandoned: &abandoned)
    let excess = state.withLock { state in
      var excess: [String] = []
      state.index = DiskIndex(capacity: state.capacity, found: found, excess: &excess)
      return excess
    }
    unlink(excess + abandoned)
  }

  /// Work for the queue.
  enum Work: Sendable {
    case none
    /// Look at the files that have changed.
    case examine
    case scan
  }

  func start(_ work: Work) {
    switch work {
    case .none: break
    case .examine: queue.async { self.examineChanges() }
    case .scan: queue.async { self.scanIfNeeded() }
    }
  }

  /// Several look-ups may have asked for one scan.
  private func scanIfNeeded() {
    if watchDirectory() || state.withLock({ $0.mustScan || $0.watch == nil && $0.index != nil }) { scan() }
  }

  /// Adds the files of other processes to the index, and removes those that they have removed. Runs on the queue, after
  /// the writes and removals of this process, which are reported too.
  private func examineChanges() {
    let changed = state.withLock { $0.changed }
    var excess: [String] = []
    for name in changed.values.joined().map(\.key) {
      var status = stat()
      let exists = lstat(path(name), &status) == 0 && Self.isTrusted(status, S_IFREG)
      excess += state.withLock { state in
        if exists { return state.index?.note(name, size: Int(status.st_size)) ?? [] }
        state.index?.remove(name)
        return []
      }
    }
    state.withLock { state in
      for (group, names) in changed {
        for (name, change) in names { state.settle(name, in: group, change) }
      }
    }
    unlink(excess)
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

extension DiskStore.State {
  /// Removes a file that does not exist from the index, unless it has changed again.
  mutating func forget(_ name: String, asOf change: UInt64?) {
    index?.remove(name)
    guard let change, let group = DiskIndex.group(ofName: name) else { return }
    settle(name, in: group, change)
  }

  /// Notes that a file was looked at. One that has changed again is looked at again.
  mutating func settle(_ name: String, in group: DiskIndex.Group, _ change: UInt64) {
    guard changed[group]?[name] == change else { return }
    changed[group]?[name] = nil
    if changed[group]?.isEmpty == true { changed[group] = nil }
  }

  /// Notes what other processes have changed. Returns work for the queue.
  mutating func look() -> DiskStore.Work {
    guard let watch else {
      let now = ContinuousClock.now
      guard now >= nextRefresh else { return .none }
      nextRefresh = now + (index?.isEmpty == true ? DiskStore.absenceInterval : DiskStore.refreshInterval)
      return .scan
    }
    switch watch.changes() {
    case .names(let names):
      var isNew = false
      for name in names {
        // Own files are reported too. Nothing has to be done about one that waits to be written again.
        guard let group = DiskIndex.group(ofName: name), pending[group]?[name] == nil else { continue }
        lastToken += 1
        changed[group, default: [:]][name] = lastToken
        isNew = true
      }
      return isNew ? .examine : .none
    case .lost:
      mustScan = true
      return .scan
    case .gone:
      self.watch = nil
      mustScan = true
      nextRefresh = ContinuousClock.now + DiskStore.absenceInterval
      return .scan
    }
  }
}
#endif
