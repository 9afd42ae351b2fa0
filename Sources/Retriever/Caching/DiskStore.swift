#if !canImport(Darwin)
import Dispatch
import Foundation
import Glibc
import Synchronization
import SystemFiles

/// Stored responses in a directory, which several processes may share.
///
/// There is one file for each response. A file never changes: it is written under a temporary name and then renamed, so it
/// is complete or absent, even after a crash. Everything that changes the directory runs on one background queue, in
/// order. Until a write has ended, look-ups find the response in memory.
package final class DiskStore: Sendable {
  /// The maximum number of bytes that wait to be written. Responses that exceed it are not stored on disk.
  static let maximumPendingBytes = 32 << 20
  /// The time after which a temporary file belongs to no running write.
  static let temporaryLifetime: Double = 3600
  /// How often the directory is searched for the files of other processes, if the system cannot report them.
  static let refreshInterval = Duration.seconds(5)
  /// How often a directory that does not exist is looked for: another process may create it.
  static let absenceInterval = Duration.milliseconds(100)

  struct Pending: Sendable {
    let entry: StoredEntry
    let token: UInt64
  }

  struct State: Sendable {
    var capacity: Int
    /// nil until the directory was read.
    var index: DiskIndex?
    /// Responses that wait to be written, by group and file name.
    var pending: [DiskIndex.Group: [String: Pending]] = [:]
    var pendingBytes = 0
    var lastToken: UInt64 = 0
    /// The number of removals that wait for the queue, for each file, for each group and for everything.
    var hiddenNames: [String: Int] = [:]
    var hiddenGroups: [DiskIndex.Group: Int] = [:]
    var hiddenAll = 0
    var nextRefresh = ContinuousClock.now
    /// Reports the files of other processes; nil if the directory does not exist, or if the system cannot report them.
    var watch: DirectoryWatch?
    /// The files that have changed, until the queue has looked at them, each with the number of its last change.
    var changed: [DiskIndex.Group: [String: UInt64]] = [:]
    /// Whether the directory has to be read again.
    var mustScan = false
    /// False after the directory could not be created or belongs to another user.
    var isUsable = true
  }

  let directory: String
  let queue = DispatchQueue(label: "retriever.cache.disk", qos: .utility)
  let state: Mutex<State>

  /// Opens a cache. The directory is created when the first response is stored.
  package init(directory: String, capacity: Int) {
    self.directory = directory
    var state = State(capacity: capacity)
    if access(directory, F_OK) != 0 { state.index = DiskIndex(capacity: capacity) }
    let isEmpty = state.index != nil
    self.state = Mutex(state)
    if !isEmpty { queue.async { self.scan() } }
  }

  package var capacity: Int { state.withLock { $0.capacity } }

  package func setCapacity(_ capacity: Int) {
    let excess = state.withLock { state in
      state.capacity = capacity
      return state.index?.setCapacity(capacity) ?? []
    }
    if !excess.isEmpty { queue.async { self.unlink(excess) } }
  }

  /// The size of all files. Waits for the queue if the directory was not read yet.
  package var usage: Int {
    if let usage = state.withLock({ $0.index?.usage }) { return usage }
    return scanFiles().reduce(0) { $0 + $1.size }
  }

  // MARK: Looking up

  /// Whether there may be a response to a URL. This reads no file.
  ///
  /// - Parameter looksForChanges: Whether the files are considered that other processes have just written. This costs a
  ///   system call if nothing is known about the URL.
  package func mayContain(_ key: CacheKey, looksForChanges: Bool = true) -> Bool {
    let (found, work) = state.withLock { state -> (Bool, Work) in
      guard state.isUsable else { return (false, .none) }
      if state.pending.isEmpty, let index = state.index, index.isEmpty {
        let work = looksForChanges ? state.look() : .none
        if state.changed.isEmpty, !state.mustScan { return (false, work) }
      }
      let group = DiskIndex.group(of: key)
      if state.pending[group] != nil { return (true, .none) }
      guard state.hiddenAll == 0, state.hiddenGroups[group] == nil else { return (false, .none) }
      guard let index = state.index else { return (true, .none) }
      if index.hasGroup(group) { return (true, .none) }
      let work = looksForChanges ? state.look() : .none
      return (state.changed[group] != nil || state.mustScan, work)
    }
    start(work)
    return found
  }

  /// Reads all responses to a URL, on the caller's thread.
  package func entries(for key: CacheKey) -> [StoredEntry] {
    let group = DiskIndex.group(of: key)
    let (waiting, names, hidden, changed, work) = state.withLock { state -> Known in
      let work = state.look()
      let waiting = state.pending[group] ?? [:]
      let isHidden = !state.isUsable || state.hiddenAll > 0 || state.hiddenGroups[group] != nil
      if isHidden { return (waiting, [], state.hiddenNames, [:], work) }
      let known = state.mustScan ? nil : state.index?.names(ofGroup: group)
      let changed = state.changed[group] ?? [:]
      return (waiting, known.map { Set(changed.keys).union($0).sorted() }, state.hiddenNames, changed, work)
    }
    start(work)
    var entries = waiting.values.map(\.entry).filter { $0.head.key == key }
    for name in names ?? scanFiles(group: group).map(\.name) where waiting[name] == nil && hidden[name] == nil
    {
      if let entry = read(name, for: key, change: changed[name]) { entries.append(entry) }
    }
    return entries
  }

  private typealias Known = (
    waiting: [String: Pending], names: [String]?, hidden: [String: Int], changed: [String: UInt64], work: Work
  )

  /// - Parameter change: The number of the last change of the file that was reported.
  private func read(_ name: String, for key: CacheKey, change: UInt64?) -> StoredEntry? {
    let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { state.withLock { $0.forget(name, asOf: change) } }
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Self.isTrusted(status, S_IFREG),
      let entry = EntryCoding.read(descriptor, size: Int(status.st_size))
    else {
      // A damaged file. The operating system may have lost a part of it when the machine lost power.
      unlink([name])
      state.withLock { $0.index?.remove(name) }
      return nil
    }
    // Two URLs may have the same name, because names are hashes.
    guard entry.head.key == key else { return nil }
    _ = futimens(descriptor, nil)
    state.withLock { $0.index?.touch(name) }
    return entry
  }

  // MARK: Changing

  /// Stores a response in the background and replaces the one that the same requests select.
  package func store(_ entry: StoredEntry) {
    let name = DiskIndex.name(of: entry.head)
    let group = DiskIndex.group(of: entry.head.key)
    let token = state.withLock { state -> UInt64? in
      guard state.isUsable, entry.cost <= StoredEntry.maximumCost(capacity: state.capacity),
        state.pendingBytes + entry.cost <= Self.maximumPendingBytes
      else { return nil }
      state.lastToken += 1
      if let replaced = state.pending[group]?[name] { state.pendingBytes -= replaced.entry.cost }
      state.pending[group, default: [:]][name] = Pending(entry: entry, token: state.lastToken)
      state.pendingBytes += entry.cost
      return state.lastToken
    }
    if let token {
      queue.async { self.write(name, group, token) }
    } else {
      remove(name: name, group: group)
    }
  }

  private func write(_ name: String, _ group: DiskIndex.Group, _ token: UInt64) {
    let pending = state.withLock { $0.pending[group]?[name] }
    // The response was removed or replaced in the meantime.
    guard let pending, pending.token == token else { return }
    let size = prepareDirectory() ? write(pending.entry, to: path(name)) : nil
    let excess = state.withLock { state -> [String] in
      let current = state.pending[group]?[name]?.token
      if current == token { state.removePending(name, group) }
      // If the response was removed during the write, the file has to go too.
      guard let size, current != nil else {
        state.index?.remove(name)
        return [name]
      }
      return state.index?.insert(name, size: size) ?? []
    }
    unlink(excess)
  }

  /// Returns the size of the file; nil if it could not be written.
  private func write(_ entry: StoredEntry, to path: String) -> Int? {
    guard let head = EntryCoding.encodedHead(of: entry) else { return nil }
    let code = head.withUnsafeBytes { head in
      entry.body.withUnsafeBytes { AtomicReplacement.writePrivately([head, $0], to: path) }
    }
    return code == 0 ? head.count + entry.body.count : nil
  }

  /// Removes all responses to a URL. Look-ups do not find them from now on.
  package func remove(_ key: CacheKey) {
    let group = DiskIndex.group(of: key)
    state.withLock { state in
      state.removePending(group)
      state.hiddenGroups[group, default: 0] += 1
    }
    queue.async { [self] in
      let names = state.withLock { $0.index?.names(ofGroup: group) }
      unlink(names ?? scanFiles(group: group).map(\.name))
      state.withLock { state in
        for name in names ?? [] { state.index?.remove(name) }
        Self.decrement(&state.hiddenGroups[group])
      }
    }
  }

  /// Removes one response.
  package func remove(name: String, group: DiskIndex.Group) {
    let isKnown = state.withLock { state in
      state.removePending(name, group)
      let isKnown = state.index?.hasGroup(group) ?? true
      if isKnown { state.hiddenNames[name, default: 0] += 1 }
      return isKnown
    }
    guard isKnown else { return }
    queue.async { [self] in
      unlink([name])
      state.withLock { state in
        state.index?.remove(name)
        Self.decrement(&state.hiddenNames[name])
      }
    }
  }

  private static func decrement(_ count: inout Int?) {
    count = count.flatMap { $0 > 1 ? $0 - 1 : nil }
  }

  /// Removes all responses, including those of other processes.
  package func removeAll() {
    state.withLock { state in
      state.pending = [:]
      state.pendingBytes = 0
      state.hiddenAll += 1
    }
    queue.async { [self] in
      unlink(scanFiles().map(\.name))
      state.withLock { state in
        state.index = DiskIndex(capacity: state.capacity)
        state.hiddenAll -= 1
      }
    }
  }

  /// Removes the responses that were stored at a date or after it, on the caller's thread.
  package func removeAll(since date: Date) {
    state.withLock { state in
      for (group, waiting) in state.pending {
        for (name, pending) in waiting where pending.entry.head.responseTime >= date {
          state.removePending(name, group)
        }
      }
    }
    for file in scanFiles() where (responseTime(of: file.name) ?? .distantFuture) >= date {
      unlink([file.name])
      state.withLock { $0.index?.remove(file.name) }
    }
  }

  private func responseTime(of name: String) -> Date? {
    let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    return EntryCoding.read(descriptor, size: Int(status.st_size))?.head.responseTime
  }

  /// Calls a function after all earlier changes have been made.
  package func flush(then: @escaping @Sendable () -> Void) { queue.async(execute: then) }

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  func unlink(_ names: [String]) {
    // Another process may have removed the file already.
    for name in names { _ = Glibc.unlink(path(name)) }
  }
}

extension DiskStore.State {
  mutating func removePending(_ name: String, _ group: DiskIndex.Group) {
    guard let removed = pending[group]?.removeValue(forKey: name) else { return }
    pendingBytes -= removed.entry.cost
    if pending[group]?.isEmpty == true { pending[group] = nil }
  }

  mutating func removePending(_ group: DiskIndex.Group) {
    for removed in (pending.removeValue(forKey: group) ?? [:]).values { pendingBytes -= removed.entry.cost }
  }
}
#endif
