#if !canImport(Darwin)
import Foundation
import TransferEngine

/// A part of a server, or of a proxy, that uses one credential: host, port, protocol, realm and method.
///
/// Two spaces are equal if all of these are equal. Host names are compared without regard to case.
// Invariant for @unchecked: every stored property is an immutable Sendable value.
open class URLProtectionSpace: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The name of the server or proxy.
  public let host: String

  /// The port of the server or proxy; 0 is the protocol's default port.
  public let port: Int

  /// The protocol of the server, such as `"https"`; `nil` for a proxy.
  public let `protocol`: String?

  /// The kind of proxy, such as `NSURLProtectionSpaceHTTPProxy`; `nil` for a server.
  public let proxyType: String?

  /// The name that the server gave to this space; `nil` if there is none.
  public let realm: String?

  /// The authentication method, such as `NSURLAuthenticationMethodHTTPBasic`.
  public let authenticationMethod: String

  private let foldedHost: String

  /// The certificates of the server, and whether they are valid; `nil` for every method except
  /// `NSURLAuthenticationMethodServerTrust`.
  ///
  /// On Apple's platforms the type is `SecTrust`, which Linux does not have.
  public let serverTrust: ServerTrust?

  private let acceptedAuthorities: [Data]?

  /// Creates a space on a server.
  ///
  /// - Parameters:
  ///   - host: The server's name.
  ///   - port: The server's port; 0 is the protocol's default port.
  ///   - protocol: The protocol, such as `NSURLProtectionSpaceHTTPS`.
  ///   - realm: The realm that the server sent.
  ///   - authenticationMethod: The authentication method; `nil` means `NSURLAuthenticationMethodDefault`.
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
    serverTrust = nil
    acceptedAuthorities = nil
  }

  /// Creates the space of a question that a TLS handshake raised.
  init(_ question: TrustQuestion, url: URL?) {
    host = question.host
    port = Int(question.port)
    self.protocol = NSURLProtectionSpaceHTTPS
    proxyType = nil
    realm = nil
    foldedHost = question.host.lowercased()
    switch question.subject {
    case .server(let chain, let failure):
      authenticationMethod = NSURLAuthenticationMethodServerTrust
      serverTrust = ServerTrust(
        chain, host: question.host, port: Int(question.port),
        error: failure.map { URLError($0, url: url) })
      acceptedAuthorities = nil
    case .clientCertificate(let authorities):
      authenticationMethod = NSURLAuthenticationMethodClientCertificate
      serverTrust = nil
      acceptedAuthorities = authorities.map { Data($0) }
    }
  }

  /// Creates a space on a proxy.
  ///
  /// - Parameters:
  ///   - host: The proxy's name.
  ///   - port: The proxy's port.
  ///   - type: The kind of proxy, such as `NSURLProtectionSpaceHTTPProxy`.
  ///   - realm: The realm that the proxy sent.
  ///   - authenticationMethod: The authentication method; `nil` means `NSURLAuthenticationMethodDefault`.
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
    serverTrust = nil
    acceptedAuthorities = nil
  }

  /// Whether the space is on a proxy.
  open override func isProxy() -> Bool { proxyType != nil }

  /// Whether nobody between the client and the server can read the credential.
  ///
  /// This is the case with TLS, and with methods that do not send the password itself.
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

  /// The distinguished names (in DER) of the authorities whose client certificates the server accepts; empty if it accepts
  /// any. `nil` for every method except `NSURLAuthenticationMethodClientCertificate`.
  open var distinguishedNames: [Data]? { acceptedAuthorities }

  // MARK: Coding

  /// Whether the class supports secure coding: true.
  public static var supportsSecureCoding: Bool { true }

  /// Decodes a space. Returns nil if the data are damaged.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding, let host = coder.decodeText(forKey: Key.host),
      let method = coder.decodeText(forKey: Key.method)
    else { return nil }
    self.host = host
    port = coder.decodeInteger(forKey: Key.port)
    self.protocol = coder.decodeText(forKey: Key.protocol)
    proxyType = coder.decodeText(forKey: Key.proxyType)
    realm = coder.decodeText(forKey: Key.realm)
    authenticationMethod = method
    foldedHost = host.lowercased()
    serverTrust = nil
    acceptedAuthorities = nil
    super.init()
  }

  /// Encodes the space, without certificates.
  open func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(host as NSString, forKey: Key.host)
    coder.encode(port, forKey: Key.port)
    coder.encode(self.protocol as NSString?, forKey: Key.protocol)
    coder.encode(proxyType as NSString?, forKey: Key.proxyType)
    coder.encode(realm as NSString?, forKey: Key.realm)
    coder.encode(authenticationMethod as NSString, forKey: Key.method)
  }

  private enum Key {
    static let host = "host"
    static let port = "port"
    static let `protocol` = "protocol"
    static let proxyType = "proxyType"
    static let realm = "realm"
    static let method = "authenticationMethod"
  }

  // MARK: Copying and comparing

  /// Returns the receiver, because a space is immutable.
  open override func copy() -> Any { self }

  /// Returns the receiver, because a space is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other object is a space with the same host, port, protocol, realm and method.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLProtectionSpace else { return false }
    return self === other
      || (port == other.port && foldedHost == other.foldedHost && self.protocol == other.protocol
        && realm == other.realm && authenticationMethod == other.authenticationMethod
        && proxyType == other.proxyType && serverTrust == other.serverTrust)
  }

  /// A hash that is consistent with `isEqual(_:)`.
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
