import SwiftSyntax

/// The system versions that attributes such as `@available(macOS 12, iOS 15, *)` require.
struct Availability {
  /// The first versions with Swift concurrency.
  private static let concurrency: [(system: String, version: String)] = [
    ("macOS", "10.15"), ("iOS", "13"), ("tvOS", "13"), ("watchOS", "6"),
  ]

  /// The systems in the order in which they are named.
  private var systems: [String] = []
  private var versions: [String: String] = [:]

  init(_ attributes: [AttributeSyntax]) {
    for attribute in attributes {
      for (system, version) in Self.versions(in: attribute) ?? [] { require(system, version) }
    }
  }

  private mutating func require(_ system: String, _ version: String) {
    guard let known = versions[system] else {
      systems.append(system)
      versions[system] = version
      return
    }
    if Self.isOlder(known, than: version) { versions[system] = version }
  }

  /// Whether all required versions have Swift concurrency.
  var hasConcurrency: Bool {
    Self.concurrency.allSatisfy { system, version in
      versions[system].map { !Self.isOlder($0, than: version) } ?? false
    }
  }

  /// The attribute that also requires Swift concurrency.
  var withConcurrency: String {
    var all = self
    for (system, version) in Self.concurrency { all.require(system, version) }
    let ordered =
      Self.concurrency.map(\.system)
      + all.systems.filter { system in !Self.concurrency.contains { $0.system == system } }
    return "@available(\(ordered.map { "\($0) \(all.versions[$0] ?? "0")" }.joined(separator: ", ")), *)"
  }

  /// Returns the systems and versions of `@available(macOS 12, iOS 15, *)`. Nil for all other attributes.
  static func versions(in attribute: AttributeSyntax) -> [(system: String, version: String)]? {
    guard attribute.attributeName.trimmedDescription == "available",
      case .availability(let arguments)? = attribute.arguments
    else { return nil }
    var found: [(system: String, version: String)] = []
    for argument in arguments {
      switch argument.argument {
      case .availabilityVersionRestriction(let platform):
        guard let version = platform.version else { return nil }
        let name = platform.platform.text
        found.append((name == "OSX" ? "macOS" : name, version.trimmedDescription))
      case .token: continue
      default: return nil
      }
    }
    return found.isEmpty ? nil : found
  }

  private static func isOlder(_ version: String, than other: String) -> Bool {
    func numbers(_ text: String) -> [Int] {
      let parts = text.split(separator: ".").map { Int($0) ?? 0 }
      return parts + Array(repeating: 0, count: max(0, 3 - parts.count))
    }
    return numbers(version).lexicographicallyPrecedes(numbers(other))
  }
}
