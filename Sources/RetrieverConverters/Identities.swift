#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Retriever

extension Retriever.HTTPCookie {
  /// Creates a copy of a cookie of FoundationNetworking; nil if the cookie is not valid by the rules of RFC 6265.
  public convenience init?(_ cookie: FoundationNetworking.HTTPCookie) {
    let properties = (cookie.properties ?? [:]).map { key, value in
      (Retriever.HTTPCookiePropertyKey(rawValue: key.rawValue), value)
    }
    self.init(properties: Dictionary(properties) { first, _ in first })
  }
}

extension FoundationNetworking.HTTPCookie {
  /// Creates a copy of a cookie of Retriever.
  public convenience init?(_ cookie: Retriever.HTTPCookie) {
    let properties = (cookie.properties ?? [:]).map { key, value in
      (FoundationNetworking.HTTPCookiePropertyKey(rawValue: key.rawValue), value)
    }
    self.init(properties: Dictionary(properties) { first, _ in first })
  }
}

extension Retriever.URLCredential {
  /// Creates a copy of a credential of FoundationNetworking; nil if it has no name and password.
  public convenience init?(_ credential: FoundationNetworking.URLCredential) {
    guard let user = credential.user, let password = credential.password else { return nil }
    self.init(
      user: user, password: password,
      persistence: Persistence(rawValue: credential.persistence.rawValue) ?? .none)
  }
}

extension FoundationNetworking.URLCredential {
  /// Creates a copy of a credential of Retriever; nil if it has no name and password.
  public convenience init?(_ credential: Retriever.URLCredential) {
    guard let user = credential.user, let password = credential.password else { return nil }
    self.init(
      user: user, password: password,
      persistence: Persistence(rawValue: credential.persistence.rawValue) ?? .none)
  }
}

extension Retriever.URLProtectionSpace {
  /// Creates a copy of a protection space of FoundationNetworking.
  public convenience init(_ space: FoundationNetworking.URLProtectionSpace) {
    if space.isProxy() {
      self.init(
        proxyHost: space.host, port: space.port, type: space.proxyType, realm: space.realm,
        authenticationMethod: space.authenticationMethod)
    } else {
      self.init(
        host: space.host, port: space.port, protocol: space.protocol, realm: space.realm,
        authenticationMethod: space.authenticationMethod)
    }
  }
}

extension FoundationNetworking.URLProtectionSpace {
  /// Creates a copy of a protection space of Retriever.
  public convenience init(_ space: Retriever.URLProtectionSpace) {
    if space.isProxy() {
      self.init(
        proxyHost: space.host, port: space.port, type: space.proxyType, realm: space.realm,
        authenticationMethod: space.authenticationMethod)
    } else {
      self.init(
        host: space.host, port: space.port, protocol: space.protocol, realm: space.realm,
        authenticationMethod: space.authenticationMethod)
    }
  }
}
#endif
