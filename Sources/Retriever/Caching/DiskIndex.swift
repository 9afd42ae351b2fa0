#if !canImport(Darwin)
import Caches
import Foundation

/// What is known about the files of a cache's directory. Other processes may add and remove files at any time.
package struct DiskIndex: Sendable {
  /// A file, as found in the directory.
  package struct File: Sendable {
    package var name: String
    package var size: Int
    package var lastUse: Double

    package init(name: String, size: Int, lastUse: Double) {
      self.name = name
      self.size = size
      self.lastUse = lastUse
    }
  }

  /// The hash of a URL, with which the names of all files of the URL begin.
  package typealias Group = UInt128

  private var files: LRUCache<String, Int>
  private var groups: [Group: Set<String>] = [:]

  package init(capacity: Int) { files = LRUCache(limit: capacity) }

  /// - Parameter found: The files of the directory. Those that exceed the capacity are returned by `excess`.
  package init(capacity: Int, found: [File], excess: inout [String]) {
    self.init(capacity: capacity)
    for file in found.sorted(by: { ($0.lastUse, $0.name) < ($1.lastUse, $1.name) }) {
      excess += insert(file.name, size: file.size)
    }
  }

  package var capacity: Int { files.limit }
  package var usage: Int { files.cost }
  package var isEmpty: Bool { files.count == 0 }

  package func names(ofGroup group: Group) -> [String] { groups[group]?.sorted() ?? [] }

  package func hasGroup(_ group: Group) -> Bool { groups[group] != nil }

  /// Adds a file. Returns the names of the files to remove.
  package mutating func insert(_ name: String, size: Int) -> [String] {
    guard let group = Self.group(of: name) else { return [] }
    groups[group, default: []].insert(name)
    let excess = files.insert(size, for: name, cost: size)
    if files.peek(name) == nil {
      forget(name)
      return excess.contains(name) ? excess : excess + [name]
    }
    for other in excess { forget(other) }
    return excess
  }

  /// Adds a file that was found in the directory, unless it is known: finding a file again is no use of it. Returns the
  /// names of the files to remove.
  package mutating func note(_ name: String, size: Int) -> [String] {
    files.peek(name) == size ? [] : insert(name, size: size)
  }

  package mutating func touch(_ name: String) { _ = files.value(for: name) }

  package mutating func remove(_ name: String) {
    files.remove(name)
    forget(name)
  }

  /// Returns the names of the files to remove.
  package mutating func setCapacity(_ capacity: Int) -> [String] {
    let excess = files.setLimit(capacity)
    for name in excess { forget(name) }
    return excess
  }

  private mutating func forget(_ name: String) {
    guard let group = Self.group(of: name) else { return }
    groups[group]?.remove(name)
    if groups[group]?.isEmpty == true { groups[group] = nil }
  }

  // MARK: Names

  /// The part of a name that all responses of one URL share.
  package static func group(of key: CacheKey) -> Group { FileNameHash.hash(key.text) }

  private static func group(of name: String) -> Group? { Group(name.prefix(groupLength), radix: 16) }

  /// The group of a file; nil if the file does not belong to the cache.
  package static func group(ofName name: String) -> Group? { isName(name) ? group(of: name) : nil }

  /// The beginning of the names of a group's files.
  package static func prefix(of group: Group) -> String { FileNameHash.hexadecimal(group) }

  private static let groupLength = 32
  private static let nameLength = 65

  /// The name of the file of a response.
  package static func name(of head: StoredHead) -> String {
    var text = ""
    for (name, value) in zip(head.selection.names, head.selection.values) {
      text += "\(name)\n\(value == nil ? 0 : 1)\(value ?? "")\n"
    }
    return prefix(of: group(of: head.key)) + "-" + FileNameHash.hexadecimal(text)
  }

  /// Whether a file of the directory belongs to the cache.
  package static func isName(_ name: String) -> Bool {
    name.utf8.count == nameLength
      && name.utf8.enumerated().allSatisfy { $0 == groupLength ? $1 == UInt8(ascii: "-") : isDigit($1) }
  }

  /// Whether a file is a temporary one, which a process that was killed left behind.
  package static func isTemporaryName(_ name: String) -> Bool {
    name.hasPrefix(".") && isName(String(name.dropFirst().prefix(nameLength)))
      && name.utf8.count == nameLength + 8
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= byte }
}
#endif
