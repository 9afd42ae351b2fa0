#if !canImport(Darwin)
  import HTTPSyntax

  /// The header fields of one message, in the order in which they were sent. Names match whatever their case.
  ///
  /// A name may occur several times, as a server sent it: the subscript joins such values, `values(for:)` keeps
  /// them apart (which `Set-Cookie` needs: its values may hold commas).
  package struct HeaderFields: Sendable {
    package typealias Entry = (name: String, value: String)

    /// Every field, in order, with the spelling it came with.
    package private(set) var entries: [Entry]

    package init() { entries = [] }

    package init(_ entries: [Entry]) { self.entries = entries }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }

    /// The value of `name`; several ones are joined with a comma and a space. Setting replaces all of them.
    package subscript(name: String) -> String? {
      get {
        let values = values(for: name)
        return values.count > 1 ? values.joined(separator: ", ") : values.first
      }
      set {
        if let newValue { set(newValue, for: name) } else { remove(name) }
      }
    }

    /// Each value of `name` by itself, in order.
    package func values(for name: String) -> [String] {
      entries.compactMap { ASCII.equalIgnoringCase($0.name, name) ? $0.value : nil }
    }

    package func contains(_ name: String) -> Bool {
      entries.contains { ASCII.equalIgnoringCase($0.name, name) }
    }

    /// Replaces every value of `name` by one. The place and the spelling of the first are kept.
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

    /// Appends a field and leaves others of that name alone.
    package mutating func add(_ value: String, for name: String) {
      entries.append((name, value))
    }

    package mutating func remove(_ name: String) {
      entries.removeAll { ASCII.equalIgnoringCase($0.name, name) }
    }

    package mutating func removeAll(where shouldRemove: (_ name: String) -> Bool) {
      entries.removeAll { shouldRemove($0.name) }
    }

    /// All fields as a dictionary: one key a name, values joined with a comma and a space.
    ///
    /// - Parameter spelling: how a name is written as a key.
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
    /// Equal when each name has the same values in the same order; the order of different names does not count.
    package static func == (left: HeaderFields, right: HeaderFields) -> Bool {
      guard left.entries.count == right.entries.count else { return false }
      let sameAsWritten = zip(left.entries, right.entries).allSatisfy { mine, theirs in
        mine.value == theirs.value && ASCII.equalIgnoringCase(mine.name, theirs.name)
      }
      return sameAsWritten || left.valuesByName == right.valuesByName
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
#endif
