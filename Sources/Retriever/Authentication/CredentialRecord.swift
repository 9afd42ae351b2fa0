#if !canImport(Darwin)
import Foundation

/// A credential in the file of the shared storage.
struct CredentialRecord: PersistentRecord {
  private var host: String
  private var port: Int
  private var `protocol`: String?
  private var proxyType: String?
  private var realm: String?
  private var method: String
  private var user: String
  private var password: String
  /// Whether the program chose it as the default.
  private(set) var isDefault: Bool
  /// Whether it is the default only while the space has no other credential; nil in files of earlier versions.
  private(set) var isOnlyCredential: Bool?

  /// Returns nil for a credential that is not permanent.
  init?(
    _ credential: URLCredential, for space: URLProtectionSpace, isDefault: Bool, isOnlyCredential: Bool
  ) {
    guard credential.persistence == .permanent, let user = credential.user,
      let password = credential.password
    else { return nil }
    host = space.host
    port = space.port
    self.protocol = space.protocol
    proxyType = space.proxyType
    realm = space.realm
    method = space.authenticationMethod
    self.user = user
    self.password = password
    self.isDefault = isDefault
    self.isOnlyCredential = isOnlyCredential
  }

  var expiry: Date? { nil }
  var key: String { Self.key(user: user, space: space) }

  static func key(user: String, space: URLProtectionSpace) -> String {
    [
      space.host.lowercased(), "\(space.port)", space.protocol ?? "", space.proxyType ?? "",
      space.realm ?? "",
      space.authenticationMethod, user,
    ].joined(separator: "\0")
  }

  var space: URLProtectionSpace {
    if let proxyType {
      return URLProtectionSpace(
        proxyHost: host, port: port, type: proxyType, realm: realm, authenticationMethod: method)
    }
    return URLProtectionSpace(
      host: host, port: port, protocol: self.protocol, realm: realm, authenticationMethod: method)
  }

  var credential: URLCredential {
    URLCredential(user: user, password: password, persistence: .permanent)
  }
}
#endif
