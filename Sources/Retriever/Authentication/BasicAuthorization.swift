#if !canImport(Darwin)
import Foundation

/// HTTP Basic (RFC 7617).
package enum BasicAuthorization {
  /// Returns the value of `Authorization` for a user and a password, both encoded as UTF-8.
  ///
  /// The user's name cannot contain a colon, because a colon separates it from the password and the scheme has no
  /// escape.
  package static func fieldValue(user: String, password: String) -> String {
    "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }
}
#endif
