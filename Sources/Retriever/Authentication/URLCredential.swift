#if !canImport(Darwin)
import Foundation
import TransferEngine

/// A user name and a password, and how long to remember them; or the acceptance of a server's certificates, or a client
/// certificate.
///
/// A credential is immutable. Neither `description` nor `debugDescription` shows the password, so it is safe to print
/// a credential.
///
/// Linux has no keychain: ``URLCredentialStorage/shared`` stores `.permanent` credentials in a file that only the user may
/// read. `.synchronizable` credentials are remembered for as long as the process lives.
// Invariant for @unchecked: every stored property is an immutable Sendable value.
open class URLCredential: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// How long a credential is remembered.
  public enum Persistence: UInt, Sendable {
    /// Used for one request and not remembered.
    case none = 0

    /// Remembered until the session or the process ends.
    case forSession = 1

    /// Stored on this machine, in a file of ``URLCredentialStorage/shared``.
    case permanent = 2

    /// Shared with the user's other devices; the same as `.forSession` on a platform without a keychain.
    case synchronizable = 3
  }

  /// The user's name; `nil` if the credential does not contain a password.
  public let user: String?

  /// The user's password; `nil` if there is none.
  public let password: String?

  /// How long the credential is remembered.
  public let persistence: Persistence

  /// The client certificate with its key; `nil` for every other credential.
  public let identity: ClientIdentity?

  /// The intermediate certificates that are sent with ``identity``.
  public let certificates: [ServerTrust.Certificate]

  /// The certificates that the credential accepts.
  let serverTrust: ServerTrust?

  /// Creates a credential from a user name and a password.
  ///
  /// - Parameters:
  ///   - user: The user's name. HTTP Basic does not support a name that contains a colon.
  ///   - password: The user's password.
  ///   - persistence: How long the credential is remembered once a server has accepted it.
  public init(user: String, password: String, persistence: Persistence) {
    self.user = user
    self.password = password
    self.persistence = persistence
    identity = nil
    certificates = []
    serverTrust = nil
  }

  /// Creates a credential that accepts exactly the certificates of a server, even if they are not valid.
  ///
  /// The certificate must still be for the host. ``ServerTrust/ignoringHostName()`` returns a trust without this
  /// condition. The pins of the session's configuration still apply, too.
  ///
  /// - Parameter trust: The trust of the challenge's protection space.
  public init(trust: ServerTrust) {
    user = nil
    password = nil
    persistence = .forSession
    identity = nil
    certificates = []
    serverTrust = trust
  }

  /// Creates a credential with a client certificate.
  ///
  /// - Parameters:
  ///   - identity: The certificate and its key.
  ///   - certificates: The intermediate certificates to send; nil for those of the identity.
  ///   - persistence: Ignored: the session presents the identity to this server until it is reset or invalidated.
  public init(
    identity: ClientIdentity, certificates: [ServerTrust.Certificate]? = nil,
    persistence: Persistence = .forSession
  ) {
    user = nil
    password = nil
    self.persistence = persistence
    self.identity = identity
    self.certificates = certificates ?? identity.intermediateCertificates
    serverTrust = nil
  }

  /// Whether the credential contains a password.
  open var hasPassword: Bool { password != nil }

  // MARK: Coding

  /// Whether the class supports secure coding: true.
  public static var supportsSecureCoding: Bool { true }

  /// Decodes a credential. Returns nil if the data are damaged.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding,
      let persistence = UInt(exactly: coder.decodeInteger(forKey: Key.persistence)).flatMap(Persistence.init)
    else { return nil }
    user = coder.decodeText(forKey: Key.user)
    password = coder.decodeText(forKey: Key.password)
    self.persistence = persistence
    identity = nil
    certificates = []
    serverTrust = nil
    super.init()
  }

  /// Encodes the credential, including the password as plain text: protect the archive. Certificates and keys are left
  /// out.
  open func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(user as NSString?, forKey: Key.user)
    coder.encode(password as NSString?, forKey: Key.password)
    coder.encode(Int(persistence.rawValue), forKey: Key.persistence)
  }

  private enum Key {
    static let user = "user"
    static let password = "password"
    static let persistence = "persistence"
  }

  // MARK: Copying and comparing

  /// Returns the receiver, because a credential is immutable.
  open override func copy() -> Any { self }

  /// Returns the receiver, because a credential is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other object is a credential with the same user, password and persistence.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLCredential else { return false }
    return self === other
      || (user == other.user && password == other.password && persistence == other.persistence
        && identity == other.identity && serverTrust == other.serverTrust)
  }

  /// A hash that is consistent with `isEqual(_:)`.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(user)
    hasher.combine(persistence)
    return hasher.finalize()
  }

  /// The key to present; nil if there is none.
  var presentedKey: ClientKey? {
    guard let identity else { return nil }
    if certificates == identity.intermediateCertificates { return identity.key }
    return ClientKey(identity.key, intermediates: certificates.map { [UInt8]($0.data) })
  }

  /// The user's name and the persistence, without the password.
  open override var description: String {
    if let identity { return "<URLCredential \(identity), \(persistence)>" }
    if let serverTrust { return "<URLCredential accepting \(serverTrust)>" }
    let name = user.map { "\"\($0)\"" } ?? "none"
    return "<URLCredential user: \(name), password: \(hasPassword ? "hidden" : "none"), \(persistence)>"
  }

  /// The same as `description`, because debugger output can end up in a log too.
  open override var debugDescription: String { description }
}

extension URLCredential: CustomReflectable {
  /// A mirror without children, so that `dump` and the interpolation of a container show no password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
