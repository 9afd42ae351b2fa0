#if !canImport(Darwin)
  import Foundation

  /// A part of a server, or of a proxy, that one credential opens: host, port, protocol, realm and method.
  ///
  /// Two spaces are equal when all of these are; host names are compared without regard to case.
  // Invariant behind @unchecked: every stored property is an immutable Sendable value.
  open class URLProtectionSpace: NSObject, NSCopying, @unchecked Sendable {
    /// The name of the server or proxy.
    public let host: String

    /// The port of the server or proxy; 0 stands for the protocol's own.
    public let port: Int

    /// The protocol of the server, such as `"https"`; `nil` for a proxy.
    public let `protocol`: String?

    /// The kind of proxy, such as `NSURLProtectionSpaceHTTPProxy`; `nil` for a server.
    public let proxyType: String?

    /// The name the server gave this part of itself; `nil` when it gave none.
    public let realm: String?

    /// How to authenticate, such as `NSURLAuthenticationMethodHTTPBasic`.
    public let authenticationMethod: String

    private let foldedHost: String

    /// Makes a space on a server.
    ///
    /// - Parameters:
    ///   - host: The server's name.
    ///   - port: The server's port; 0 stands for the protocol's own.
    ///   - protocol: The protocol, such as `NSURLProtectionSpaceHTTPS`.
    ///   - realm: The realm the server named.
    ///   - authenticationMethod: How to authenticate; `nil` stands for `NSURLAuthenticationMethodDefault`.
    public init(
      host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?
    ) {
      self.host = host
      self.port = port
      self.protocol = `protocol`
      self.proxyType = nil
      self.realm = realm
      self.authenticationMethod = authenticationMethod ?? NSURLAuthenticationMethodDefault
      self.foldedHost = host.lowercased()
    }

    /// Makes a space on a proxy.
    ///
    /// - Parameters:
    ///   - host: The proxy's name.
    ///   - port: The proxy's port.
    ///   - type: The kind of proxy, such as `NSURLProtectionSpaceHTTPProxy`.
    ///   - realm: The realm the proxy named.
    ///   - authenticationMethod: How to authenticate; `nil` stands for `NSURLAuthenticationMethodDefault`.
    public init(
      proxyHost host: String, port: Int, type: String?, realm: String?, authenticationMethod: String?
    ) {
      self.host = host
      self.port = port
      self.protocol = nil
      self.proxyType = type ?? NSURLProtectionSpaceHTTPProxy
      self.realm = realm
      self.authenticationMethod = authenticationMethod ?? NSURLAuthenticationMethodDefault
      self.foldedHost = host.lowercased()
    }

    /// Whether the space is on a proxy.
    open override func isProxy() -> Bool { proxyType != nil }

    /// Whether a credential reaches its destination without anybody on the way being able to read it.
    ///
    /// That is so over TLS, and with a method that does not send the password itself.
    open var receivesCredentialSecurely: Bool {
      switch authenticationMethod {
      case NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
        NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodClientCertificate,
        NSURLAuthenticationMethodServerTrust:
        true
      default:
        self.protocol == NSURLProtectionSpaceHTTPS
      }
    }

    /// The certificate authorities a server accepts client certificates from; `nil` for every other method.
    open var distinguishedNames: [Data]? { nil }

    /// Returns the receiver: a space cannot change, so a copy needs no second object.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other object is a space with the same host, port, protocol, realm and method.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? URLProtectionSpace else { return false }
      return self === other
        || (port == other.port && foldedHost == other.foldedHost && self.protocol == other.protocol
          && realm == other.realm && authenticationMethod == other.authenticationMethod
          && proxyType == other.proxyType)
    }

    /// A hash that agrees with `isEqual(_:)`.
    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(foldedHost)
      hasher.combine(port)
      hasher.combine(self.protocol)
      hasher.combine(proxyType)
      hasher.combine(realm)
      hasher.combine(authenticationMethod)
      return hasher.finalize()
    }

    /// The space in one line, for logs.
    open override var description: String {
      let kind = self.protocol ?? proxyType.map { "\($0) proxy" } ?? "no protocol"
      let realm = realm.map { "\"\($0)\"" } ?? "none"
      return "<URLProtectionSpace \(host):\(port), \(kind), realm: \(realm), \(authenticationMethod)>"
    }

    /// The same as `description`.
    open override var debugDescription: String { description }
  }
#endif
