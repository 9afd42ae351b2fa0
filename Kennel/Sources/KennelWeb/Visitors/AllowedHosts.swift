import Glibc

/// The host names that a kennel accepts.
///
/// A foreign page can point its own host name to this server (DNS rebinding). Browsers would then treat the responses
/// as content of that page. The `Host` field contains the name that the browser requested, so such requests can be
/// refused.
package struct AllowedHosts: Sendable, Equatable {
  /// A pattern for accepted names.
  private enum Pattern: Sendable, Equatable {
    case name(String)
    /// A name and all of its subdomains.
    case domain(String)
    case everything
  }

  enum Verdict: Sendable, Equatable {
    case allowed
    /// A name that this kennel does not accept.
    case unknown(String)
    /// Not a valid host name.
    case malformed
  }

  // Addresses and localhost need no name lookup, and the local network decides where this machine's name leads.
  private var patterns: [Pattern] = [.domain("localhost")]

  /// Accepts only addresses, `localhost` and this machine's own name.
  ///
  /// - Parameter machine: the name of the machine, or nil if it has none.
  package init(machine: String?) {
    guard let host = machine.flatMap({ RequestedHost($0[...]) }), !host.isAddress else { return }
    let short = String(host.name.prefix { $0 != "." })
    patterns += [.name(host.name), .name(short), .name(short + ".local")]
  }

  /// Accepts another name.
  ///
  /// - Parameter text: a name; a name with a leading dot, for the name and all of its subdomains; or `*` for any name.
  /// - Returns: false if the text is none of these.
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

  /// - Parameter field: the value of the `Host` field. It is empty if there is none, which never happens with browsers.
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

extension AllowedHosts {
  /// Accepts addresses, `localhost`, and the current name of this machine.
  package static func ofThisMachine() -> AllowedHosts {
    var name = [CChar](repeating: 0, count: 256)
    // One byte less, because a truncated name may not end with a zero byte.
    guard gethostname(&name, name.count - 1) == 0 else { return AllowedHosts(machine: nil) }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return AllowedHosts(machine: String(validating: bytes, as: UTF8.self))
  }
}
