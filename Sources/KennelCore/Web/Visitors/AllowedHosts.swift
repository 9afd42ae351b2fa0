import HTTPSyntax

/// The names a kennel answers to.
///
/// A foreign page can let its own name lead to this server (DNS rebinding), and its visitors' browsers would take what
/// they get here for the page's own. They do say in `Host` which name they have asked for.
package struct AllowedHosts: Sendable, Equatable {
  /// What may be asked for.
  private enum Pattern: Sendable, Equatable {
    case name(String)
    /// A name, and all that end in it behind a dot.
    case domain(String)
    case everything
  }

  enum Verdict: Sendable, Equatable {
    case allowed
    /// Another name than those of this kennel.
    case unknown(String)
    /// No name at all.
    case malformed
  }

  // Browsers look up neither addresses nor localhost; what a name of this machine leads to, its network says.
  private var patterns: [Pattern] = [.domain("localhost")]

  /// Addresses, `localhost` and this machine's own name only.
  ///
  /// - Parameter machine: the machine's name; nil when it has none.
  package init(machine: String?) {
    guard let host = machine.flatMap({ RequestedHost($0[...]) }), !host.isAddress else { return }
    let short = String(host.name.prefix { $0 != "." })
    patterns += [.name(host.name), .name(short), .name(short + ".local")]
  }

  /// Allows another name.
  ///
  /// - Parameter text: a name; with a dot before it, all names below it as well; `*` for whatever is asked for.
  /// - Returns: false when it is none of these.
  package mutating func allow(_ text: String) -> Bool {
    if text == "*" {
      patterns.append(.everything)
      return true
    }
    let isDomain = text.hasPrefix(".")
    let name = isDomain ? text.dropFirst() : text[...]
    guard !name.contains(":"), let host = RequestedHost(name) else { return false }
    patterns.append(isDomain ? .domain(host.name) : .name(host.name))
    return true
  }

  /// - Parameter field: what the `Host` field says; empty when there is none, which no browser does.
  func verdict(on field: String) -> Verdict {
    if field.isEmpty || patterns.contains(.everything) { return .allowed }
    guard let host = RequestedHost(field[...]) else { return .malformed }
    let isKnown = host.isAddress || patterns.contains { Self.matches(host.name, $0) }
    return isKnown ? .allowed : .unknown(host.name)
  }

  private static func matches(_ name: String, _ pattern: Pattern) -> Bool {
    switch pattern {
    case .name(let known): name == known
    case .domain(let known): name == known || name.hasSuffix("." + known)
    case .everything: true
    }
  }
}
