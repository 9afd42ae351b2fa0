#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// The header fields of one message, in the order in which they were sent. Names are case-insensitive.
///
/// A name may occur several times. The subscript joins such values. `values(for:)` returns them separately, which
/// `Set-Cookie` needs, because its values may contain commas.
package struct HeaderFields: Sendable {
  package typealias Entry = (name: String, value: String)

  /// All fields in order, with their original spelling.
  package private(set) var entries: [Entry]

  package init() { entries = [] }

  package init(_ entries: [Entry]) { self.entries = entries }

  package var isEmpty: Bool { entries.isEmpty }
  package var count: Int { entries.count }

  /// The value of `name`. Repeated fields are joined with a comma and a space. Setting it replaces all of them.
  package subscript(name: String) -> String? {
    get {
      let values = values(for: name)
      return values.count > 1 ? values.joined(separator: ", ") : values.first
    }
    set {
      if let newValue { set(newValue, for: name) } else { remove(name) }
    }
  }

  /// Returns the values of `name` separately, in order.
  package func values(for name: String) -> [String] {
    entries.compactMap { ASCII.equalIgnoringCase($0.name, name) ? $0.value : nil }
  }

  package func contains(_ name: String) -> Bool {
    entries.contains { ASCII.equalIgnoringCase($0.name, name) }
  }

  /// Replaces all values of `name` with one value. It keeps the position and the spelling of the first field.
  package mutating func set(_ value: String, for name: String) {
    guard let first = entries.firstIndex(where: { ASCII.equalIgnoringCase($0.name, name) }) else {
      entries.append((name, value))
      return
    }
    entries[first].value = value
    var isFirst = true
    entries.removeAll { entry in
      guard ASCII.equalIgnoringCase(entry.name, name) else { return false }
      defer { isFirst = false }
      return !isFirst
    }
  }

  /// Appends a field and keeps existing fields of that name.
  package mutating func add(_ value: String, for name: String) {
    entries.append((name, value))
  }

  package mutating func remove(_ name: String) {
    entries.removeAll { ASCII.equalIgnoringCase($0.name, name) }
  }

  package mutating func removeAll(where shouldRemove: (_ name: String) -> Bool) {
    entries.removeAll { shouldRemove($0.name) }
  }

  /// Returns all fields as a dictionary, with one key per name. Repeated values are joined with a comma and a space.
  ///
  /// - Parameter spelling: returns the spelling of a name as a key.
  package func dictionary(spelling: (String) -> String = { $0 }) -> [String: String] {
    var keys: [String: String] = [:]
    var joined: [String: String] = [:]
    joined.reserveCapacity(entries.count)
    for (name, value) in entries {
      let folded = ASCII.lowercased(name)
      if let key = keys[folded] {
        joined[key, default: ""] += ", " + value
      } else {
        let key = spelling(name)
        keys[folded] = key
        joined[key] = value
      }
    }
    return joined
  }
}

extension HeaderFields: Hashable {
  /// Returns true if each name has the same values in the same order. The order of different names does not matter.
  package static func == (left: HeaderFields, right: HeaderFields) -> Bool {
    guard left.entries.count == right.entries.count else { return false }
    let isWrittenIdentically = zip(left.entries, right.entries).allSatisfy { mine, theirs in
      mine.value == theirs.value && ASCII.equalIgnoringCase(mine.name, theirs.name)
    }
    return isWrittenIdentically || left.valuesByName == right.valuesByName
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(valuesByName)
  }

  private var valuesByName: [String: [String]] {
    var grouped: [String: [String]] = [:]
    for (name, value) in entries { grouped[ASCII.lowercased(name), default: []].append(value) }
    return grouped
  }
}

extension HeaderFields {
  /// Encodes the lines in their order, as alternating names and values.
  func encode(with coder: NSCoder, forKey key: String) {
    let lines = entries.flatMap { [$0.name as NSString, $0.value as NSString] }
    coder.encode(NSArray(array: lines), forKey: key)
  }

  /// Decodes the lines. Returns nil if they are missing or damaged.
  init?(decodedFrom coder: NSCoder, forKey key: String) {
    guard let array = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: key) as? NSArray,
      case let lines = array.compactMap({ $0 as? String }), lines.count == array.count,
      lines.count.isMultiple(of: 2)
    else { return nil }
    self.init(stride(from: 0, to: lines.count, by: 2).map { (name: lines[$0], value: lines[$0 + 1]) })
  }
}

extension NSCoder {
  /// Decodes a string; nil if there is none, or another object.
  func decodeText(forKey key: String) -> String? {
    decodeObject(of: NSString.self, forKey: key) as String?
  }
}
#endif
