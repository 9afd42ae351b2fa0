#if !canImport(Darwin)
  import Foundation

  /// A user name and a password, and how long they may be remembered.
  ///
  /// A credential never changes after it was made. Neither `description` nor `debugDescription` shows the
  /// password, so a credential may be printed without harm.
  ///
  /// - Note: There is no keychain on this platform: `.permanent` and `.synchronizable` credentials are
  ///   remembered for as long as the process lives.
  // Invariant behind @unchecked: every stored property is an immutable Sendable value.
  open class URLCredential: NSObject, NSCopying, @unchecked Sendable {
    /// How long a credential is remembered.
    public enum Persistence: UInt, Sendable {
      /// It is used for one request and not remembered.
      case none = 0

      /// It is remembered for as long as its session, or the process, lives.
      case forSession = 1

      /// It is to be kept on this machine; as `.forSession` where there is no keychain.
      case permanent = 2

      /// It is to be shared with the user's other devices; as `.forSession` where there is no keychain.
      case synchronizable = 3
    }

    /// The user's name; `nil` in a credential that is not a password.
    public let user: String?

    /// The user's password; `nil` when there is none.
    public let password: String?

    /// How long the credential is remembered.
    public let persistence: Persistence

    /// Makes a credential from a user name and a password.
    ///
    /// - Parameters:
    ///   - user: The user's name. HTTP Basic cannot express a name that contains a colon.
    ///   - password: The user's password.
    ///   - persistence: How long the credential is remembered once a server has accepted it.
    public init(user: String, password: String, persistence: Persistence) {
      self.user = user
      self.password = password
      self.persistence = persistence
    }

    /// Whether the credential holds a password.
    open var hasPassword: Bool { password != nil }

    /// Returns the receiver: a credential cannot change, so a copy needs no second object.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other object is a credential with the same user, password and persistence.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? URLCredential else { return false }
      return self === other
        || (user == other.user && password == other.password && persistence == other.persistence)
    }

    /// A hash that agrees with `isEqual(_:)`.
    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(user)
      hasher.combine(persistence)
      return hasher.finalize()
    }

    /// The user's name and the persistence; never the password.
    open override var description: String {
      let name = user.map { "\"\($0)\"" } ?? "none"
      return "<URLCredential user: \(name), password: \(hasPassword ? "hidden" : "none"), \(persistence)>"
    }

    /// The same as `description`: a debugger's log is a log too.
    open override var debugDescription: String { description }
  }

  extension URLCredential: CustomReflectable {
    /// A mirror without children, so that `dump` and string interpolation of a container show no password.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
