#if !canImport(Darwin)
  import Foundation

  /// HTTP Basic (RFC 7617).
  package enum BasicAuthorization {
    /// The value of `Authorization` for a user and a password, both as UTF-8.
    ///
    /// A colon in the user's name cannot be told from the one that separates the two: the scheme has no escape.
    package static func fieldValue(user: String, password: String) -> String {
      "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
  }
#endif
