#if !canImport(Darwin)
  import CLinux

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Which hosts and addresses a session may reach.
  ///
  /// A program that fetches URLs which others gave it can be made to fetch from its own network: from the
  /// machine itself, from a private network, from the cloud's metadata service. `publicOnly` keeps it out of
  /// these. The policy is checked on the host of every request and redirect, and again on the address of every
  /// connection, after the name was looked up: a name that resolves to a private address does not help.
  ///
  ///     var policy = AddressPolicy.publicOnly
  ///     try policy.allow("10.20.0.0/16")         // our own image servers
  ///     try policy.deny("*.internal.example")
  ///
  /// What is denied stays denied, whatever is allowed. What is allowed is an exception to the base rule. To
  /// allow a host by name is to trust whatever addresses its name has.
  ///
  /// - Note: A session with a policy uses no proxy: the proxy would look the name up and make the connection, and
  ///   nobody would check the address.
  public struct AddressPolicy: Sendable, Hashable {
    private enum Base: Sendable, Hashable {
      case everything
      case publicAddresses
      case nothing
    }

    private let base: Base

    /// The hosts that may be reached whatever the base rule says.
    public private(set) var allowedHosts: [HostPattern] = []

    /// The hosts that must not be reached.
    public private(set) var deniedHosts: [HostPattern] = []

    /// The addresses that may be reached whatever the base rule says.
    public private(set) var allowedRanges: [AddressRange] = []

    /// The addresses that must not be reached.
    public private(set) var deniedRanges: [AddressRange] = []

    private init(base: Base) { self.base = base }

    /// Everything may be reached; the default of a session.
    public static let unrestricted = AddressPolicy(base: .everything)

    /// Only what is reachable from everywhere on the internet may be reached.
    ///
    /// Denied are the machine itself, private and link-local networks, shared address space, multicast,
    /// documentation and other reserved ranges, the metadata services of cloud providers, every IPv6 form of
    /// such an IPv4 address, and Unix domain sockets.
    public static let publicOnly = AddressPolicy(base: .publicAddresses)

    /// Nothing may be reached but what is then allowed.
    public static let listedOnly = AddressPolicy(base: .nothing)

    /// The entry is neither a range of addresses nor a pattern for host names.
    public struct InvalidEntry: Error, Sendable, Hashable, CustomStringConvertible {
      /// The entry as it was given.
      public let entry: String

      /// A sentence that says what is wrong.
      public var description: String {
        "\"\(entry)\" is neither an address range like 10.0.0.0/8 nor a host like *.example.com."
      }
    }

    /// Allows a host pattern, an address or a range of addresses.
    ///
    /// - Parameter entry: Such as `example.com`, `*.example.com`, `example.com:8443`, `10.0.0.0/8` or `::1`.
    /// - Throws: `InvalidEntry` when the entry is none of these.
    public mutating func allow(_ entry: String) throws(InvalidEntry) {
      if let range = AddressRange(entry) {
        allowedRanges.append(range)
      } else {
        allowedHosts.append(try Self.pattern(entry))
      }
    }

    /// Denies a host pattern, an address or a range of addresses; nothing that is allowed makes up for it.
    ///
    /// - Parameter entry: Such as `example.com`, `*.example.com`, `example.com:8443`, `10.0.0.0/8` or `::1`.
    /// - Throws: `InvalidEntry` when the entry is none of these.
    public mutating func deny(_ entry: String) throws(InvalidEntry) {
      if let range = AddressRange(entry) {
        deniedRanges.append(range)
      } else {
        deniedHosts.append(try Self.pattern(entry))
      }
    }

    private static func pattern(_ entry: String) throws(InvalidEntry) -> HostPattern {
      // What has a slash was meant as a range; as a host it would never match anything.
      guard let pattern = HostPattern(entry) else { throw InvalidEntry(entry: entry) }
      return pattern
    }

    /// Whether no check can ever refuse anything, so that none needs to be made.
    package var isUnrestricted: Bool {
      base == .everything && deniedHosts.isEmpty && deniedRanges.isEmpty
    }

    /// Why a host must not be reached, as a sentence; `nil` when it may, as far as its name tells.
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
        // Spares a look-up that could only end at the loopback interface (RFC 6761, 6.3).
        let isLocal = name == "localhost" || name.hasSuffix(".localhost")
        guard isLocal, allowedRanges.isEmpty else { return nil }
        return "The session's address policy allows public addresses only: \(host) is this machine."
      }
      // The name may still resolve to an address that is allowed: the connection will tell.
      return allowedRanges.isEmpty
        ? "The session's address policy does not list the host \(host)." : nil
    }

    /// Why an address must not be connected to, as a sentence; `nil` when it may.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - host: The host of the request, when the address is one that its name was resolved to.
    ///   - port: The port of the request.
    package func refusal(address: IPAddress, host: String? = nil, port: Int? = nil) -> String? {
      if isUnrestricted { return nil }
      let faces = [address] + address.embedded
      if deniedRanges.contains(where: { range in faces.contains(where: range.contains) }) {
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

    /// Why a socket must not be connected, as a sentence; `nil` when it may. For the moment before `connect`.
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
