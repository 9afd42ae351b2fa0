#if !canImport(Darwin)
import CLinux
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The hosts and addresses that a session may connect to.
///
/// A program that fetches URLs supplied by others can be tricked into fetching from the machine itself, a private
/// network, or the cloud's metadata service. `publicOnly` prevents this. A session checks the policy against the host
/// of every request and redirect. After the name lookup, it also checks the address of every connection, so a name
/// that resolves to a private address is refused too.
///
///     var policy = AddressPolicy.publicOnly
///     try policy.allow("10.20.0.0/16")         // our own image servers
///     try policy.deny("*.internal.example")
///
/// Denied entries always take precedence over allowed ones. Allowed entries are exceptions to the base rule. If you
/// allow a host by name, you trust all addresses that its name resolves to.
///
/// - Note: A session with a policy does not use a proxy. The proxy would look up the name and make the connection
///   without checking the address.
public struct AddressPolicy: Sendable, Hashable {
  private enum Base: Sendable, Hashable {
    case everything
    case publicAddresses
    case nothing
  }

  private let base: Base

  /// The allowed hosts, as exceptions to the base rule.
  public private(set) var allowedHosts: [HostPattern] = []

  /// The denied hosts.
  public private(set) var deniedHosts: [HostPattern] = []

  /// The allowed addresses, as exceptions to the base rule.
  public private(set) var allowedRanges: [AddressRange] = []

  /// The denied addresses.
  public private(set) var deniedRanges: [AddressRange] = []

  private init(base: Base) { self.base = base }

  /// A policy that allows everything; the default of a session.
  public static let unrestricted = AddressPolicy(base: .everything)

  /// A policy that allows only addresses that are reachable from everywhere on the internet.
  ///
  /// It denies the machine itself, private and link-local networks, shared address space, multicast, documentation
  /// and other reserved ranges, and the metadata services of cloud providers. It also denies every IPv6 form of such
  /// an IPv4 address, and Unix-domain sockets.
  public static let publicOnly = AddressPolicy(base: .publicAddresses)

  /// A policy that allows nothing except the entries that are then added with `allow(_:)`.
  public static let listedOnly = AddressPolicy(base: .nothing)

  /// An error for an entry that is neither a range of addresses nor a pattern for host names.
  public struct InvalidEntry: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The invalid entry.
    public let entry: String

    /// A description of the problem.
    public var description: String {
      "\"\(entry)\" is neither an address range like 10.0.0.0/8 nor a host like *.example.com."
    }
    /// The same as ``description``.
    public var errorDescription: String? { description }
  }

  /// Allows a host pattern, an address or a range of addresses.
  ///
  /// - Parameter entry: An entry such as `example.com`, `*.example.com`, `example.com:8443`, `10.0.0.0/8` or `::1`.
  /// - Throws: `InvalidEntry` if the entry is none of these.
  public mutating func allow(_ entry: String) throws(InvalidEntry) {
    if let range = AddressRange(entry) {
      allowedRanges.append(range)
    } else {
      allowedHosts.append(try Self.pattern(entry))
    }
  }

  /// Denies a host pattern, an address or a range of addresses. Allowed entries do not override it.
  ///
  /// - Parameter entry: An entry such as `example.com`, `*.example.com`, `example.com:8443`, `10.0.0.0/8` or `::1`.
  /// - Throws: `InvalidEntry` if the entry is none of these.
  public mutating func deny(_ entry: String) throws(InvalidEntry) {
    if let range = AddressRange(entry) {
      deniedRanges.append(range)
    } else {
      deniedHosts.append(try Self.pattern(entry))
    }
  }

  private static func pattern(_ entry: String) throws(InvalidEntry) -> HostPattern {
    // An entry with a slash was meant to be a range: as a host it could never match.
    guard let pattern = HostPattern(entry) else { throw InvalidEntry(entry: entry) }
    return pattern
  }

  /// Whether the policy never refuses anything, so that no checks are necessary.
  package var isUnrestricted: Bool {
    base == .everything && deniedHosts.isEmpty && deniedRanges.isEmpty
  }

  /// Returns why the policy refuses a host, as a sentence; `nil` if the host's name is allowed.
  package func refusal(host: String, port: Int) -> String? {
    if isUnrestricted { return nil }
    let name = HostPattern.normalized(host)
    if deniedHosts.contains(where: { $0.matches(name, port: port) }) {
      return "The session's address policy denies the host \(host)."
    }
    if let address = IPAddress(host: name) {
      return refusal(address: address, host: host, port: port)
    }
    if base == .everything || isAllowed(host: name, port: port) { return nil }
    if base == .publicAddresses {
      // Avoids a lookup that could return only the loopback interface (RFC 6761, 6.3).
      let isLocal = name == "localhost" || name.hasSuffix(".localhost")
      guard isLocal, allowedRanges.isEmpty else { return nil }
      return "The session's address policy allows public addresses only: \(host) is this machine."
    }
    // The name may still resolve to an allowed address: the check of the connection decides.
    return allowedRanges.isEmpty
      ? "The session's address policy does not list the host \(host)." : nil
  }

  /// Returns why the policy refuses an address, as a sentence; `nil` if the address is allowed.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - host: The host of the request, if its name resolved to the address.
  ///   - port: The port of the request.
  package func refusal(address: IPAddress, host: String? = nil, port: Int? = nil) -> String? {
    if isUnrestricted { return nil }
    let addresses = [address] + address.embedded
    if deniedRanges.contains(where: { range in addresses.contains(where: range.contains) }) {
      return "The session's address policy denies the address \(address)."
    }
    if base == .everything || allowedRanges.contains(where: { $0.contains(address) }) { return nil }
    if let mapped = address.unmapped, allowedRanges.contains(where: { $0.contains(mapped) }) { return nil }
    if let host, isAllowed(host: HostPattern.normalized(host), port: port) { return nil }
    switch base {
    case .publicAddresses where !address.isPublic:
      return "The session's address policy allows public addresses only: \(address) is not one."
    case .nothing:
      return "The session's address policy does not list the address \(address)."
    default:
      return nil
    }
  }

  /// Returns why the policy refuses a socket address, as a sentence; `nil` if it is allowed. Called before `connect`.
  package func refusal(
    sockaddr pointer: UnsafeRawPointer, length: Int, host: String? = nil, port: Int? = nil
  ) -> String? {
    if isUnrestricted { return nil }
    if let address = IPAddress(sockaddr: pointer, length: length) {
      return refusal(address: address, host: host, port: port)
    }
    return base == .everything
      ? nil : "The session's address policy allows connections to IP addresses only."
  }

  private func isAllowed(host: String, port: Int?) -> Bool {
    allowedHosts.contains { $0.matches(host, port: port) }
  }
}
#endif
