#if !canImport(Darwin)
import Foundation
import Synchronization

/// All stored responses of a cache: in memory and on disk.
package final class ResponseStore: Sendable {
  /// The result of a look-up that uses no file.
  package enum Found: Sendable {
    case nothing
    /// Responses in memory. There may be others on disk.
    case memory([StoredEntry], isComplete: Bool)
    /// Responses that have to be read from disk.
    case disk
  }

  private struct State: Sendable {
    var store: MemoryStore
    /// The number of changes. What was read from disk before a change must not come back after it.
    var changes = 0
    var invalidations = CacheInvalidations()

    /// Whether a response to a request that began at a moment may be stored; always without a moment.
    func mayStore(_ key: CacheKey, since moment: CacheInvalidations.Moment?) -> Bool {
      moment.map { invalidations.mayStore(key, since: $0) } ?? true
    }

    mutating func change(_ change: (inout MemoryStore) -> Void) {
      changes += 1
      change(&store)
    }
  }

  private let memory: Mutex<State>
  package let disk: DiskStore?

  package init(memoryCapacity: Int, diskCapacity: Int, directory: String?) {
    memory = Mutex(State(store: MemoryStore(capacity: max(0, memoryCapacity))))
    disk = directory.map { DiskStore(directory: $0, capacity: max(0, diskCapacity)) }
  }

  package var memoryCapacity: Int {
    get { memory.withLock { $0.store.capacity } }
    set { memory.withLock { $0.store.setCapacity(max(0, newValue)) } }
  }

  package var memoryUsage: Int { memory.withLock { $0.store.usage } }

  /// The maximum size of an entry that has a place in memory or on disk.
  package var maximumEntryCost: Int {
    StoredEntry.maximumCost(capacity: max(memoryCapacity, disk?.capacity ?? 0))
  }

  // MARK: Looking up

  /// Looks up a URL. This uses no file: without a stored response, it costs a look into one or two dictionaries.
  package func find(_ key: CacheKey) -> Found {
    let entries = memory.withLock { $0.store.isEmpty ? [] : $0.store.entries(for: key) }
    let mayBeOnDisk = disk?.mayContain(key, looksForChanges: entries.isEmpty) ?? false
    if entries.isEmpty { return mayBeOnDisk ? .disk : .nothing }
    return .memory(entries, isComplete: !mayBeOnDisk)
  }

  /// Adds the responses on disk to those in memory. Blocks while it reads files.
  package func allEntries(for key: CacheKey) -> [StoredEntry] {
    let (inMemory, changes) = memory.withLock { ($0.store.entries(for: key), $0.changes) }
    guard let disk, disk.mayContain(key) else { return inMemory }
    return merge(disk.entries(for: key), into: inMemory, changes: changes)
  }

  /// Does the same on the queue of the disk.
  package func readAllEntries(for key: CacheKey, then: @escaping @Sendable ([StoredEntry]) -> Void) {
    guard let disk else { return then(memory.withLock { $0.store.entries(for: key) }) }
    disk.flush { then(self.allEntries(for: key)) }
  }

  /// Responses from disk are kept in memory for the next look-up. If there are two for the same requests, the newer one
  /// counts: another process may have replaced the one on disk.
  private func merge(_ found: [StoredEntry], into inMemory: [StoredEntry], changes: Int) -> [StoredEntry] {
    var entries = inMemory
    for entry in found {
      if let index = entries.firstIndex(where: { $0.head.selection == entry.head.selection }) {
        guard entries[index].head.responseTime < entry.head.responseTime else { continue }
        entries[index] = entry
      } else {
        entries.append(entry)
      }
      memory.withLock { if $0.changes == changes { $0.store.insert(entry) } }
    }
    return entries
  }

  // MARK: Changing

  /// The current moment, for a request that begins now.
  package var moment: CacheInvalidations.Moment { memory.withLock { $0.invalidations.now } }

  /// Whether a response to a request that began at a moment may be stored.
  package func mayStore(_ key: CacheKey, since moment: CacheInvalidations.Moment?) -> Bool {
    memory.withLock { $0.mayStore(key, since: moment) }
  }

  /// Stores a response in memory, and on disk in the background. Returns false if it became invalid since its request
  /// began.
  ///
  /// - Parameters:
  ///   - onDisk: Whether the response may be written to disk.
  ///   - since: When the request began; nil to store the response in any case.
  @discardableResult
  package func store(
    _ entry: StoredEntry, onDisk: Bool = true, since moment: CacheInvalidations.Moment? = nil
  ) -> Bool {
    let isValid = memory.withLock { state in
      guard state.mayStore(entry.head.key, since: moment) else { return false }
      state.change { $0.insert(entry) }
      return true
    }
    if isValid { storeOnDisk(entry, onDisk: onDisk) }
    return isValid && removeIfInvalid(entry, since: moment)
  }

  /// Removes from the disk what became invalid while it was stored. Returns whether it is still valid.
  private func removeIfInvalid(_ entry: StoredEntry, since moment: CacheInvalidations.Moment?) -> Bool {
    if mayStore(entry.head.key, since: moment) { return true }
    disk?.remove(entry.head.key)
    return false
  }

  private func storeOnDisk(_ entry: StoredEntry, onDisk: Bool) {
    guard let disk else { return }
    if onDisk, !entry.head.staysInMemory {
      disk.store(entry)
    } else {
      // An older response to the same request must not come back.
      disk.remove(name: DiskIndex.name(of: entry.head), group: DiskIndex.group(of: entry.head.key))
    }
  }

  /// Combines a part with what is stored for the same requests, and stores the result. If the directory may contain it,
  /// this happens on the queue of the disk, because it reads a file.
  ///
  /// - Parameters:
  ///   - since: When the request began; nil to store the part in any case.
  ///   - then: Is called after the part was stored, or found not to be worth it.
  package func storePart(
    _ part: StoredEntry, since moment: CacheInvalidations.Moment? = nil,
    then: @escaping @Sendable () -> Void = {}
  ) {
    guard let disk, disk.mayContain(part.head.key) else {
      combine(with: part, since: moment)
      return then()
    }
    disk.flush {
      self.combine(with: part, since: moment)
      then()
    }
  }

  private func combine(with part: StoredEntry, since moment: CacheInvalidations.Moment?) {
    let limit = min(maximumEntryCost - part.head.cost, StoredEntry.maximumBody)
    // Others may change the store between reading and writing. Their change is kept, and this one is made again.
    for _ in 0..<Self.maximumAttempts {
      let (changes, isValid) = memory.withLock { ($0.changes, $0.mayStore(part.head.key, since: moment)) }
      guard isValid else { return }
      let stored = allEntries(for: part.head.key).first { $0.head.selection == part.head.selection }
      guard let combined = PartialRule.combine(stored, with: part, limit: limit, now: Date()) else { return }
      let isUnchanged = memory.withLock { state in
        guard state.changes == changes else { return false }
        state.change { $0.insert(combined) }
        return true
      }
      if isUnchanged {
        storeOnDisk(combined, onDisk: true)
        _ = removeIfInvalid(combined, since: moment)
        return
      }
    }
  }

  /// How often a part is combined again. A part that is lost is loaded again when it is needed.
  private static let maximumAttempts = 8

  package func remove(_ key: CacheKey) {
    memory.withLock { $0.change { $0.remove(key) } }
    disk?.remove(key)
  }

  /// Removes the responses to a URL, and keeps those to requests that run from being stored.
  package func invalidate(_ key: CacheKey) {
    memory.withLock { state in
      state.invalidations.add(key)
      state.change { $0.remove(key) }
    }
    disk?.remove(key)
  }

  /// Removes one of the responses to a URL.
  package func remove(_ head: StoredHead) {
    memory.withLock { $0.change { $0.remove(head.key, head.selection) } }
    disk?.remove(name: DiskIndex.name(of: head), group: DiskIndex.group(of: head.key))
  }

  /// Removes all responses, and keeps those to requests that run from being stored.
  package func removeAll() {
    memory.withLock { state in
      state.invalidations.addAll()
      state.change { $0.removeAll() }
    }
    disk?.removeAll()
  }

  package func removeAll(since date: Date) {
    memory.withLock { state in
      state.invalidations.addAll()
      state.change { $0.removeAll(since: date) }
    }
    disk?.removeAll(since: date)
  }
}
#endif
