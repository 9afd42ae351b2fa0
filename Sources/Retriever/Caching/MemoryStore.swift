#if !canImport(Darwin)
import Caches
import Foundation

/// The stored responses in memory, by URL. The least recently used ones are removed.
package struct MemoryStore: Sendable {
  /// The maximum number of responses to one URL that differ in fields that `Vary` names.
  package static let maximumVariants = 8

  private var groups: LRUCache<CacheKey, [StoredEntry]>

  package init(capacity: Int) { groups = LRUCache(limit: capacity) }

  package var capacity: Int { groups.limit }
  package var usage: Int { groups.cost }
  package var isEmpty: Bool { groups.count == 0 }

  package mutating func setCapacity(_ capacity: Int) { _ = groups.setLimit(capacity) }

  /// Returns the responses to a URL, and marks them as used.
  package mutating func entries(for key: CacheKey) -> [StoredEntry] { groups.value(for: key) ?? [] }

  package func contains(_ key: CacheKey) -> Bool { groups.peek(key) != nil }

  /// Stores a response and replaces the one that the same requests select. A response that is too large only removes the
  /// earlier one.
  package mutating func insert(_ entry: StoredEntry) {
    var group = groups.peek(entry.head.key) ?? []
    group.removeAll { $0.head.selection == entry.head.selection }
    if entry.cost <= StoredEntry.maximumCost(capacity: capacity) {
      if group.count >= Self.maximumVariants { group.removeFirst(group.count - Self.maximumVariants + 1) }
      group.append(entry)
    }
    set(group, for: entry.head.key)
  }

  package mutating func remove(_ key: CacheKey) { groups.remove(key) }

  package mutating func remove(_ key: CacheKey, _ selection: VarySelection) {
    guard var group = groups.peek(key) else { return }
    group.removeAll { $0.head.selection == selection }
    set(group, for: key)
  }

  package mutating func removeAll() { groups.removeAll() }

  /// Removes the responses that were stored at a date or after it.
  package mutating func removeAll(since date: Date) {
    for key in groups.keys {
      guard let group = groups.peek(key) else { continue }
      let kept = group.filter { $0.head.responseTime < date }
      if kept.count < group.count { set(kept, for: key) }
    }
  }

  private mutating func set(_ group: [StoredEntry], for key: CacheKey) {
    if group.isEmpty {
      groups.remove(key)
    } else {
      _ = groups.insert(group, for: key, cost: group.reduce(0) { $0 + $1.cost })
    }
  }
}
#endif
